"""What alarms watch and dashboards draw: expressions over metrics, every input filled.

An alarm on a metric of AWS/DynamoDB alone would keep its state while data is missing, whatever it
was told; so every input stands in a `FILL`. No expression divides by zero: nothing says what
CloudWatch makes of it within an `IF`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from lambdas import names
from stacks.monitoring.hottest_items import hottest_item
from stacks.monitoring.metrics import INDEXES, MINUTE, Metric, Metrics

# Below it a batch holds a record or two and costs as much to count as to store: harmless.
FLOOR_UNITS_PER_SECOND: Final = 100
WRITTEN: Final = ("counters", "scores", *INDEXES, "submissions")
FIVE_MINUTES: Final = Duration.minutes(5)


@dataclass(frozen=True, kw_only=True)
class Signal:
    """A number over time.

    Attributes:
        label: what it is, with its unit.
        expression: over the metrics by their names.
        period: how wide a data point is, that of every input.
    """

    label: str
    expression: str
    metrics: Mapping[str, Metric]
    period: Duration = MINUTE

    def metric(self, tag: str = "") -> cloudwatch.MathExpression:
        """The signal for an alarm or a widget.

        Args:
            tag: Goes into the names of the metrics: a widget knows one metric a name, however many
                signals it draws.
        """
        tagged = {name: f"{name}_{tag}" if tag else name for name in self.metrics}
        return cloudwatch.MathExpression(
            expression=re.sub(r"\w+", lambda word: tagged.get(word[0], word[0]), self.expression),
            # A narrower input would be widened too, with a warning each time.
            using_metrics={
                tagged[name]: metric.with_(period=self.period)
                for name, metric in self.metrics.items()
            },
            label=self.label,
            period=self.period,
        )


class Signals:
    """Builds the signals of one stage."""

    def __init__(self, metrics: Metrics, hottest_rule: str) -> None:
        self._metrics = metrics
        self._hottest_rule = hottest_rule

    def counters_share(self) -> Signal:
        """The counters' share of all write units."""
        return Signal(
            label="counters' share of write units, %",
            expression=_share("counters", FIVE_MINUTES),
            metrics=self._written(FIVE_MINUTES),
            period=FIVE_MINUTES,
        )

    def hottest_share(self) -> Signal:
        """The hottest single counter item's share of all write units."""
        return Signal(
            label="hottest counter item's share of write units, %",
            expression=_share("hottest", MINUTE),
            metrics=self._written(MINUTE) | {"hottest": hottest_item(self._hottest_rule)},
        )

    def _written(self, period: Duration) -> dict[str, Metric]:
        consumed = {of: self._metrics.capacity(of, "ConsumedWriteCapacityUnits") for of in WRITTEN}
        total = Signal(
            label="write units",
            expression=" + ".join(f"FILL({of}, 0)" for of in WRITTEN),
            metrics=consumed,
            period=period,
        )
        # Named again where the share itself needs it: CloudWatch knows one id a metric.
        return {"written": total.metric(), "counters": consumed["counters"]}

    def throttles(self, of: str, *limits: str) -> Signal:
        """Reads and writes of a table or index that were throttled, by what limited them."""
        metrics = {
            f"{kind.lower()}_{limit[0].lower()}{limit[1:]}": self._metrics.capacity(
                of, f"{kind}{limit}ThrottleEvents"
            )
            for limit in limits
            for kind in ("Read", "Write")
        }
        expression = " + ".join(f"FILL({name}, 0)" for name in metrics)
        return Signal(label=f"{of}: throttles", expression=expression, metrics=metrics)

    def iterator_age(self) -> Signal:
        """How old the oldest record of a batch was when the count function got it."""
        age = self._metrics.function(names.COUNT, "IteratorAge", "Maximum")
        return Signal(label="iterator age, ms", expression="FILL(age, 0)", metrics={"age": age})

    def uncounted_writes(self) -> Signal:
        """Write units of scores in a minute in which the count function was not called at all."""
        return Signal(
            label="write units of scores that nothing counts",
            expression="IF(FILL(calls, 0) < 1, FILL(scores, 0), 0)",
            metrics={
                "calls": self._metrics.function(names.COUNT, "Invocations", "Sum"),
                "scores": self._metrics.capacity("scores", "ConsumedWriteCapacityUnits"),
            },
        )

    def failures_waiting(self) -> Signal:
        """Messages in the queue of failures."""
        waiting = self._metrics.failure_queue("ApproximateNumberOfMessagesVisible", "Maximum")
        return Signal(
            label="messages in the failure queue",
            expression="FILL(waiting, 0)",
            metrics={"waiting": waiting},
        )

    def gateway_errors(self, floor: int) -> Signal:
        """The share of calls that the gateway answered with 5xx."""
        return Signal(
            label="gateway: 5xx, % of calls",
            expression=_rate("errors", "calls", floor),
            metrics={
                "errors": self._metrics.gateway("5xx", "Sum"),
                "calls": self._metrics.gateway("Count", "Sum"),
            },
        )

    def gateway_latency(self, floor: int) -> Signal:
        """The 99th percentile of what callers wait for the gateway."""
        return Signal(
            label="gateway: p99 latency, ms",
            expression=f"IF(FILL(calls, 0) >= {floor}, FILL(p99, 0), 0)",
            metrics={
                "p99": self._metrics.gateway("Latency", "p99"),
                "calls": self._metrics.gateway("Count", "Sum"),
            },
        )

    def answered_with(self, group: str, metric: str, floor: int) -> Signal:
        """The share of a group's calls that its function answered so."""
        return Signal(
            label=f"{group}: {metric}, % of calls",
            expression=_rate("bad", "calls", floor),
            metrics={
                "bad": self._metrics.own(group, metric, "Sum"),
                "calls": self._metrics.own(group, names.METRIC_REQUESTS, "Sum"),
            },
        )

    def latency(self, group: str, floor: int) -> Signal:
        """The 99th percentile of how long a group's function takes, cold starts left out."""
        return Signal(
            label=f"{group}: p99 duration, ms",
            expression=f"IF(FILL(calls, 0) >= {floor}, FILL(p99, 0), 0)",
            metrics={
                "p99": self._metrics.function(group, "Duration", "p99"),
                "calls": self._metrics.function(group, "Invocations", "Sum"),
            },
        )

    def function_sum(self, function: str, name: str, period: Duration = MINUTE) -> Signal:
        """A sum that Lambda keeps of one function: its errors, throttles or calls."""
        return Signal(
            label=f"{function}: {name}",
            expression="FILL(events, 0)",
            metrics={"events": self._metrics.function(function, name, "Sum")},
            period=period,
        )

    def time_used(self, function: str, timeout: Duration, period: Duration = MINUTE) -> Signal:
        """How much of its time the longest call of a function took."""
        return Signal(
            label=f"{function}: longest call, % of its timeout",
            expression=f"100 * FILL(longest, 0) / {timeout.to_milliseconds():.0f}",
            metrics={"longest": self._metrics.function(function, "Duration", "Maximum")},
            period=period,
        )

    def range_width(self) -> Signal:
        """The 99th percentile of the width of estimated ranks."""
        return Signal(
            label="p99 width of estimated ranks, % of the population",
            expression="FILL(width, 0)",
            metrics={"width": self._metrics.own(names.READ, names.METRIC_RANGE_WIDTH, "p99")},
        )

    def drift(self) -> Signal:
        """The drifting cells that five minutes found, in live windows and in others."""
        return Signal(
            label="drifting cells",
            expression="FILL(live, 0) + FILL(over, 0)",
            metrics={
                "live": self._metrics.own(names.AUDIT, names.METRIC_AUDIT_DRIFT, "Maximum"),
                "over": self._metrics.own(names.CLOSE, names.METRIC_AUDIT_DRIFT, "Maximum"),
            },
            period=FIVE_MINUTES,
        )

    def audits(self) -> Signal:
        """The audits of live windows that came to an end."""
        return Signal(
            label="audits",
            expression="FILL(audited, 0)",
            metrics={"audited": self._metrics.own(names.AUDIT, names.METRIC_AUDIT_RUNS, "Sum")},
            period=FIVE_MINUTES,
        )

    def expiry_lag(self) -> Signal:
        """For how long the oldest entry has expired that is not removed yet."""
        return Signal(
            label="age of the oldest expired entry beyond its time, s",
            expression="FILL(lag, 0)",
            metrics={"lag": self._metrics.own(names.EXPIRE, names.METRIC_EXPIRY_LAG, "Maximum")},
            period=FIVE_MINUTES,
        )


def _share(part: str, period: Duration) -> str:
    floor = FLOOR_UNITS_PER_SECOND * int(period.to_seconds())
    return f"IF(written >= {floor}, 100 * FILL({part}, 0) / (written + (written < 1)), 0)"


def _rate(part: str, whole: str, floor: int) -> str:
    calls = f"FILL({whole}, 0)"
    return f"IF({calls} >= {floor}, 100 * FILL({part}, 0) / ({calls} + ({calls} < 1)), 0)"
