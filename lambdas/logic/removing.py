"""Removing many items: several at once, at a rate that leaves the tables to the players."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

THREADS: Final = 16  # a removal waits some milliseconds and takes under one of CPU
REMOVALS_PER_SECOND: Final = 500  # an index partition takes twice that, beside its players
PAGE_SIZE: Final = 250

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Pace:
    """Keeps a rate: sleeps as long as work was done ahead of it."""

    per_second: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _free_at: float = 0.0

    def spend(self, units: int) -> None:
        """Notes work that was done, and waits until as much may be done again."""
        self._free_at = max(self._free_at, self.clock()) + units / self.per_second
        self.sleep(max(0.0, self._free_at - self.clock()))


def each(call: Callable[[T], R], over: Sequence[T]) -> list[R]:
    """Calls for each, `THREADS` at once; once one raises, those that have not begun are left."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, over))
