"""The read function: ranks and lists, the API's own document, and what no route serves."""

import os
from typing import Annotated, Any

import boto3
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas.api import document, read_boards, read_lists, read_scores, render
from lambdas.api.answers import RankAnswer
from lambdas.api.asked import Explain, Segment, Window, asked
from lambdas.api.bodies import JSON_TYPE
from lambdas.api.resolver import TallyResolver
from lambdas.api.serving import serve
from lambdas.api.shapes import answers, refusals
from lambdas.domain.errors import (
    BoardNotFoundError,
    InvalidFieldsError,
    PlayerIdError,
    WindowNotFoundError,
)
from lambdas.domain.players import RULE
from lambdas.logic.rank import rank_of_player
from lambdas.logic.tables import Connection
from lambdas.names import READ
from lambdas.observability import make_logger
from lambdas.settings import HttpSettings, read_settings
from lambdas.store.dynamo import CLIENT_CONFIG

logger = make_logger(READ)
app = TallyResolver(logger)
for part in (read_boards, read_lists, read_scores):
    app.include_router(part.router)
connection = Connection(
    boto3.client("dynamodb", config=CLIENT_CONFIG), read_settings(HttpSettings, os.environ)
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answers one HTTP API event."""
    tables = connection.tables()
    return serve(app, logger, event, context, function=READ, meter=tables.meter, tables=tables)


@app.get(
    "/api/leaderboards/<board>/players/<player_id>/rank",
    operation_id="getRank",
    tags=[READ],
    responses=answers(RankAnswer, "The rank: exact, a range, or none.")
    | refusals(BoardNotFoundError, WindowNotFoundError, PlayerIdError, InvalidFieldsError),
)
def get_rank(
    board: str,
    player_id: Annotated[str, Path(description=RULE)],
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
    consistent: Annotated[bool, Query()] = False,
) -> dict[str, Any]:
    """Where a player stands; `explain=true` says how that was found and what it consumed."""
    of = asked(app.context, board, window, segment)
    ranked = rank_of_player(*of, player_id, consistent=consistent)
    app.context["seen"].standing(ranked.standing)
    return of.answer(render.rank_answer(ranked), ranked.view, ranked.path, explain=explain)


@app.get("/api/openapi.json", include_in_schema=False)
def get_document() -> Response[str]:
    """The OpenAPI document of all the functions."""
    return Response(status_code=200, content_type=JSON_TYPE, body=document.served())


@app.get("/api/docs", include_in_schema=False)
def get_docs() -> Response[str]:
    """The document as a page to browse; the page itself links to it as `?format=json`."""
    if app.current_event.query_string_parameters.get("format") == "json":
        return get_document()
    return Response(status_code=200, content_type="text/html; charset=utf-8", body=document.page())
