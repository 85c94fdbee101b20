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
from lambdas.store.dynamo import MOST_AT_ONCE
from lambdas.store.segments import Segments
from lambdas.store.window_states import WindowStates

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


def close_due(tables: Tables, segments: Segments, board: Board) -> Iterator[Closed]:
    """Audits each window of a board that is due, and makes it final if nothing drifts.

    Doing it again looks only at those that are not final yet. A segment is due with its window.

    Cost: half a read unit a window to see which are final; for each other one an audit. A board
    with dimensions takes one query more, once any window is over.

    Raises:
        ThrottledError, UnavailableError: try again; what was made final stays so.
    """
    due = _due(segments, board, tables.now_ms)
    states = tables.window_states
    for name in [name for some in _batched(due) for name in _not_final(states, board, some)]:
        found = Closed(board.id, name, audit(tables, board, name))
        if found.is_final:
            states.make_final(board, name, population=found.audited.population, at_ms=tables.now_ms)
        yield found


def _due(segments: Segments, board: Board, now_ms: int) -> list[str]:
    """The names of the windows that are over, and behind them those of their segments."""
    over = [window.name for window in _over(board, now_ms)]
    return over + segments.windows(board, over)


def _batched(due: list[str]) -> Iterator[list[str]]:
    return (due[start : start + MOST_AT_ONCE] for start in range(0, len(due), MOST_AT_ONCE))


def _not_final(states: WindowStates, board: Board, windows: list[str]) -> list[str]:
    final = states.final(board, windows)
    return [window for window in windows if window not in final]


def _over(board: Board, now_ms: int) -> list[Window]:
    settled_ms = now_ms - SETTLING_SECONDS * 1_000
    schedule = board.schedule
    return [
        window
        for window in schedule.recent(now_ms)
        if schedule.state(window, settled_ms) == "closed"
    ]
