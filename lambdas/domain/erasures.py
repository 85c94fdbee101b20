"""How far a look through all that is stored of a player has come, as a text to go on from.

A look goes through the boards by id, and on each through its windows by name, the ledger, and the
visibility flag. A cursor is bound to the player and to what the look is for: one that only looked
would otherwise let an erasure pass over what is there.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from lambdas.domain import cursors
from lambdas.domain.errors import InvalidCursorError
from lambdas.domain.submissions import MAX_SUBMISSION_ID_BYTES


class Purpose(StrEnum):
    """What a player's items are looked for."""

    SHOW = "show"
    ERASE = "erase"


class Part(StrEnum):
    """Where a board may hold something of a player, in the order of the look."""

    WINDOWS = "windows"
    LEDGER = "ledger"
    FLAG = "flag"


class Position(NamedTuple):
    """Where a look goes on.

    Attributes:
        board: everything on boards of smaller ids is done.
        part: and so are the board's parts before this one.
        after: of the part, what is done: a window, or a submission's id; empty for nothing.
    """

    board: str = ""
    part: Part = Part.WINDOWS
    after: str = ""


START: Final = Position()


def encode(position: Position, player: str, purpose: Purpose) -> str:
    """A position as URL-safe text, without padding."""
    return cursors.packed([purpose, player, *position])


def decode(text: str, player: str, purpose: Purpose) -> Position:
    """The inverse of `encode`, for the same player and purpose.

    Raises:
        InvalidCursorError: garbled, or of another list; the error says which.
    """
    its_purpose, its_player, board, part, after = cursors.unpacked(text, [str] * 5)
    if its_purpose not in [*Purpose] or part not in [*Part] or not _can_be(part, after):
        raise cursors.garbled()
    if its_player != player:
        raise InvalidCursorError("The cursor is of another player.")
    if its_purpose != purpose:
        raise InvalidCursorError("The cursor is of another request: one shows, the other erases.")
    return Position(board, Part(part), after)


def _can_be(part: str, after: str) -> bool:
    """Whether a text can be the last one done of a part: DynamoDB refuses a key that is none."""
    try:
        size = len(after.encode())
    except UnicodeEncodeError:
        return False
    return part != Part.LEDGER or size <= MAX_SUBMISSION_ID_BYTES
