"""The mapping's clock: virtual, so that hours pass in no time, or the machine's own."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits, in seconds since 1970."""

    def now(self) -> float:
        """The time."""

    def wait_until(self, moment: float) -> None:
        """Lets time pass; returns at once if the moment is past."""


class VirtualClock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        """The time."""
        return self._now

    def wait_until(self, moment: float) -> None:
        """Jumps to a moment; never back."""
        self._now = max(self._now, moment)

    def advance(self, seconds: float) -> None:
        """Lets seconds pass."""
        self._now += seconds


class SystemClock:
    """The machine's clock; waiting sleeps."""

    def now(self) -> float:
        """The time."""
        return time.time()

    def wait_until(self, moment: float) -> None:
        """Sleeps until a moment."""
        time.sleep(max(0.0, moment - time.time()))
