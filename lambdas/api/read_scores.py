"""The read function's routes that go between scores and ranks, whoever holds them."""

from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api import render
from lambdas.api.models import RanksAnswer, RanksBody
from lambdas.api.shapes import answers, refusals
from lambdas.domain.errors import BoardNotFoundError, WindowNotFoundError
from lambdas.logic.ranks import ranks_of_scores
from lambdas.logic.tables import Tables, window_of
from lambdas.names import READ

router: Final = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]


@router.post(
    "/api/leaderboards/<board>/ranks",
    operation_id="postRanks",
    tags=[READ],
    responses=answers(RanksAnswer, "One rank a score, in order.")
    | refusals(BoardNotFoundError, WindowNotFoundError, takes_body=True),
)
def post_ranks(
    board: str, body: RanksBody, window: Annotated[str | None, Query()] = None
) -> dict[str, Any]:
    """The ranks that up to 100 scores would have, held by anyone or not."""
    tables: Tables = router.context["tables"]
    found = tables.board(board)
    name = window_of(found, window)
    return render.ranks_answer(name, body.scores, ranks_of_scores(tables, found, name, body.scores))
