"""What is told of a board's windows: bounds, state and population."""

from dataclasses import dataclass
from typing import Literal

from lambdas.domain.boards import Board
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.walk import Node
from lambdas.domain.windows import Window
from lambdas.logic.tables import Tables
from lambdas.logic.views import view_of

State = Literal["open", "closing", "final"]


@dataclass(frozen=True)
class WindowInfo:
    """One window.

    Attributes:
        state: `closing` from its end until it is found final.
        root: its root node; None if the counters could not be read.
    """

    window: Window
    state: State
    root: Node | None


def window_infos(tables: Tables, board: Board) -> list[WindowInfo]:
    """The current windows, those just over, and the seasons that have begun.

    Cost: half a read unit a window for its root, unless that is cached, and half for the state of
    each that is over. While states cannot be read, none is told to be final.
    """
    recent = board.schedule.recent(tables.now_ms)
    final = _final(tables, board, [one.name for one in recent if one.has_ended(tables.now_ms)])
    return [
        WindowInfo(
            window,
            _state(window, final, tables.now_ms),
            view_of(tables, board, window.name).root(),
        )
        for window in recent
    ]


def _state(window: Window, final: set[str], now_ms: int) -> State:
    if not window.has_ended(now_ms):
        return "open"
    return "final" if window.name in final else "closing"


def _final(tables: Tables, board: Board, over: list[str]) -> set[str]:
    try:
        return tables.window_states.final(board, over)
    except (ThrottledError, UnavailableError):
        return set()
