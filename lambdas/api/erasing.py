"""The admin function's routes about all that is stored of a player."""

from http import HTTPStatus
from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api.player_answers import HoldingsAnswer
from lambdas.api.shapes import answers, refusals
from lambdas.domain import erasures
from lambdas.domain.erasures import START, Purpose
from lambdas.domain.errors import InvalidCursorError, PlayerIdError
from lambdas.domain.players import RULE, check_player_id
from lambdas.logic.erasure import Erasure, Looked
from lambdas.logic.held import OnBoard
from lambdas.names import ADMIN

router: Final = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]
PlayerInPath = Annotated[str, Path(description=RULE)]
Cursor = Annotated[str | None, Query(description="The next_cursor of the answer before.")]


@router.get(
    "/api/admin/players/<player_id>",
    operation_id="showPlayer",
    tags=[ADMIN],
    responses=answers(HoldingsAnswer, "What there is, as far as one call came.")
    | refusals(PlayerIdError, InvalidCursorError),
)
def show_player(player_id: PlayerInPath, cursor: Cursor = None) -> dict[str, Any]:
    """What is stored of a player, on every board and in every window."""
    return _answer(_looked(player_id, Purpose.SHOW, cursor), Purpose.SHOW)


@router.delete(
    "/api/admin/players/<player_id>",
    operation_id="erasePlayer",
    tags=[ADMIN],
    responses=answers(HoldingsAnswer, "What was removed; nothing is left.")
    | answers(HoldingsAnswer, "What was removed so far; send next_cursor.", HTTPStatus.ACCEPTED)
    | refusals(PlayerIdError, InvalidCursorError),
)
def erase_player(player_id: PlayerInPath, cursor: Cursor = None) -> tuple[dict[str, Any], int]:
    """Erases a player from every board and window; sent again it removes what came since."""
    looked = _looked(player_id, Purpose.ERASE, cursor)
    status = HTTPStatus.OK if looked.position is None else HTTPStatus.ACCEPTED
    return _answer(looked, Purpose.ERASE), int(status)


def _looked(player_id: str, purpose: Purpose, cursor: str | None) -> Looked:
    erasure: Erasure = router.context["erasure"]
    player = check_player_id(player_id)
    start = START if cursor is None else erasures.decode(cursor, player, purpose)
    return erasure.look(player, purpose, start)


def _answer(looked: Looked, purpose: Purpose) -> dict[str, Any]:
    position = looked.position
    return {
        "player_id": looked.player,
        "boards": [_on_board(one) for one in looked.boards],
        "next_cursor": position and erasures.encode(position, looked.player, purpose),
    }


def _on_board(found: OnBoard) -> dict[str, Any]:
    windows = [
        {
            "window": one.window,
            "score": one.score,
            "achieved_at": one.achieved_at,
            "hidden": one.is_hidden,
            "former_life": one.is_of_former_life,
        }
        for one in sorted(found.scores)
    ]
    return {
        "board": found.board,
        "deleted": found.is_deleted,
        "windows": windows,
        "ledger_items": len(found.ledger),
        "visibility_kept": found.has_flag,
    }
