"""Closing: windows that are over are audited, and final from then on.

A window is final when its grace is over, the longest write that began in it has ended and been
counted, and its audit shows no drift. Nothing takes results for it any more, so only removals
change it afterwards. What drifts stays as it is, is reported each time, and is looked at again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lambdas.domain.boards import Board
from lambdas.domain.windows import Window
from lambdas.logic.audit import Audited, audit
from lambdas.logic.tables import Tables

# The longest call of an HTTP function takes 60 s in any stage, and counting what it wrote a batch
# or two; a stream that is further behind shows as drift, and the window waits for the next time.
SETTLING_SECONDS: Final = 120


@dataclass(frozen=True)
class Closed:
    """What became of one window that was due."""

    board: str
    window: str
    audited: Audited

    @property
    def is_final(self) -> bool:
        """Whether it was found without drift."""
        return not self.audited.drift


def close_due(tables: Tables, board: Board) -> Iterator[Closed]:
    """Audits each window of a board that is due, and makes it final if nothing drifts.

    Doing it again looks only at those that are not final yet.

    Cost: half a read unit a window to see which are final; for each other one an audit.

    Raises:
        ThrottledError, UnavailableError: try again; what was made final stays so.
    """
    due = {window.name: window for window in _over(board, tables.now_ms)}
    states = tables.window_states
    for name in due.keys() - states.final(board, list(due)):
        found = Closed(board.id, name, audit(tables, board, name))
        if found.is_final:
            states.make_final(board, name, population=found.audited.population, at_ms=tables.now_ms)
        yield found


def _over(board: Board, now_ms: int) -> list[Window]:
    settled_ms = now_ms - SETTLING_SECONDS * 1_000
    schedule = board.schedule
    return [
        window
        for window in schedule.recent(now_ms)
        if schedule.state(window, settled_ms) == "closed"
    ]
