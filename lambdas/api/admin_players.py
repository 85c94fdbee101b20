"""The admin function's routes for a player of a board: out of it, hidden, or shown again."""

from http import HTTPStatus
from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api.requests import VisibilityBody
from lambdas.api.shapes import no_content, refusals
from lambdas.domain.errors import BoardNotFoundError, PlayerIdError
from lambdas.domain.players import RULE
from lambdas.logic.visibility import Moderation
from lambdas.names import ADMIN

router: Final = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]


@router.delete(
    "/api/admin/leaderboards/<board>/players/<player_id>",
    operation_id="removePlayer",
    tags=[ADMIN],
    responses=no_content("Out of every window, now or before.")
    | refusals(BoardNotFoundError, PlayerIdError),
)
def remove_player(board: str, player_id: Annotated[str, Path(description=RULE)]) -> Response[str]:
    """Removes a player from every window of a board; sent again it changes nothing."""
    _moderation().remove(board, player_id)
    return Response(status_code=int(HTTPStatus.NO_CONTENT), body="")


@router.put(
    "/api/admin/leaderboards/<board>/players/<player_id>/visibility",
    operation_id="putVisibility",
    tags=[ADMIN],
    responses=no_content("The player is hidden or shown as asked, now or before.")
    | refusals(BoardNotFoundError, PlayerIdError, takes_body=True),
)
def put_visibility(
    board: str, player_id: Annotated[str, Path(description=RULE)], body: VisibilityBody
) -> Response[str]:
    """Takes a player out of a board's lists and counts, in windows to come too, or back in."""
    _moderation().set_hidden(board, player_id, hidden=body.hidden)
    return Response(status_code=int(HTTPStatus.NO_CONTENT), body="")


def _moderation() -> Moderation:
    moderation: Moderation = router.context["moderation"]
    return moderation
