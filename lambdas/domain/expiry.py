"""Rolling entries: how long a board keeps an entry after it was achieved.

An entry expires at the very millisecond at which it is `entry_ttl_seconds` old. It counts as
absent from then on, whether or not the job that removes it has come by.
"""

from collections.abc import Iterator
from typing import Final

from lambdas.domain.errors import FieldProblem

MIN_ENTRY_TTL_SECONDS: Final = 60  # the removing job comes by once a minute
MAX_ENTRY_TTL_SECONDS: Final = 3_650 * 86_400


def cutoff(ttl_seconds: int | None, now_ms: int) -> int | None:
    """The time up to which, included, what was achieved has expired, ms since 1970.

    None where nothing ever expires.
    """
    return None if ttl_seconds is None else now_ms - ttl_seconds * 1_000


def ttl_problems(ttl_seconds: int | None) -> Iterator[FieldProblem]:
    """What is wrong with a config's `entry_ttl_seconds`."""
    if ttl_seconds is not None and not (
        MIN_ENTRY_TTL_SECONDS <= ttl_seconds <= MAX_ENTRY_TTL_SECONDS
    ):
        yield FieldProblem(
            "entry_ttl_seconds", f"Must be {MIN_ENTRY_TTL_SECONDS} to {MAX_ENTRY_TTL_SECONDS}."
        )
