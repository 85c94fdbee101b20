"""The admin function: boards made, changed, shown and deleted; players moderated and erased."""

import os
import time
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas.api import admin_players, erasing, render
from lambdas.api.board_answers import BoardAnswer, BoardsAnswer
from lambdas.api.config import ConfigBody, config_of
from lambdas.api.resolver import TallyResolver
from lambdas.api.serving import serve
from lambdas.api.shapes import answers, no_content, refusals
from lambdas.domain.boards import board_named, check_board_id, check_config
from lambdas.domain.errors import (
    BoardConflictError,
    BoardDeletedLatelyError,
    BoardNotFoundError,
    VersionConflictError,
)
from lambdas.logic.boards import Wanted, put_board
from lambdas.logic.erasure import SECONDS, Erasure
from lambdas.logic.tables import RETRY_SECONDS
from lambdas.logic.visibility import Moderation
from lambdas.names import ADMIN
from lambdas.observability import make_logger
from lambdas.settings import AdminSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.ledger_items import LedgerItems
from lambdas.store.meter import Meter

logger = make_logger(ADMIN)
app = TallyResolver(logger)
for part in (admin_players, erasing):
    app.include_router(part.router)
settings = read_settings(AdminSettings, os.environ)
client = boto3.client("dynamodb", config=CLIENT_CONFIG)


def now_ms() -> int:
    """The server's clock, ms since 1970."""
    return time.time_ns() // 1_000_000


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answers one HTTP API event."""
    dynamo = Dynamo(client, Meter())
    moderation = Moderation.over(
        dynamo,
        scores_table=settings.scores_table,
        boards_table=settings.boards_table,
        patience_seconds=RETRY_SECONDS,
        now_ms=now_ms(),
    )
    return serve(
        app,
        logger,
        event,
        context,
        function=ADMIN,
        meter=dynamo.meter,
        ledger_table=settings.submissions_table,
        boards=moderation.boards,
        moderation=moderation,
        erasure=_erasure(dynamo, moderation),
    )


@app.put(
    "/api/admin/leaderboards/<board>",
    operation_id="putBoard",
    tags=[ADMIN],
    responses=answers(BoardAnswer, "It stood already; it has this very config now.")
    | answers(BoardAnswer, "Made.", HTTPStatus.CREATED)
    | refusals(BoardConflictError, BoardDeletedLatelyError, VersionConflictError, takes_body=True),
)
def put(board: str, body: ConfigBody) -> tuple[dict[str, Any], int]:
    """Makes a board, or changes what a live board may change; sent again it changes nothing."""
    check_board_id(board)
    config, layout = config_of(body)
    check_config(config, layout)
    wanted = Wanted(board, config, layout, body.version)
    standing, is_new = put_board(_boards(), wanted, now_ms())
    status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return render.board_answer(standing), int(status)


@app.delete(
    "/api/admin/leaderboards/<board>",
    operation_id="deleteBoard",
    tags=[ADMIN],
    responses=no_content("Deleted, now or before.") | refusals(BoardNotFoundError),
)
def delete(board: str) -> Response[str]:
    """Deletes a board with all its entries; sent again it changes nothing."""
    _boards().delete(board_named(board), now_ms())
    return Response(status_code=int(HTTPStatus.NO_CONTENT), body="")


@app.get(
    "/api/admin/leaderboards/<board>",
    operation_id="getBoard",
    tags=[ADMIN],
    responses=answers(BoardAnswer, "The board's config and layouts.")
    | refusals(BoardNotFoundError),
)
def get_board(board: str) -> dict[str, Any]:
    """Shows a board."""
    return render.board_answer(_boards().get(board_named(board)))


@app.get(
    "/api/admin/leaderboards",
    operation_id="listBoards",
    tags=[ADMIN],
    responses=answers(BoardsAnswer, "Every board, by id.") | refusals(),
)
def list_boards() -> dict[str, Any]:
    """Lists every board."""
    boards = sorted(_boards().all(), key=lambda board: board.id)
    return {"boards": [render.board_answer(board) for board in boards]}


def _boards() -> Boards:
    boards: Boards = app.context["boards"]
    return boards


def _erasure(dynamo: Dynamo, moderation: Moderation) -> Erasure:
    return Erasure(
        boards=moderation.boards,
        holdings=moderation.holdings,
        ledger=LedgerItems(dynamo, settings.submissions_table),
        visibility=moderation.visibility,
        now_ms=moderation.now_ms,
        until=time.monotonic() + SECONDS,
    )
