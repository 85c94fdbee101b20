"""A submission: checked, stored in every window by one conditional write each, then ranked."""

from dataclasses import dataclass

from lambdas.domain.boards import Board
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.submissions import Submission, accept
from lambdas.logic.rank import Ranked, rank_of_written
from lambdas.logic.tables import Tables
from lambdas.store.scores import Written


@dataclass(frozen=True)
class WindowResult:
    """What a submission did to one window.

    Attributes:
        ranked: None if no rank was asked for, or the score was stored and the rank could not
            be read: what is stored is not made to look like a failure.
    """

    written: Written
    ranked: Ranked | None


def submit(
    tables: Tables, board: Board, submission: Submission, now_ms: int, *, rank: bool
) -> dict[str, WindowResult]:
    """Stores a submission in each of the board's windows; the result is by window.

    Calling it again with what was stored changes nothing.

    Cost: one `UpdateItem` a window, see `Scores.submit_best`; a rank costs what it costs.

    Raises:
        PlayerIdError, InvalidFieldsError: nothing was stored.
        ThrottledError, UnavailableError: a repeat completes what was not stored.
    """
    accepted = accept(board, submission, now_ms)
    results = {}
    for window in board.config.windows:
        written = tables.scores.submit_best(board, window, accepted)
        ranked = _rank(tables, board, window, written) if rank else None
        results[window] = WindowResult(written, ranked)
    return results


def _rank(tables: Tables, board: Board, window: str, written: Written) -> Ranked | None:
    try:
        return rank_of_written(tables, board, window, written)
    except (ThrottledError, UnavailableError):
        return None
