"""Sweeping a deleted board out of the tables, with the operator's credentials.

The API has made the board unreachable already; this removes what is left of it, and may be
stopped at any point and run again.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lambdas.domain.errors import BoardNotFoundError, StoreError
from lambdas.logic.removing import REMOVALS_PER_SECOND, Pace
from lambdas.logic.retrying import Retrying
from lambdas.logic.sweep import Slice, Sweep
from lambdas.store.leftovers import Leftovers
from lambdas.store.segments import Segments
from ops.audit import explained, tables_of
from ops.client import ClientError, Outputs

PATIENCE_SECONDS: Final = 60  # with a table that does not serve a request
_LONGEST_SLEEP_SECONDS: Final = 1.0  # so that whoever watches sees the time pass


class SweepError(ClientError):
    """The sweep could not be made, or finished."""

    code = "sweep_failed"
    title = "The board was not swept to the end"


@dataclass(frozen=True)
class Swept:
    """How far a sweep has come.

    Attributes:
        scores, counters: items removed so far.
        population: the players that there were to remove, where they could be counted.
        wait_seconds: how long until it goes on; 0 while it works.
        is_done: nothing is left.
    """

    scores: int = 0
    counters: int = 0
    population: int | None = None
    wait_seconds: float = 0
    is_done: bool = False


def now_ms() -> int:
    """This machine's clock, ms since 1970."""
    return time.time_ns() // 1_000_000


def sweep_of(outputs: Outputs, per_second: float) -> Sweep:
    """A sweep over the tables of a stage."""
    tables = tables_of(outputs)
    return Sweep(
        boards=tables.boards,
        counters=tables.counters,
        leftovers=Leftovers(tables.dynamo, outputs.scores_table, outputs.counters_table),
        segments=Segments(tables.dynamo, outputs.boards_table),
        retrying=lambda: Retrying(time.monotonic() + PATIENCE_SECONDS),
        pace=Pace(per_second),
        now_ms=now_ms,
    )


def sweep_board(
    outputs: Outputs,
    board: str,
    per_second: float = REMOVALS_PER_SECOND,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Swept]:
    """Sweeps a board, telling after each slice and each second how far it has come.

    Raises:
        SweepError: There never was such a board, or a table cannot be read or written.
        NotRunningError: The local deployment is not running.
    """
    sweep = sweep_of(outputs, per_second)
    try:
        swept, position = Swept(population=sweep.population(board)), None
        while True:
            done = sweep.slice(board, position)
            position = done.position
            swept = _after(swept, done)
            for left in _seconds(done.wait_ms):
                yield _after(swept, Slice(wait_ms=round(left * 1_000)))
                sleep(min(left, _LONGEST_SLEEP_SECONDS))
            yield swept
            if swept.is_done:
                return
    except BoardNotFoundError as error:
        raise SweepError(f"There never was a board '{error}'.") from error
    except StoreError as error:
        raise explained(error, outputs, SweepError, "the sweep") from error


def _after(swept: Swept, done: Slice) -> Swept:
    return Swept(
        scores=swept.scores + done.scores,
        counters=swept.counters + done.counters,
        population=swept.population,
        wait_seconds=done.wait_ms / 1_000,
        is_done=done.is_done,
    )


def _seconds(wait_ms: int) -> Iterator[float]:
    left = wait_ms / 1_000
    while left > 0:
        yield left
        left -= _LONGEST_SLEEP_SECONDS
