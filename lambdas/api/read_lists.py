"""The read function's routes that answer with a list of entries."""

from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api import render
from lambdas.api.answers import AroundAnswer, FriendsAnswer, TopAnswer
from lambdas.api.asked import Explain, Segment, Window, asked
from lambdas.api.requests import FriendsBody, QueryInteger
from lambdas.api.shapes import answers, refusals
from lambdas.domain.errors import (
    BoardNotFoundError,
    InvalidCursorError,
    InvalidFieldsError,
    PlayerIdError,
    WindowNotFoundError,
)
from lambdas.domain.players import RULE
from lambdas.logic.around import around
from lambdas.logic.friends import friends
from lambdas.logic.top import top
from lambdas.names import READ

router: Final = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]
_HIGHEST_RANK: Final = 2**63 - 1


@router.get(
    "/api/leaderboards/<board>/top",
    operation_id="getTop",
    tags=[READ],
    responses=answers(TopAnswer, "A page of entries, best first.")
    | refusals(BoardNotFoundError, WindowNotFoundError, InvalidCursorError, InvalidFieldsError),
)
def get_top(
    board: str,
    limit: Annotated[QueryInteger, Query(ge=1, le=1_000)] = 100,
    cursor: Annotated[str | None, Query(description="The next_cursor of the page before.")] = None,
    start_rank: Annotated[QueryInteger | None, Query(ge=1, le=_HIGHEST_RANK)] = None,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> dict[str, Any]:
    """The best entries of a window, those after a cursor, or those from a rank on."""
    of = asked(router.context, board, window, segment)
    page = top(*of, limit, cursor=cursor, start_rank=start_rank)
    return of.answer(render.top_answer(page), page.view, page.path, explain=explain)


@router.get(
    "/api/leaderboards/<board>/players/<player_id>/around",
    operation_id="getAround",
    tags=[READ],
    responses=answers(AroundAnswer, "The player's rank and neighbours.")
    | refusals(BoardNotFoundError, WindowNotFoundError, PlayerIdError, InvalidFieldsError),
)
def get_around(
    board: str,
    player_id: Annotated[str, Path(description=RULE)],
    k: Annotated[QueryInteger, Query(ge=0, le=50)] = 5,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> dict[str, Any]:
    """A player's neighbours, `k` ahead and `k` behind; the window shifts at either end."""
    of = asked(router.context, board, window, segment)
    found = around(*of, player_id, k)
    router.context["seen"].standing(found.ranked.standing)
    answer = render.around_answer(found)
    return of.answer(answer, found.ranked.view, found.ranked.path, explain=explain)


@router.post(
    "/api/leaderboards/<board>/friends",
    operation_id="postFriends",
    tags=[READ],
    responses=answers(FriendsAnswer, "The friends, ranked among themselves.")
    | refusals(BoardNotFoundError, WindowNotFoundError, PlayerIdError, takes_body=True),
)
def post_friends(
    board: str, body: FriendsBody, window: Window = None, segment: Segment = None
) -> dict[str, Any]:
    """A player and up to 500 friends, ranked among themselves."""
    of = asked(router.context, board, window, segment)
    return render.friends_answer(friends(*of, body.player_id, body.friend_ids))
