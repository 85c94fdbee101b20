"""Cursors: where a page of a list ended, as a text that callers hand back unread.

A cursor holds the last rank key and the rank it had, bound to the board, its life and the window:
it survives a change of layout, and is refused where it would page through another list.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.errors import InvalidCursorError

_LONGEST: Final = 4_096  # characters; the longest player id makes some 2,100 of them
_HIGHEST_RANK: Final = 2**63 - 1


@dataclass(frozen=True)
class Cursor:
    """The end of a page.

    Attributes:
        rank_key: the index key of the page's last entry.
        place: the place of that entry in the list, from 1.
        rank: its rank: the place, or that of the first entry it shares its rank with.
    """

    rank_key: str
    place: int
    rank: int


def encode(cursor: Cursor, board: Board, window: str) -> str:
    """A cursor as URL-safe text, without padding."""
    return packed(
        [board.id, board.first_layout, window, cursor.rank_key, cursor.place, cursor.rank]
    )


def decode(text: str, board: Board, window: str) -> Cursor:
    """The inverse of `encode`, for the same board, life and window.

    Raises:
        InvalidCursorError: garbled, or of another list; the error says which.
    """
    board_id, life, its_window, rank_key, place, rank = _parts(text)
    if board_id != board.id:
        raise InvalidCursorError("The cursor is of another board.")
    if life != board.first_layout:
        raise InvalidCursorError("The cursor is of a board that was deleted and made again.")
    if its_window != window:
        raise InvalidCursorError("The cursor is of another window.")
    return Cursor(rank_key, place, rank)


def garbled() -> InvalidCursorError:
    """The error for a text that no page ever ended with."""
    return InvalidCursorError("The cursor is garbled; send back a next_cursor unchanged.")


def packed(held: list[str | int]) -> str:
    """The parts of any cursor as URL-safe text, without padding."""
    return urlsafe_b64encode(json.dumps(held).encode()).decode().rstrip("=")


def unpacked(text: str, kinds: list[Any]) -> list[Any]:
    """The inverse of `packed`, for parts of these very types.

    Raises:
        InvalidCursorError: garbled.
    """
    if len(text) > _LONGEST:
        raise garbled()
    try:
        held = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError) as error:
        raise garbled() from error
    if not isinstance(held, list) or [type(part) for part in held] != kinds:
        raise garbled()
    return held


def _parts(text: str) -> tuple[str, int, str, str, int, int]:
    board, life, window, rank_key, place, rank = unpacked(text, [str, int, str, str, int, int])
    if not 1 <= rank <= place <= _HIGHEST_RANK:
        raise garbled()
    return board, life, window, rank_key, place, rank
