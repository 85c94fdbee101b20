"""Submits at a steady rate: `python -m tests.e2e.steady_writer FOLDER BOARD RATE`.

It writes as the submit function stores, without the request around it: that takes a fraction of
the time, so that a slow machine keeps up, too. Each submit is due at its own instant, whether or
not earlier ones have ended; what is late is sent at once.

Some hundred players stand in low buckets before it begins; every other submit improves one of
them, the others are new players, and all end up in high buckets. So a bucket's count only falls or
only rises. It says `ready`, goes on until its input is closed, then says how many were taken, and
in how many seconds.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event, Lock

from lambdas.domain.submissions import Outcome, Submission, accept
from lambdas.domain.windows import ALL_TIME
from ops.client import read_outputs
from ops.transfer.tables import Tables, tables_of

STANDING = 400
IN_FLIGHT = 8
LOW = (1_000, 10_000)
HIGH = 20_000


def main(folder: str, board_id: str, per_second: str) -> None:
    """Makes the standing players, then submits until its input is closed."""
    tables = tables_of(read_outputs("rig", Path(folder)))
    chance = random.Random(7)
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        standing = [(f"s{i}", chance.randrange(*LOW)) for i in range(STANDING)]
        list(pool.map(lambda one: submit(tables, board_id, *one), standing))
        print("ready", flush=True)  # noqa: T201 - the parent reads it
        is_over, due = Event(), _Due(float(per_second))
        workers = [
            pool.submit(_work, tables, board_id, due, is_over, random.Random(worker))
            for worker in range(IN_FLIGHT)
        ]
        begun = time.monotonic()
        sys.stdin.read()
        is_over.set()
        taken = sum(worker.result() for worker in workers)
        report = {"taken": taken, "seconds": time.monotonic() - begun}
        print(json.dumps(report), flush=True)  # noqa: T201 - the parent reads it


class _Due:
    """Hands each submit out when it is due."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._begun = time.monotonic()
        self._numbers: Iterator[int] = count()
        self._lock = Lock()

    def next(self, is_over: Event) -> int | None:
        """Waits for the next one; None when it is over."""
        with self._lock:
            number = next(self._numbers)
        wait = self._begun + number / self._per_second - time.monotonic()
        return None if is_over.wait(max(0.0, wait)) else number


def _work(tables: Tables, board_id: str, due: _Due, is_over: Event, chance: random.Random) -> int:
    taken = 0
    while (number := due.next(is_over)) is not None:
        improves = number % 2 == 0 and number < 2 * STANDING
        player = f"s{number // 2}" if improves else f"n{number}"
        score = HIGH + int(chance.lognormvariate(11, 1))
        outcome = submit(tables, board_id, player, score)
        assert outcome is (Outcome.IMPROVED if improves else Outcome.NEW), (player, outcome)
        taken += 1
    return taken


def submit(tables: Tables, board_id: str, player: str, score: int) -> Outcome:
    """Stores one result as the submit function does."""
    board, now_ms = tables.boards.get(board_id), tables.now_ms()
    accepted = accept(board, Submission(player, score), now_ms)
    return tables.scores.submit(board, ALL_TIME, accepted, now_ms, hidden=False).outcome


if __name__ == "__main__":
    main(*sys.argv[1:])
