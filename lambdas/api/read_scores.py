"""The read function's routes that go between scores and ranks, whoever holds them."""

from fractions import Fraction
from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api import render
from lambdas.api.answers import RanksAnswer, StandingAnswer
from lambdas.api.asked import Asked, Explain, Segment, Window, asked
from lambdas.api.requests import QueryInteger, RanksBody
from lambdas.api.shapes import answers, refusals
from lambdas.domain.errors import BoardNotFoundError, InvalidFieldsError, WindowNotFoundError
from lambdas.logic.ranks import ranks_of_scores
from lambdas.logic.standing import AtRank, at_percentile, at_rank
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
    board: str,
    body: RanksBody,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> dict[str, Any]:
    """The ranks that up to 100 scores would have, held by anyone or not."""
    of = asked(router.context, board, window, segment)
    found = ranks_of_scores(*of, body.scores)
    for standing in found.standings.values():
        router.context["seen"].standing(standing)
    return of.answer(render.ranks_answer(body.scores, found), found.view, "", explain=explain)


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
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> dict[str, Any]:
    """What stands at a rank, or at a share of the board in percent; exactly one is named."""
    of = asked(router.context, board, window, segment)
    found = _standing(of, rank, percentile)
    return of.answer(render.standing_answer(found), found.view, found.path, explain=explain)


def _standing(of: Asked, rank: int | None, percentile: float | None) -> AtRank:
    if rank is not None and percentile is None:
        return at_rank(*of, rank)
    if percentile is not None and rank is None:
        return at_percentile(*of, Fraction(str(percentile)))
    raise InvalidFieldsError.of("rank", "Send either a rank or a percentile.")
