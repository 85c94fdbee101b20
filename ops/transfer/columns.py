"""Which columns a file of entries has: those of every board, and the board's tie-breakers."""

from collections.abc import Sequence
from typing import Final

from lambdas.domain.boards import Board
from ops.transfer.errors import TransferUsageError

PLAYER: Final = "player_id"
SCORE: Final = "score"
ACHIEVED_AT: Final = "achieved_at"
METADATA: Final = "metadata"
RANK: Final = "rank"
_PLAYER_TOO: Final = "player"
_TIE_BREAKERS: Final = "tie_breakers."
_OWN: Final = {
    PLAYER: PLAYER,
    _PLAYER_TOO: PLAYER,
    SCORE: SCORE,
    ACHIEVED_AT: ACHIEVED_AT,
    METADATA: METADATA,
    RANK: None,  # it follows from all the others
}


def tie_breaker_column(name: str) -> str:
    """The column of a tie-breaker: its name, or `tie_breakers.NAME` where that is taken."""
    return f"{_TIE_BREAKERS}{name}" if name in _OWN else name


class Columns:
    """The columns that a file for one board may have.

    Attributes:
        tie_breakers: The board's tie-breakers by their columns.
        ignore_unknown: Whether other columns are passed over.
    """

    def __init__(self, board: Board, *, ignore_unknown: bool = False) -> None:
        """Take the columns of a board."""
        names = (one.name for one in board.config.tie_breakers)
        self.tie_breakers = {tie_breaker_column(name): name for name in names}
        self.ignore_unknown = ignore_unknown
        self._fields = {**_OWN, **{column: column for column in self.tie_breakers}}

    def field(self, column: str) -> str | None:
        """What a column holds; None for one that is passed over.

        Raises:
            KeyError: The board has no such column.
        """
        return self._fields.get(column) if self.ignore_unknown else self._fields[column]

    def of_header(self, header: Sequence[str]) -> list[str | None]:
        """What each column of a header holds; None for those passed over.

        Raises:
            TransferUsageError: Columns are unknown, missing or there twice.
        """
        names = [name.strip() for name in header]
        unknown = [name for name in names if name not in self._fields]
        if unknown and not self.ignore_unknown:
            raise TransferUsageError(
                f"The header has columns that the board does not: {_listed(unknown)}. It may have "
                f"{_listed(list(self._fields))}; --ignore-unknown passes over all others."
            )
        fields = [self.field(name) for name in names]
        given = [field for field in fields if field is not None]
        if twice := sorted({field for field in given if given.count(field) > 1}):
            raise TransferUsageError(f"The header has columns twice: {_listed(twice)}.")
        required = (PLAYER, SCORE, *self.tie_breakers)
        if missing := [field for field in required if field not in given]:
            raise TransferUsageError(
                f"The header lacks columns: {_listed(missing)}. Its first line must name them."
            )
        return fields


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:40] or "(no name)" for name in names[:20])
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")
