"""Times, and the clock of the functions, for tests that set it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[str], int]
"""Sets the clock of every function to a time in UTC; returns it as ms since 1970."""


def ms(time: str) -> int:
    """A time in UTC as ms since 1970."""
    return int(datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp() * 1_000)
