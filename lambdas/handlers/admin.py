"""The admin function: makes boards and shows them."""

import os
from http import HTTPStatus
from typing import Any, Final

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas.api import render
from lambdas.api.answers import BoardAnswer, BoardsAnswer
from lambdas.api.requests import ConfigBody, SeasonBody
from lambdas.api.resolver import TallyResolver
from lambdas.api.serving import serve
from lambdas.api.shapes import answers, refusals
from lambdas.domain.boards import (
    DEFAULT_COUNT_LIMIT,
    DEFAULT_TOP_EXACT,
    BoardConfig,
    LayoutSpec,
    TieBreaker,
    check_board_id,
    check_config,
    default_spacing,
)
from lambdas.domain.cells import Span
from lambdas.domain.errors import BoardConflictError, BoardNotFoundError, InvalidFieldsError
from lambdas.domain.schedules import Schedule, Season
from lambdas.names import ADMIN
from lambdas.observability import make_logger
from lambdas.settings import AdminSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.meter import Meter

_SCHEDULE_FIELDS: Final = ("windows", "time_zone", "retention_days", "grace_seconds")

logger = make_logger(ADMIN)
app = TallyResolver(logger)
settings = read_settings(AdminSettings, os.environ)
client = boto3.client("dynamodb", config=CLIENT_CONFIG)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answers one HTTP API event."""
    meter = Meter()
    boards = Boards(Dynamo(client, meter), settings.boards_table)
    return serve(app, logger, event, context, meter=meter, boards=boards)


@app.put(
    "/api/admin/leaderboards/<board>",
    operation_id="putBoard",
    tags=[ADMIN],
    responses=answers(BoardAnswer, "It stood already, with this very config.")
    | answers(BoardAnswer, "Made.", HTTPStatus.CREATED)
    | refusals(BoardConflictError, takes_body=True),
)
def put_board(board: str, body: ConfigBody) -> tuple[dict[str, Any], int]:
    """Makes a board; sent again it changes nothing."""
    check_board_id(board)
    config, layout = _config_of(body)
    check_config(config, layout)
    made, is_new = _boards().create(board, config, layout)
    status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return render.board_answer(made), int(status)


@app.get(
    "/api/admin/leaderboards/<board>",
    operation_id="getBoard",
    tags=[ADMIN],
    responses=answers(BoardAnswer, "The board's config and layouts.")
    | refusals(BoardNotFoundError),
)
def get_board(board: str) -> dict[str, Any]:
    """Shows a board."""
    try:
        check_board_id(board)
    except InvalidFieldsError as error:
        raise BoardNotFoundError(board) from error
    return render.board_answer(_boards().get(board))


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


def _config_of(body: ConfigBody) -> tuple[BoardConfig, LayoutSpec]:
    fields = body.model_dump(exclude={"layout", *_SCHEDULE_FIELDS})
    fields |= {
        "score_range": Span(*body.score_range),
        "tie_breakers": tuple(
            TieBreaker(one.name, one.order, Span(*one.range)) for one in body.tie_breakers
        ),
        "schedule": Schedule(
            tuple(
                Season(one.season, one.start, one.end) if isinstance(one, SeasonBody) else one
                for one in body.windows
            ),
            body.time_zone,
            body.retention_days,
            body.grace_seconds,
        ),
    }
    for name, default in (("top_exact", DEFAULT_TOP_EXACT), ("count_limit", DEFAULT_COUNT_LIMIT)):
        if fields[name] is None:
            fields[name] = min(default, body.exact_limit)
    layout = body.layout.model_dump()
    layout["spacing"] = body.layout.spacing or default_spacing(fields["score_range"])
    return BoardConfig(**fields), LayoutSpec(**layout)
