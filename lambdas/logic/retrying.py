"""Retrying what passes by itself, inside one call and up to its deadline."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import uniform
from typing import Final, TypeVar

from lambdas.domain.errors import StoreError, ThrottledError, UnavailableError

_FIRST_WAIT_SECONDS: Final = 0.05
_LONGEST_WAIT_SECONDS: Final = 5.0

R = TypeVar("R")


@dataclass
class Retrying:
    """Repeats calls that DynamoDB throttles or does not answer, with full jitter.

    Attributes:
        deadline: on `clock`; past it the failure is raised.
        passing: what is tried again.
        retries: how often anything was repeated.
    """

    deadline: float
    passing: tuple[type[StoreError], ...] = (ThrottledError, UnavailableError)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    retries: int = 0

    def run(self, call: Callable[[], R]) -> R:
        """Calls until it goes through.

        Raises:
            ThrottledError, UnavailableError: it did not, up to the deadline.
        """
        longest = _FIRST_WAIT_SECONDS
        while True:
            try:
                return call()
            except self.passing:
                wait = uniform(0, longest)  # noqa: S311 - spreads retries, guards nothing
                if self.clock() + wait >= self.deadline:
                    raise
            self.retries += 1
            self.sleep(wait)
            longest = min(2 * longest, _LONGEST_WAIT_SECONDS)
