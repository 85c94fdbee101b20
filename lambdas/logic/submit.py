"""A submission: checked, stored in every window that it goes to, then ranked.

One conditional write a window; where sums are added up, or segments are named, one transaction for
all (`logic/together.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lambdas.domain.boards import Board
from lambdas.domain.errors import (
    PartlyStoredError,
    ThrottledError,
    UnavailableError,
    WindowsClosedError,
)
from lambdas.domain.schedules import Target
from lambdas.domain.segments import check_fed
from lambdas.domain.submissions import Accepted, Outcome, Submission, accept
from lambdas.domain.sums import LedgerEntry
from lambdas.logic.rank import Ranked, rank_of_player, rank_of_written
from lambdas.logic.tables import Tables
from lambdas.logic.together import store_together
from lambdas.store.player_items import PlayerItems
from lambdas.store.scores import Written


@dataclass(frozen=True)
class WindowResult:
    """What a submission did to one window.

    Attributes:
        outcome: for a repeat to a board of sums what it was the first time.
        score: that stands, or did after that first time; None for a window closed for good.
        ranked: None if no rank was asked for, or the score was stored and the rank could not
            be read: what is stored is not made to look like a failure.
    """

    outcome: Outcome
    score: int | None = None
    ranked: Ranked | None = None


@dataclass(frozen=True)
class Submitted:
    """What became of a submission.

    Attributes:
        windows: by window, the board's first one first.
        is_duplicate: nothing was stored, for a board of sums knows it.
    """

    windows: dict[str, WindowResult]
    is_duplicate: bool = False


def submit(
    tables: Tables, items: PlayerItems, board: Board, submission: Submission, *, rank: bool
) -> Submitted:
    """Stores a submission in each window it goes to.

    Calling it again with what was stored changes nothing.

    Cost: one read unit to see whether the player is hidden and one `UpdateItem` a window, see
    `Scores.submit`; on a board of sums, or where segments are named, what `store_together` says; a
    rank costs what it costs.

    Raises:
        PlayerIdError, InvalidFieldsError, WindowsClosedError: nothing was stored.
        SubmissionIdReusedError: a board of sums knows the id with another score.
        ThrottledError, UnavailableError: nothing was stored that is known of; send it again.
        PartlyStoredError: some windows hold it; a repeat completes the others.
    """
    accepted = accept(board, submission, tables.now_ms)
    targets = _targets(board, accepted, tables.now_ms)
    if board.config.policy != "sum" and not accepted.segments:
        written = _write(tables, board, accepted, targets)
        return Submitted(_results(tables, board, written, rank=rank))
    stored = store_together(tables, items, board, accepted, targets)
    if stored.noted is None:
        return Submitted(_results(tables, board, stored.written, rank=rank))
    player = accepted.entry.player
    results = _results_of_repeat(tables, board, player, stored.noted, rank=rank)
    return Submitted(results, is_duplicate=True)


def _targets(board: Board, accepted: Accepted, now_ms: int) -> tuple[Target, ...]:
    """The board's own windows, and behind them the segments of each that are named."""
    own = board.schedule.targets(accepted.entry.achieved_at, now_ms)
    parts = [
        Target(segment.of(target.window), target.is_closed)
        for segment in accepted.segments
        for target in own
    ]
    check_fed(sum(not target.is_closed for target in parts))
    return (*own, *parts)


def _write(
    tables: Tables, board: Board, accepted: Accepted, targets: Sequence[Target]
) -> dict[str, Written | None]:
    """Writes the windows that are open, one after the other, the board's first first."""
    if all(target.is_closed for target in targets):
        raise WindowsClosedError(board.id)
    written: dict[str, Written] = {}
    waiting = [target.window for target in targets if not target.is_closed]
    hidden = tables.visibility.is_hidden(board, accepted.entry.player)
    for window in waiting:
        try:
            written[window.name] = tables.scores.submit(
                board, window, accepted, tables.now_ms, hidden=hidden
            )
        except (ThrottledError, UnavailableError) as error:
            if not written:
                raise
            missing = [one.name for one in waiting if one.name not in written]
            raise PartlyStoredError(error, tuple(written), missing) from error
    return {target.window.name: written.get(target.window.name) for target in targets}


def _results(
    tables: Tables, board: Board, written: Mapping[str, Written | None], *, rank: bool
) -> dict[str, WindowResult]:
    results: dict[str, WindowResult] = {}
    for window, stored in written.items():
        if stored is None:
            results[window] = WindowResult(Outcome.CLOSED)
            continue
        find = partial(rank_of_written, tables, board, window, stored)
        ranked = _rank(find) if rank else None
        results[window] = WindowResult(stored.outcome, stored.entry.score, ranked)
    return results


def _results_of_repeat(
    tables: Tables, board: Board, player: str, noted: LedgerEntry, *, rank: bool
) -> dict[str, WindowResult]:
    """What the ledger noted, with the ranks that the player has by now."""
    results: dict[str, WindowResult] = {}
    for window, outcome, score in noted.results:
        find = partial(rank_of_player, tables, board, window, player, consistent=True)
        ranked = _rank(find) if rank and score is not None else None
        results[window] = WindowResult(outcome, score, ranked)
    return results


def _rank(find: Callable[[], Ranked]) -> Ranked | None:
    try:
        return find()
    except (ThrottledError, UnavailableError):
        return None
