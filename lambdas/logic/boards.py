"""Boards made, changed and deleted: read, judged by the domain, written over what was read."""

from dataclasses import dataclass

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec, differences
from lambdas.domain.changes import changed
from lambdas.domain.errors import VersionConflictError
from lambdas.domain.lives import Tombstone, first_life, next_life
from lambdas.store.boards import Boards


@dataclass(frozen=True)
class Wanted:
    """A board as somebody wants it to stand.

    Attributes:
        version: the version the wish was made from; None for whichever stands, or none.
    """

    board: str
    config: BoardConfig
    layout: LayoutSpec
    version: int | None = None


def put_board(boards: Boards, wanted: Wanted, now_ms: int) -> tuple[Board, bool]:
    """Makes a board, makes a deleted one again or changes a live one; says whether it was made.

    Calling twice changes nothing more.

    Cost: one consistent read, and one conditional put where anything changes.

    Raises:
        BoardConflictError: it stands, and differs in what a live board keeps.
        VersionConflictError: another version stands, or somebody else wrote meanwhile.
        BoardDeletedLatelyError: it cannot be made again yet.
        ThrottledError, UnavailableError: try again; it may have been written already.
    """
    standing = boards.find(wanted.board)
    if not isinstance(standing, Board):
        return _make(boards, wanted, standing, now_ms)
    board = changed(standing, wanted.config, wanted.layout, wanted.version, now_ms)
    if board != standing:
        boards.write(board, standing.version)
    return board, False


def _make(
    boards: Boards, wanted: Wanted, grave: Tombstone | None, now_ms: int
) -> tuple[Board, bool]:
    if wanted.version is not None:
        raise VersionConflictError(
            f"There is no board {wanted.board} of version {wanted.version} to change."
        )
    if grave is None:
        board = first_life(wanted.board, wanted.config, wanted.layout, now_ms)
    else:
        board = next_life(grave, wanted.config, wanted.layout, now_ms)
    try:
        boards.write(board, None if grave is None else grave.board.version)
    except VersionConflictError:
        made = boards.find(wanted.board)  # by another call at once, maybe the very same
        if isinstance(made, Board) and not differences(made, wanted.config, wanted.layout):
            return made, False
        raise
    return board, True
