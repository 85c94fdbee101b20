"""What a live board may change, and what it keeps for its life.

Whatever decides where items lie and how they sort is kept: to change it, every item would have to
be written anew. The rest takes effect as caches of the config lapse.
"""

from dataclasses import replace
from typing import Final

from lambdas.domain import schedule_changes
from lambdas.domain.boards import Board, BoardConfig, LayoutSpec, differences
from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.errors import BoardConflictError, VersionConflictError
from lambdas.domain.lives import LAPSE_MS
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
        InvalidFieldsError: its windows cannot change so.
    """
    differing = differences(board, config, spec)
    is_repeat = not differing and version == board.version - 1
    if version not in (None, board.version) and not is_repeat:
        raise VersionConflictError(
            f"Board {board.id} stands at version {board.version}, not {version}."
        )
    kept = [name for name in differing if name in FIXED or name.startswith(_LAYOUT)]
    if not set(board.config.dimensions) <= set(config.dimensions):
        kept.append("dimensions (to which it may only add)")
    if kept:
        raise BoardConflictError(f"Board {board.id} stands with another {', '.join(kept)}.")
    if board.config.entry_ttl_seconds is None and config.entry_ttl_seconds is not None:
        raise BoardConflictError(
            f"Board {board.id} stands without entry_ttl_seconds and cannot get one: its entries are"
            " not in the expiry index. Make another board with it, and import this one's export."
        )
    if not differing:
        return board
    moved = rescheduled(board, config.schedule, now_ms)
    return replace(moved, config=config, version=board.version + 1)


def rescheduled(board: Board, schedule: Schedule, now_ms: int) -> Board:
    """The board with another schedule, in force from when on no function knows the one it had.

    Raises:
        InvalidFieldsError: a live board's windows cannot change so; see `domain/calendars.py`.
    """
    if schedule == board.config.schedule:
        return board
    calendar = Calendar(board.eras or (Era(0, board.config.schedule),))
    eras = schedule_changes.changed(calendar, schedule, now_ms + LAPSE_MS).eras
    config = replace(board.config, schedule=schedule)
    return replace(board, config=config, eras=eras if len(eras) > 1 else ())
