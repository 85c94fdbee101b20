"""Sums: what a submission adds to those that stand, and what its ledger item notes of it."""

from collections.abc import Mapping, Sequence

from lambdas.domain.boards import Board
from lambdas.domain.schedules import Target
from lambdas.domain.submissions import Accepted, Outcome
from lambdas.domain.sums import WindowSum, add
from lambdas.domain.windows import Window
from lambdas.store.player_items import Known
from lambdas.store.score_items import entry_of
from lambdas.store.scores import Written, written_over


def added(
    board: Board, accepted: Accepted, known: Known, windows: Sequence[Window]
) -> dict[str, Written]:
    """What a submission makes of each window's sum.

    Raises:
        InvalidFieldsError: a sum would leave the board's range.
    """
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


def noted(targets: Sequence[Target], written: Mapping[str, Written]) -> list[WindowSum]:
    """What the ledger notes, window by window."""
    return [_noted(target, written.get(target.window.name)) for target in targets]


def _noted(target: Target, written: Written | None) -> WindowSum:
    if written is None:
        return WindowSum(target.window.name, Outcome.CLOSED, None)
    return WindowSum(target.window.name, written.outcome, written.entry.score)
