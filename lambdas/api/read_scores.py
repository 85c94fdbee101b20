"""The read function's routes that go between scores and ranks, whoever holds them."""

from fractions import Fraction
from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api import render
from lambdas.api.answers import RanksAnswer, StandingAnswer
from lambdas.api.requests import QueryInteger, RanksBody
from lambdas.api.shapes import answers, refusals
from lambdas.domain.boards import Board
from lambdas.domain.errors import BoardNotFoundError, InvalidFieldsError, WindowNotFoundError
from lambdas.logic.ranks import ranks_of_scores
from lambdas.logic.standing import AtRank, at_percentile, at_rank
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


@router.get(
    "/api/leaderboards/<board>/standing",
    operation_id="getStanding",
    tags=[READ],
    responses=answers(StandingAnswer, "The score there, a range of scores, or nobody.")
    | refusals(BoardNotFoundError, WindowNotFoundError, InvalidFieldsError),
)
def get_standing(
    board: str,
    rank: Annotated[QueryInteger | None, Query(ge=1, le=2**63 - 1)] = None,
    percentile: Annotated[float | None, Query(gt=0, le=100, allow_inf_nan=False)] = None,
    window: Annotated[str | None, Query()] = None,
) -> dict[str, Any]:
    """What stands at a rank, or at a share of the board in percent; exactly one is named."""
    tables: Tables = router.context["tables"]
    found = tables.board(board)
    return render.standing_answer(
        _standing(tables, found, window_of(found, window), rank, percentile)
    )


def _standing(
    tables: Tables, board: Board, window: str, rank: int | None, percentile: float | None
) -> AtRank:
    if rank is not None and percentile is None:
        return at_rank(tables, board, window, rank)
    if percentile is not None and rank is None:
        return at_percentile(tables, board, window, Fraction(str(percentile)))
    raise InvalidFieldsError.of("rank", "Send either a rank or a percentile.")
