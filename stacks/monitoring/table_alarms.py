"""Alarms on throttling, by table and index and by what limits it: each limit has another remedy."""

from collections.abc import Iterable, Iterator
from typing import Final

from stacks.monitoring.alarm import Severity, Watch
from stacks.monitoring.signals import Signals

_LIMITS: Final = {
    "hot-keys": (("KeyRangeThroughput",), "One range of keys asks for more than a partition gives"),
    "limits": (
        ("AccountLimit", "MaxOnDemandThroughput"),
        "The account's limit or a maximum set for it holds it back",
    ),
}
# What mends a hot range of keys, where a board's config does.
_REMEDIES: Final = {
    "by_rank": " More index_shards on the board spread it.",
    "counters": " More counter_shards on the board spread writes.",
}


def throttle_watches(signals: Signals, capacities: Iterable[str]) -> Iterator[Watch]:
    """An alarm for each cause on each table and index."""
    for of in capacities:
        for failure, (limits, means) in _LIMITS.items():
            remedy = _REMEDIES.get(of, "") if failure == "hot-keys" else ""
            yield Watch(
                subject=of.replace("_", "-"),
                failure=failure,
                severity=Severity.WARNING,
                signal=signals.throttles(of, *limits),
                threshold=0,
                why_missing="DynamoDB reports throttles only where there are some",
                means=f"{means}: {of.replace('_', ' ')}, reads or writes.{remedy}",
                runbook="throttles",
            )
