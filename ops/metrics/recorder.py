"""Keeps values by metric and minute, and hands them out as CloudWatch's statistics."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

from ops.rehearsal import Series

PERIOD_SECONDS: Final = 60  # what is kept; wider periods are made of whole ones
_DIGITS: Final = 3  # of a value: enough for a picture, and few enough values to keep

Values = Counter[float]
"""How often each value occurred."""


@dataclass(frozen=True)
class Metric:
    """A metric by its full name.

    Attributes:
        namespace: such as `AWS/DynamoDB` or `Tallyboard`.
        dimensions: their values by name, in the order of the names.
    """

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, namespace: str, name: str, dimensions: Mapping[str, str]) -> Self:
        """A metric from its dimensions in any order."""
        return cls(namespace, name, tuple(sorted(dimensions.items())))


class Recorder:
    """Takes values from any thread.

    Periods are counted from the first minute in which anything was noted, and one that is cut off
    at the end is left out unless it is the only one. The first and the last minute of a run are
    seldom full: `keep` leaves them out.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[Metric, dict[int, Values]] = defaultdict(lambda: defaultdict(Counter))
        self._contributors: dict[int, Counter[str]] = defaultdict(Counter)

    def add(self, metric: Metric, value: float, at: float) -> None:
        """Notes one value at a time in seconds since 1970."""
        with self._lock:
            self._values[metric][_minute(at)][_rounded(value)] += 1

    def contributed(self, contributor: str, value: float, at: float) -> None:
        """Notes a line that the contributor rule reads."""
        with self._lock:
            self._contributors[_minute(at)][contributor] += round(value)

    def queued(self, queue: str, messages: int, at: float) -> None:
        """Notes how many messages wait in the queue of failures."""
        of = {"QueueName": queue}
        self.add(Metric.of("AWS/SQS", "ApproximateNumberOfMessagesVisible", of), messages, at)

    def forget(self) -> None:
        """Starts anew."""
        with self._lock:
            self._values.clear()
            self._contributors.clear()

    def keep(self, minutes: range) -> None:
        """Forgets all other minutes: those that a run did not fill, above all."""
        with self._lock:
            noted: list[dict[int, Any]] = [*self._values.values(), self._contributors]
            for by_minute in noted:
                for minute in [one for one in by_minute if one not in minutes]:
                    del by_minute[minute]

    @property
    def minutes(self) -> range:
        """The minutes since 1970 that anything was noted in, those between them included."""
        with self._lock:
            noted = {minute for values in self._values.values() for minute in values}
            noted |= self._contributors.keys()
        return range(min(noted), max(noted) + 1) if noted else range(0)

    @property
    def metrics(self) -> set[Metric]:
        """The metrics that have values."""
        with self._lock:
            return set(self._values)

    def series(
        self, metric: Metric, statistic: str, period_seconds: int = PERIOD_SECONDS
    ) -> Series:
        """A statistic a period, oldest first; None where nothing was noted.

        Args:
            metric: one that need not have any value.
            statistic: `Sum`, `Average`, `Minimum`, `Maximum`, `SampleCount`, or a percentile such
                as `p99`, by nearest rank.
            period_seconds: a multiple of 60.

        Raises:
            ValueError: no such statistic.
        """
        compute = _statistic(statistic)
        with self._lock:
            values = {minute: Counter(at) for minute, at in self._values.get(metric, {}).items()}
        periods = self._periods(values, period_seconds)
        return [compute(one) if one else None for one in periods]

    def contributors(self, period_seconds: int = PERIOD_SECONDS) -> Sequence[Counter[str]]:
        """What each contributor came to a period, oldest first."""
        with self._lock:
            noted = {minute: Counter(at) for minute, at in self._contributors.items()}
        return self._periods(noted, period_seconds)

    def hottest(self, period_seconds: int = PERIOD_SECONDS) -> Series:
        """`MaxContributorValue` of the contributor rule."""
        return [max(one.values(), default=None) for one in self.contributors(period_seconds)]

    def save(self, path: Path) -> None:
        """Writes all of it down as JSON."""
        with self._lock:
            values = [
                [
                    one.namespace,
                    one.name,
                    one.dimensions,
                    {m: list(at.items()) for m, at in by.items()},
                ]
                for one, by in self._values.items()
            ]
            kept = {"values": values, "contributors": self._contributors}
            path.write_text(json.dumps(kept) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads what `save` wrote."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        made = cls()
        for namespace, name, dimensions, by_minute in kept["values"]:
            metric = Metric.of(namespace, name, dict(dimensions))
            for minute, values in by_minute.items():
                made._values[metric][int(minute)] = Counter(dict(values))
        for minute, units in kept["contributors"].items():
            made._contributors[int(minute)] = Counter(units)
        return made

    def _periods(self, noted: Mapping[int, Counter[Any]], seconds: int) -> list[Counter[Any]]:
        width, minutes = seconds // PERIOD_SECONDS, self.minutes
        empty = Counter[Any]()
        whole = max(1, len(minutes) // width)
        return [
            sum(
                (noted.get(minute, empty) for minute in minutes[i * width : (i + 1) * width]), empty
            )
            for i in range(whole if minutes else 0)
        ]


def _statistic(name: str) -> Callable[[Values], float]:
    if percentile := re.fullmatch(r"p(\d{1,2}(?:\.\d+)?)", name):
        return lambda values: _percentile(values, float(percentile[1]))
    if name not in _STATISTICS:
        raise ValueError(f"{name}: no statistic that is known here")
    return _STATISTICS[name]


def _sum(values: Values) -> float:
    return sum(value * count for value, count in values.items())


_STATISTICS: Final[Mapping[str, Callable[[Values], float]]] = {
    "Sum": _sum,
    "Average": lambda values: _sum(values) / values.total(),
    "Minimum": min,
    "Maximum": max,
    "SampleCount": lambda values: float(values.total()),
}


def _percentile(values: Values, percent: float) -> float:
    left = math.ceil(values.total() * percent / 100)
    for value in sorted(values):
        left -= values[value]
        if left <= 0:
            return value
    raise ValueError("no values")


def _minute(at: float) -> int:
    return int(at // PERIOD_SECONDS)


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
