"""The read function's routes about a board as a whole."""

from typing import Any, Final

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api import render
from lambdas.api.answers import DistributionAnswer
from lambdas.api.asked import Explain, Segment, Window, asked
from lambdas.api.board_answers import BoardInfoAnswer
from lambdas.api.shapes import answers, refusals
from lambdas.domain.errors import BoardNotFoundError, InvalidFieldsError, WindowNotFoundError
from lambdas.logic.distribution import distribution
from lambdas.logic.tables import Tables
from lambdas.logic.window_infos import window_infos
from lambdas.names import READ

router: Final = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]


@router.get(
    "/api/leaderboards/<board>",
    operation_id="getBoardInfo",
    tags=[READ],
    responses=answers(BoardInfoAnswer, "The board.") | refusals(BoardNotFoundError),
)
def get_board_info(board: str) -> dict[str, Any]:
    """What players may know of a board: how it ranks, its windows and how many play."""
    tables: Tables = router.context["tables"]
    found = tables.board(board)
    return render.board_info_answer(found, window_infos(tables, found))


@router.get(
    "/api/leaderboards/<board>/distribution",
    operation_id="getDistribution",
    tags=[READ],
    responses=answers(DistributionAnswer, "The players by score.")
    | refusals(BoardNotFoundError, WindowNotFoundError, InvalidFieldsError),
)
def get_distribution(
    board: str, window: Window = None, segment: Segment = None, explain: Explain = False
) -> dict[str, Any]:
    """Population, occupied buckets and quantiles of a window."""
    of = asked(router.context, board, window, segment)
    found = distribution(*of)
    return of.answer(render.distribution_answer(found), found.view, "", explain=explain)
