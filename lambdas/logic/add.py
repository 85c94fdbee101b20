"""A submission to a board of sums: read, added up, stored in one transaction; again on a conflict.

The transaction is conditional on all that was read, so what it stores follows from what stands.
Who comes second reads anew after a random wait; a repeat then finds its own submission.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from lambdas.domain.boards import Board
from lambdas.domain.errors import SubmissionIdReusedError, ThrottledError, WindowsClosedError
from lambdas.domain.schedules import Target
from lambdas.domain.submissions import Accepted, Outcome
from lambdas.domain.sums import LedgerEntry, WindowSum, add
from lambdas.domain.windows import Window
from lambdas.logic.retrying import Retrying
from lambdas.logic.tables import Tables
from lambdas.store.ledger import Known, Ledger
from lambdas.store.score_items import entry_of
from lambdas.store.scores import Written, written_over


@dataclass(frozen=True)
class Added:
    """What became of it.

    Attributes:
        written: by window, in the board's order; None for a closed one.
        noted: what became of it the first time, for a repeat; then nothing was written.
    """

    written: dict[str, Written | None]
    noted: LedgerEntry | None = None


def add_to_windows(
    tables: Tables,
    ledger: Ledger,
    board: Board,
    accepted: Accepted,
    targets: Sequence[Target],
) -> Added:
    """Adds a submission to the sum of each window it goes to, once.

    Cost: one `BatchGetItem` and one `TransactWriteItems`, each once more a conflict.

    Raises:
        SubmissionIdReusedError: the id stands for another score.
        WindowsClosedError, InvalidFieldsError: nothing was stored.
        ThrottledError: nothing was stored, up to the deadline; send it again.
        UnavailableError: it may have been stored; sent again it is not added twice.
    """
    retrying = Retrying(tables.retry_until, passing=(ThrottledError,))
    return retrying.run(partial(_try, tables, ledger, board, accepted, targets))


def _try(
    tables: Tables, ledger: Ledger, board: Board, accepted: Accepted, targets: Sequence[Target]
) -> Added:
    windows = [target.window for target in targets if not target.is_closed]
    known = ledger.read(board, accepted, windows, tables.now_ms)
    if known.noted:
        if known.noted.score != accepted.entry.score:
            raise SubmissionIdReusedError(accepted.submission_id)
        return Added({}, known.noted)
    if not windows:
        raise WindowsClosedError(board.id)
    written = _sums(board, accepted, known, windows)
    results = [_result(target, written) for target in targets]
    sums = {window: written[window.name].entry for window in windows}
    ledger.add(board, accepted, known, sums, results, tables.now_ms)
    return Added({one.window: written.get(one.window) for one in results})


def _sums(
    board: Board, accepted: Accepted, known: Known, windows: Sequence[Window]
) -> dict[str, Written]:
    items = {window.name: known.standing(board, window.name) for window in windows}
    standing = {name: entry_of(item) if item else None for name, item in items.items()}
    sums = add(board, accepted.entry, standing)
    return {
        name: written_over(
            Outcome.ADDED if item else Outcome.NEW,
            sums[name],
            known.counted(board, name),
            hidden=known.hidden,
        )
        for name, item in items.items()
    }


def _result(target: Target, written: dict[str, Written]) -> WindowSum:
    window = target.window.name
    if target.is_closed:
        return WindowSum(window, Outcome.CLOSED, None)
    return WindowSum(window, written[window].outcome, written[window].entry.score)
