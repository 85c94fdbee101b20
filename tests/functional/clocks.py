"""The clock of the functions, for tests that set it."""

from collections.abc import Callable

Clock = Callable[[str], int]
"""Sets the clock of every function to a time in UTC; returns it as ms since 1970."""

At = Callable[[str], None]
"""Sets that clock, and the admin function's and a sweep's too."""
