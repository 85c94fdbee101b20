"""A submission: checked, stored in every window by one conditional write each, then ranked."""

from collections.abc import Sequence
from dataclasses import dataclass

from lambdas.domain.boards import Board
from lambdas.domain.errors import (
    PartlyStoredError,
    ThrottledError,
    UnavailableError,
    WindowsClosedError,
)
from lambdas.domain.schedules import Target
from lambdas.domain.submissions import Accepted, Submission, accept
from lambdas.domain.windows import Window
from lambdas.logic.rank import Ranked, rank_of_written
from lambdas.logic.tables import Tables
from lambdas.store.scores import Written


@dataclass(frozen=True)
class WindowResult:
    """What a submission did to one window.

    Attributes:
        written: None for a window that is closed for good.
        ranked: None if no rank was asked for, or the score was stored and the rank could not
            be read: what is stored is not made to look like a failure.
    """

    written: Written | None
    ranked: Ranked | None = None


def submit(
    tables: Tables, board: Board, submission: Submission, *, rank: bool
) -> dict[str, WindowResult]:
    """Stores a submission in each window it goes to; the result is by window, the first one first.

    Calling it again with what was stored changes nothing.

    Cost: one `UpdateItem` a window, see `Scores.submit_best`; a rank costs what it costs.

    Raises:
        PlayerIdError, InvalidFieldsError, WindowsClosedError: nothing was stored.
        ThrottledError, UnavailableError: nothing was stored that is known of; send it again.
        PartlyStoredError: some windows hold it; a repeat completes the others.
    """
    accepted = accept(board, submission, tables.now_ms)
    targets = board.schedule.targets(accepted.entry.achieved_at, tables.now_ms)
    if all(target.is_closed for target in targets):
        raise WindowsClosedError(board.id)
    written = _write(tables, board, accepted, targets)
    return {
        target.window.name: _result(tables, board, target.window, written, rank=rank)
        for target in targets
    }


def _write(
    tables: Tables, board: Board, accepted: Accepted, targets: Sequence[Target]
) -> dict[str, Written]:
    """Writes the windows that are open, one after the other, the board's first first."""
    written: dict[str, Written] = {}
    waiting = [target.window for target in targets if not target.is_closed]
    for window in waiting:
        try:
            written[window.name] = tables.scores.submit(board, window, accepted)
        except (ThrottledError, UnavailableError) as error:
            if not written:
                raise
            missing = [one.name for one in waiting if one.name not in written]
            raise PartlyStoredError(error, tuple(written), missing) from error
    return written


def _result(
    tables: Tables, board: Board, window: Window, written: dict[str, Written], *, rank: bool
) -> WindowResult:
    stored = written.get(window.name)
    if stored is None or not rank:
        return WindowResult(stored)
    return WindowResult(stored, _rank(tables, board, window.name, stored))


def _rank(tables: Tables, board: Board, window: str, written: Written) -> Ranked | None:
    try:
        return rank_of_written(tables, board, window, written)
    except (ThrottledError, UnavailableError):
        return None
