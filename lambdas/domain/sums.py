"""Sums: what a submission adds to a player's entries, and what the ledger remembers of it.

A sum is not idempotent by its condition, as a best score is. So each submission has an id, and the
ledger keeps what became of it: a repeat is answered from there and adds nothing, however late it
comes and whatever windows are open by then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from lambdas.domain.errors import FieldProblem, InvalidFieldsError
from lambdas.domain.schedules import Schedule
from lambdas.domain.submissions import Outcome

LEAST_KEPT_SECONDS: Final = 48 * 3_600


class WindowSum(NamedTuple):
    """What a submission did to one window: `new`, `added` or `closed`.

    Attributes:
        score: the sum that came of it; None for a closed window.
    """

    window: str
    outcome: Outcome
    score: int | None


@dataclass(frozen=True)
class LedgerEntry:
    """What became of a submission.

    Attributes:
        score: what it added.
        results: one a window, in the board's order.
    """

    score: int
    results: tuple[WindowSum, ...]


def add(board: Board, added: Entry, standing: Mapping[str, Entry | None]) -> dict[str, Entry]:
    """The entries that an added one makes of a player's standing ones, by window.

    Whoever has none starts at 0. The time is the later of the two, so that the order in which
    submissions arrive changes nothing.

    Raises:
        InvalidFieldsError: a sum would leave the board's range.
    """
    sums = {window: _sum(added, before) for window, before in standing.items()}
    low, high = board.config.score_range
    problems = [
        FieldProblem("score", f"Would become {entry.score} in {window}; must stay {low} to {high}.")
        for window, entry in sums.items()
        if not low <= entry.score <= high
    ]
    if problems:
        raise InvalidFieldsError(problems)
    return sums


def _sum(added: Entry, before: Entry | None) -> Entry:
    if before is None:
        return added
    achieved_at = max(before.achieved_at, added.achieved_at)
    return Entry(added.player, before.score + added.score, achieved_at)


def ledger_expires_at(schedule: Schedule, now_ms: int) -> int:
    """When the ledger forgets a submission of now, in seconds since 1970: 48 h, or its retention.

    A board that keeps its windows for ever names no time for this: then it is 48 h too.
    """
    days = schedule.retention_days or 0
    return -(-now_ms // 1_000) + max(LEAST_KEPT_SECONDS, days * 86_400)
