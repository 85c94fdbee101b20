"""How CloudWatch decides on an alarm's state, period after period.

Sources, both of the CloudWatch user guide:

- M of N: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
- missing data, evaluation range, premature alarms:
  https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html

Alarms that evaluate metrics of AWS/DynamoDB ignore missing data whatever they are told, says
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html; the page
on missing data calls that a default. The worse of the two is taken.

The range is documented by example alone (5 points for 3 evaluation periods), and taken here as two
points more than the evaluation periods.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ops.rehearsal.math import Series, UnknownMathError, evaluate, names_in

_EXTRA_POINTS: Final = 2
_COMPARISONS: Final[dict[str, Callable[[float, float], bool]]] = {
    "GreaterThanThreshold": operator.gt,
    "GreaterThanOrEqualToThreshold": operator.ge,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}
_TREATMENTS: Final = frozenset({"breaching", "notBreaching", "ignore", "missing"})
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/ContributorInsights-GraphReportData.html
_ON: Final = re.compile(r'ALARM\("([^"]+)"\)')
_INSIGHT: Final = re.compile(r"INSIGHT_RULE_METRIC\('([^']+)', '([A-Za-z]+)'\)")


class State(StrEnum):
    """The states of an alarm."""

    OK = "OK"
    ALARM = "ALARM"
    INSUFFICIENT_DATA = "INSUFFICIENT_DATA"


@dataclass(frozen=True)
class Alarm:
    """A metric alarm over math, as a template states it.

    Attributes:
        inputs: the metrics it reads, by their ids; a contributor rule's among them.
        rules: the contributor rules it reads, with the value read, by id.
        expressions: by id, in the order they can be evaluated in.
        period_seconds: how wide a data point is.
        bad: how many data points must breach,
        of: among how many.
    """

    name: str
    inputs: tuple[str, ...]
    rules: Mapping[str, tuple[str, str]]
    expressions: Mapping[str, str]
    returned: str
    period_seconds: int
    threshold: float
    comparison: str
    bad: int
    of: int
    missing: str

    @classmethod
    def of_properties(cls, properties: Mapping[str, Any]) -> "Alarm":
        """Reads an `AWS::CloudWatch::Alarm`.

        Raises:
            UnknownMathError: it uses what is not known here, or its periods differ.
        """
        queries = {query["Id"]: query for query in properties["Metrics"]}
        texts = {id_: one["Expression"] for id_, one in queries.items() if "Expression" in one}
        rules = {id_: _rule(text) for id_, text in texts.items() if text.startswith("INSIGHT_")}
        stats = [one for one in queries.values() if "MetricStat" in one]
        periods = {one["MetricStat"]["Period"] for one in stats}
        periods |= {queries[id_]["Period"] for id_ in rules}
        (returned,) = [id_ for id_, one in queries.items() if one.get("ReturnData", True)]
        if len(periods) != 1:
            raise UnknownMathError(f"periods of {sorted(periods)} seconds in one alarm")
        if properties["TreatMissingData"] not in _TREATMENTS:
            raise UnknownMathError(f"missing data as {properties['TreatMissingData']}")
        return cls(
            name=properties["AlarmName"],
            inputs=(*(one["Id"] for one in stats), *rules),
            rules=rules,
            expressions=_in_order({id_: texts[id_] for id_ in texts if id_ not in rules}),
            returned=returned,
            period_seconds=periods.pop(),
            threshold=properties["Threshold"],
            comparison=properties["ComparisonOperator"],
            bad=properties["DatapointsToAlarm"],
            of=properties["EvaluationPeriods"],
            missing="ignore" if _reads_dynamodb(stats) else properties["TreatMissingData"],
        )

    def values(self, inputs: Mapping[str, Series]) -> list[float | None]:
        """The series that the alarm watches, from those of its inputs."""
        series: dict[str, Series] = dict(inputs)
        for id_, expression in self.expressions.items():
            series[id_] = evaluate(expression, series)
        return list(series[self.returned])

    def breaches(self, value: float | None) -> bool | None:
        """Whether a data point is past the threshold; None for one that is missing."""
        return None if value is None else _COMPARISONS[self.comparison](value, self.threshold)


def replay(alarm: Alarm, inputs: Mapping[str, Series]) -> list[State]:
    """The state after each period, from an alarm that was just made."""
    points = [alarm.breaches(value) for value in alarm.values(inputs)]
    states: list[State] = []
    state = State.INSUFFICIENT_DATA
    for end in range(1, len(points) + 1):
        newest = points[max(0, end - alarm.of - _EXTRA_POINTS) : end]
        state = next_state(newest, alarm.bad, alarm.of, alarm.missing, state)
        states.append(state)
    return states


def next_state(
    points: Sequence[bool | None], bad: int, of: int, missing: str, current: State
) -> State:
    """The state that an evaluation range comes to, oldest point first."""
    real = [point for point in points if point is not None]
    if len(real) >= of:
        return _decided(real[-of:], bad)
    lacking = of - len(real)
    if missing in ("breaching", "notBreaching"):
        return _decided([*real, *[missing == "breaching"] * lacking], bad)
    if not real:
        return State.INSUFFICIENT_DATA if missing == "missing" else current
    if _is_premature(points, bad):
        return State.ALARM if missing == "missing" else current
    return _decided(real, bad)


def rule_of(properties: Mapping[str, Any], resources: Mapping[str, Any]) -> str:
    """The rule of an `AWS::CloudWatch::CompositeAlarm`, with other alarms by their names."""
    return "".join(
        part
        if isinstance(part, str)
        else resources[part["Fn::GetAtt"][0]]["Properties"]["AlarmName"]
        for part in properties["AlarmRule"]["Fn::Join"][1]
    )


def any_fires(rule: str, states: Mapping[str, State]) -> bool:
    """Whether a composite alarm is on, from the states of those that its rule names.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-combining.html

    Raises:
        UnknownMathError: the rule is anything but alarms joined by OR.
    """
    named = [_ON.fullmatch(term) for term in rule[1:-1].split(" OR ")]
    if (rule[:1], rule[-1:]) != ("(", ")") or None in named:
        raise UnknownMathError(f"{rule}: not known here")
    return any(states[one[1]] is State.ALARM for one in named if one)


def _decided(points: Sequence[bool], bad: int) -> State:
    return State.ALARM if sum(points) >= bad else State.OK


def _is_premature(points: Sequence[bool | None], bad: int) -> bool:
    """Whether all there is breaches, and the oldest of it is at least `bad` periods old."""
    real = [point for point in points if point is not None]
    oldest = next(i for i, point in enumerate(points) if point is not None)
    return all(real) and len(points) - oldest >= bad


def _reads_dynamodb(stats: Sequence[Mapping[str, Any]]) -> bool:
    return any(one["MetricStat"]["Metric"]["Namespace"] == "AWS/DynamoDB" for one in stats)


def _rule(text: str) -> tuple[str, str]:
    match = _INSIGHT.fullmatch(text)
    if match is None:
        raise UnknownMathError(f"{text}: not known here")
    return match[1], match[2]


def _in_order(expressions: Mapping[str, str]) -> dict[str, str]:
    """Expressions so that each stands behind those it reads."""
    waiting, ordered = dict(expressions), dict[str, str]()
    while waiting:
        ready = [id_ for id_ in waiting if not names_in(waiting[id_]) & waiting.keys()]
        if not ready:
            raise UnknownMathError(f"{sorted(waiting)} read one another")
        ordered |= {id_: waiting.pop(id_) for id_ in ready}
    return ordered
