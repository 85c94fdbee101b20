"""A submission stored in one transaction: read, decided, written; again on a conflict.

The transaction is conditional on all that was read, so what it stores follows from what stands.
Who comes second reads anew after a random wait; a repeat then finds its own submission.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lambdas.domain.boards import Board
from lambdas.domain.errors import SubmissionIdReusedError, ThrottledError, WindowsClosedError
from lambdas.domain.schedules import Target
from lambdas.domain.segments import is_segment, moved
from lambdas.domain.submissions import Accepted
from lambdas.domain.sums import LedgerEntry
from lambdas.domain.windows import Window
from lambdas.logic.add import added, noted
from lambdas.logic.retrying import Retrying
from lambdas.logic.tables import Tables
from lambdas.store.player_items import Changes, Known, PlayerItems
from lambdas.store.scores import Written, decide


@dataclass(frozen=True)
class Stored:
    """What became of it.

    Attributes:
        written: by window, in the board's order; None for a closed one.
        noted: what became of it the first time, for a repeat to a board of sums; then nothing
            was written.
    """

    written: dict[str, Written | None]
    noted: LedgerEntry | None = None


def store_together(
    tables: Tables,
    items: PlayerItems,
    board: Board,
    accepted: Accepted,
    targets: Sequence[Target],
) -> Stored:
    """Stores a submission in each window it goes to, or in none; a sum is added once.

    Cost: one `BatchGetItem` and one `TransactWriteItems`, each once more a conflict. Nothing is
    written where nothing changes. A segment's first result in a container notes the segment.

    Raises:
        SubmissionIdReusedError: the ledger knows the id with another score.
        InvalidFieldsError: a sum would leave the board's range; nothing was stored.
        WindowsClosedError: no window takes results now; nothing was stored.
        ConflictError, ThrottledError: still so after `RETRY_SECONDS`; nothing was stored.
        UnavailableError: it may have been stored; sent again it changes nothing more.
    """
    retrying = Retrying(tables.retry_until, passing=(ThrottledError,))
    return retrying.run(partial(_try, tables, items, board, accepted, targets))


def _try(
    tables: Tables, items: PlayerItems, board: Board, accepted: Accepted, targets: Sequence[Target]
) -> Stored:
    windows = [target.window for target in targets if not target.is_closed]
    known = items.read(board, accepted, windows, tables.now_ms)
    if known.noted:
        if known.noted.score != accepted.entry.score:
            raise SubmissionIdReusedError(accepted.submission_id)
        return Stored({}, known.noted)
    if not windows:
        raise WindowsClosedError(board.id)
    written, changes = _changes(board, accepted, known, targets, windows)
    if changes:
        for segment in accepted.segments:
            tables.segments.make_known(board, segment)
        items.write(board, accepted, known, changes, tables.now_ms)
    return Stored({one.window.name: written.get(one.window.name) for one in targets})


def _changes(
    board: Board,
    accepted: Accepted,
    known: Known,
    targets: Sequence[Target],
    windows: Sequence[Window],
) -> tuple[Mapping[str, Written], Changes | None]:
    """What becomes of each window, and what has to be written for it, if anything."""
    segments, left = _segments(board, accepted, known, windows)
    if board.config.policy == "sum":
        written = added(board, accepted, known, windows)
        entries = {window: written[window.name].entry for window in windows}
        return written, Changes(entries, segments, left, noted(targets, written))
    decided = {
        one: decide(
            board,
            accepted,
            known.counted(board, one.name),
            known.cutoff,
            hidden=known.hidden,
        )
        for one in windows
    }
    entries = {window: one.entry for window, (one, is_changed) in decided.items() if is_changed}
    moves = any(now != known.segments(one.name) for one, now in segments.items())
    changes = Changes(entries, segments, left) if entries or moves else None
    return {window.name: one for window, (one, _) in decided.items()}, changes


def _segments(
    board: Board, accepted: Accepted, known: Known, windows: Sequence[Window]
) -> tuple[dict[Window, dict[str, str]], list[str]]:
    """The segments that the player will be in, by window, and the names of those left."""
    if not accepted.segments:
        return {}, []
    will_be = dict[Window, dict[str, str]]()
    left = list[str]()
    for window in windows:
        if is_segment(window):
            continue
        standing = known.segments(window.name)
        will_be[window], leaving = moved(standing, accepted.segments, board.config.dimensions)
        left += [segment.name_in(window.name) for segment in leaving]
    return will_be, left
