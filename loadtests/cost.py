"""What a run costs on AWS, by arithmetic, before it starts.

Prices are those of us-east-1 as reported in November 2026, second-hand, and units those measured
by `make bench`: an upper bound, for caches and batches only save.
"""

from collections.abc import Mapping
from typing import Final

from lambdas import names

PER_WRITE_UNIT: Final = 0.625e-6
PER_READ_UNIT: Final = 0.125e-6
PER_API_REQUEST: Final = 1.00e-6
PER_INVOCATION: Final = 0.20e-6
PER_GB_SECOND: Final = 0.0000133334  # arm64
GB_SECONDS_A_CALL: Final = 0.1  # 1 GB for 100 ms
COUNTER_UNITS_A_SUBMIT: Final = 3.0  # a node a level, were each record counted on its own
REMOVAL_UNITS: Final = 2.0  # item and index entry, when the run's boards are swept

# Route -> (write units, read units) of one request.
UNITS: Final[Mapping[str, tuple[float, float]]] = {
    names.SUBMIT: (3.0 + COUNTER_UNITS_A_SUBMIT + REMOVAL_UNITS, 1.0),
    "preload": (3.0 + COUNTER_UNITS_A_SUBMIT + REMOVAL_UNITS, 0.5),  # a score of a batch
    "rank": (0.0, 8.0),
    "top": (0.0, 3.0),
    "around": (0.0, 10.0),
    "friends": (0.0, 26.0),
    "distribution": (0.0, 4.0),
}


def dollars(calls: Mapping[str, float]) -> float:
    """The dollars that requests cost, by route."""
    total = 0.0
    for route, count in calls.items():
        writes, reads = UNITS[route]
        requests = count / 100 if route == "preload" else count
        total += count * (writes * PER_WRITE_UNIT + reads * PER_READ_UNIT)
        total += requests * (PER_API_REQUEST + PER_INVOCATION + GB_SECONDS_A_CALL * PER_GB_SECOND)
    return round(total, 4)


def in_words(calls: Mapping[str, float]) -> str:
    """The arithmetic for people."""
    parts = ", ".join(f"{count:,.0f} {route}" for route, count in calls.items() if count)
    return f"{parts}: at most ${dollars(calls):,.2f} at us-east-1 prices of November 2026"
