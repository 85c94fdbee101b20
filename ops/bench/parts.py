"""Where a handler's time goes: its stack looked at each millisecond, and put down to a part.

A profiler that hooks into every call would make code of many small functions look slow; looking
from a timer does not slow the code at all.
"""

import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

INTERVAL_SECONDS: Final = 0.001
OTHER: Final = "the rest"

# By what a file's path holds. Code of the standard library counts for whoever called it.
PARTS: Final = {
    "/lambdas/api/": "ours: HTTP",
    "/lambdas/handlers/": "ours: HTTP",
    "/lambdas/observability": "ours: HTTP",
    "/lambdas/logic/": "ours: logic and domain",
    "/lambdas/domain/": "ours: logic and domain",
    "/lambdas/store/counters.": "ours: adding up counter shards",
    "/lambdas/store/": "ours: the rest of the store, without boto3",
    "/aws_lambda_powertools/event_handler/openapi/": "Powertools: validation, with pydantic",
    "/aws_lambda_powertools/event_handler/middlewares/": "Powertools: validation, with pydantic",
    "/pydantic/": "Powertools: validation, with pydantic",
    "/aws_lambda_powertools/logging/": "Powertools: the log line",
    "/aws_lambda_powertools/metrics/": "Powertools: the metrics record",
    "/aws_lambda_powertools/": "Powertools: routing and events",
}


def part_of(files: Iterable[str]) -> str:
    """The part that a stack is in, by the files of its frames, the innermost first."""
    for file in files:
        for marker, part in PARTS.items():
            if marker in file:
                return part
    return OTHER


class Looker:
    """Counts what a call was doing each time it looked; for the main thread alone.

    Attributes:
        seen: how often each part was seen.
    """

    def __init__(self, *, within: str, without: str) -> None:
        """Makes one that notes what runs below code of one file and not below that of another."""
        self._within = within
        self._without = without
        self.seen: Counter[str] = Counter()

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Looks until the block ends."""
        former = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, INTERVAL_SECONDS, INTERVAL_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)

    def _look(self, _: int, frame: FrameType | None) -> Any:
        files = [one.f_code.co_filename for one in _outward(frame)]
        if self._within in files and self._without not in files:
            self.seen[part_of(files)] += 1


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
