"""Alarms on counting: what it costs, who is hot, whether it keeps up, whether it is right."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from stacks.monitoring.alarm import Missing, Severity, Watch
from stacks.monitoring.signals import Signals
from stacks.stages import StageConfig

# The line the histogram article drew; see docs/decisions/0012-the-write-share-that-matters.md.
HOTTEST_SHARE_PERCENT: Final = 25
# Percent of all write units, by the deepest layout: measured at 50 and 100 submits a second
# (docs/benchmarks.md), with room for 20 stream shards.
SHARE_BUDGETS: Final[Mapping[int, int]] = MappingProxyType(
    {1: 15, 2: 40, 3: 55, 4: 65, 5: 70, 6: 75}
)
_LAG_WARNING_MS: Final = 30_000
_LAG_CRITICAL_MS: Final = 5 * 60_000
# The mapping gives records up at 20 h and the stream forgets them at 24 h.
_EXPIRING_MS: Final = 12 * 3_600_000
_EXPIRY_BEHIND_SECONDS: Final = 900  # a minute is usual; a lowered limit of age takes its time
_NO_CALLS: Final = (
    "without calls Lambda reports nothing, and counting that stopped is an alarm of its own"
)


def share_watches(signals: Signals, config: StageConfig) -> Iterator[Watch]:
    """What counting costs, and which item is the hottest."""
    yield Watch(
        subject="counters",
        failure="write-share",
        severity=Severity.WARNING,
        signal=signals.counters_share(),
        threshold=SHARE_BUDGETS[config.levels],
        bad=5,
        of=6,
        why_missing="without writes there is no share, and below the floor of traffic it is 0",
        means="Counting takes more of the write units than layouts this deep should.",
        runbook="write-share",
    )
    yield Watch(
        subject="hottest-counter",
        failure="write-share",
        severity=Severity.WARNING,
        signal=signals.hottest_share(),
        threshold=HOTTEST_SHARE_PERCENT,
        why_missing="without writes there is no share, and below the floor of traffic it is 0",
        means="One counter item takes a quarter of all write units: the first one to throttle.",
        runbook="write-share",
    )


def lag_watches(signals: Signals) -> Iterator[Watch]:
    """Whether the counters keep up with the scores."""
    for severity, threshold in (
        (Severity.WARNING, _LAG_WARNING_MS),
        (Severity.CRITICAL, _LAG_CRITICAL_MS),
    ):
        yield Watch(
            subject="count",
            failure="lag",
            severity=severity,
            signal=signals.iterator_age(),
            threshold=threshold,
            why_missing=_NO_CALLS,
            means=f"Counting is {threshold // 1000} s behind: ranks by counters are as old.",
            runbook="counting-behind",
            players_notice=severity is Severity.CRITICAL,
        )
    yield Watch(
        subject="stream-records",
        failure="expiring",
        severity=Severity.CRITICAL,
        signal=signals.iterator_age(),
        threshold=_EXPIRING_MS,
        why_missing=_NO_CALLS,
        means="Records half a day old are not counted; past 20 hours they are given up for good.",
        runbook="counting-behind",
    )
    yield Watch(
        subject="count",
        failure="stopped",
        severity=Severity.CRITICAL,
        signal=signals.uncounted_writes(),
        threshold=0,
        bad=4,
        why_missing="no calls are filled with 0, which is what this alarm looks for",
        means="Scores are written and the count function is not called.",
        runbook="counting-behind",
        players_notice=True,
    )


def loss_watches(signals: Signals) -> Iterator[Watch]:
    """Whether what is counted is right, and whether anybody looks."""
    yield Watch(
        subject="failure-queue",
        failure="filled",
        severity=Severity.WARNING,
        signal=signals.failures_waiting(),
        threshold=0,
        why_missing="SQS stops reporting on a queue that nobody used for six hours",
        means="Records were not counted and cannot be: the counters are off by them.",
        runbook="failure-queue",
    )
    yield Watch(
        subject="audit",
        failure="drift",
        severity=Severity.WARNING,
        signal=signals.drift(),
        threshold=0,
        bad=2,
        of=3,
        why_missing="an audit that did not run found nothing, and is an alarm of its own",
        means="Counters and index differ where nothing moves.",
        runbook="audit-drift",
    )
    yield Watch(
        subject="audit",
        failure="missed",
        severity=Severity.WARNING,
        signal=signals.audits(),
        threshold=1,
        below=True,
        bad=3,
        of=3,
        missing=Missing.BAD,
        why_missing="an audit that does not run emits nothing: that is the failure",
        means="No audit came to an end for a quarter of an hour.",
        runbook="schedule-missed",
    )
    yield Watch(
        subject="expiry",
        failure="behind",
        severity=Severity.WARNING,
        signal=signals.expiry_lag(),
        threshold=_EXPIRY_BEHIND_SECONDS,
        bad=3,
        of=4,
        why_missing="a function that is not called finds nothing, and is an alarm of its own",
        means="Entries stay on boards long after they have expired.",
        runbook="expiry-behind",
    )
