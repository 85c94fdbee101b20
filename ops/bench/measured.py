"""Numbers as the benchmarks report them."""

from collections.abc import Sequence
from statistics import median


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100).__int__() - 1)]


def summary(values: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"median": float(median(values)), "p99": float(percentile(values, 99))}
