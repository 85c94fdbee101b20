"""What a live board may change, and what it keeps for its life.

Whatever decides where items lie and how they sort is kept: to change it, every item would have to
be written anew. The rest takes effect as caches of the config lapse.
"""

from dataclasses import replace
from typing import Final

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec, Past, Tenure, differences
from lambdas.domain.errors import BoardConflictError, VersionConflictError
from lambdas.domain.schedules import Schedule

FIXED: Final = frozenset({"policy", "order", "score_range", "tie_breakers", "ties"})
_LAYOUT: Final = "layout."


def changed(
    board: Board, config: BoardConfig, spec: LayoutSpec, version: int | None, now_ms: int
) -> Board:
    """The board with a wanted config; the very same board if it has that config.

    Args:
        version: the version the change was made from; None for whichever stands. A change sent
            again, its reply lost, names the version before its own and changes nothing more.

    Raises:
        VersionConflictError: another version stands.
        BoardConflictError: naming every field that a live board keeps.
    """
    differing = differences(board, config, spec)
    is_repeat = not differing and version == board.version - 1
    if version not in (None, board.version) and not is_repeat:
        raise VersionConflictError(
            f"Board {board.id} stands at version {board.version}, not {version}."
        )
    kept = [name for name in differing if name in FIXED or name.startswith(_LAYOUT)]
    if kept:
        raise BoardConflictError(f"Board {board.id} stands with another {', '.join(kept)}.")
    if not differing:
        return board
    moved = rescheduled(board, config.schedule, now_ms)
    return replace(moved, config=config, version=board.version + 1)


def rescheduled(board: Board, schedule: Schedule, now_ms: int) -> Board:
    """The board with another schedule; the windows of the one it had stay known to its sweep."""
    had = board.schedule
    if schedule == had:
        return board
    # Several changes to and fro are one tenure, so that the config item does not grow with them.
    others = tuple(
        one for one in board.past.tenures if (one.schedule, one.since_ms) != (had, board.made_at)
    )
    tenures = (*others, Tenure(had, board.made_at, now_ms))
    config = replace(board.config, schedule=schedule)
    return replace(board, config=config, past=Past(tenures, board.past.layouts))
