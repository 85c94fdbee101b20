"""Sweeping in the background: what was deleted goes, a call's worth at a time."""

from collections.abc import Callable
from dataclasses import dataclass

from lambdas.domain.boards import Board
from lambdas.domain.lives import Tombstone, id_of, remains_of
from lambdas.logic.sweep import Position, Sweep


@dataclass(frozen=True)
class Swept:
    """What one call removed of a board's former lives.

    Attributes:
        is_done: nothing is left of them.
    """

    board: str
    scores: int
    counters: int
    is_done: bool


def sweep_on(sweep: Sweep, stored: Board | Tombstone, has_time: Callable[[], bool]) -> Swept | None:
    """Sweeps a board until nothing is left, there is nothing to do yet, or the time is up.

    Whatever is not done is begun again by the next call: what was removed stays removed.

    Returns:
        None for a board with nothing to sweep, which costs nothing.

    Raises:
        ThrottledError, UnavailableError: try again.
    """
    if remains_of(stored) is None:
        return None
    board = id_of(stored)
    position: Position | None = None
    scores = counters = 0
    while has_time():
        done = sweep.slice(board, position)
        position = done.position
        scores, counters = scores + done.scores, counters + done.counters
        if done.is_done or done.wait_ms:
            return Swept(board, scores, counters, done.is_done)
    return Swept(board, scores, counters, False)
