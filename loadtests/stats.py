"""What Locust measured of each named request, as the evidence holds it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from loadtests.notes import interval

PERCENTILES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p100": 1.0}


@dataclass(frozen=True)
class Stats:
    """Of one named request.

    Attributes:
        latencies: milliseconds as Locust rounds them (two digits from 100 on), and how many.
    """

    name: str
    requests: int
    failures: int
    latencies: dict[int, int]

    def percentiles(self) -> dict[str, list[float]]:
        """Each with the ends of its 95 % interval."""
        found = {name: interval(self.latencies, share) for name, share in PERCENTILES.items()}
        return {name: one for name, one in found.items() if one is not None}


def stats_of(stats: Any, labels: Collection[str]) -> list[Stats]:
    """The measured requests of Locust's statistics; those of a warm-up are left out."""
    entries = sorted(stats.entries.values(), key=lambda one: one.name)
    return [
        Stats(one.name, one.num_requests, one.num_failures, dict(one.response_times))
        for one in entries
        if one.name.partition(":")[0] in labels
    ]


def measured_by_request(stats: Collection[Stats]) -> dict[str, float | None]:
    """Percentiles and failures, by the names that objectives use."""
    found: dict[str, float | None] = {}
    for one in stats:
        for name, (value, _, _) in one.percentiles().items():
            found[f"{one.name} {name} ms"] = value
        found[f"{one.name} failures"] = one.failures
    return found


def history_of(stats: Any) -> list[tuple[float, float, float]]:
    """Locust's own series: seconds since 1970, p50 and p95 of the ten seconds before, ms."""
    found = []
    for point in stats.history:
        middle, high = (point.get(f"response_time_percentile_{one}") for one in (0.5, 0.95))
        if middle and high and middle[1] is not None:
            at = datetime.fromisoformat(middle[0]).timestamp()
            found.append((at, float(middle[1]), float(high[1])))
    return found
