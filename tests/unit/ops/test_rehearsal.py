"""The rules of CloudWatch that rehearsals stand on, held against AWS's own examples."""

from collections.abc import Mapping

import pytest

from ops.rehearsal import (
    Alarm,
    State,
    UnknownMathError,
    any_fires,
    evaluate,
    names_in,
    replay,
)
from ops.rehearsal.alarms import next_state

TREATMENTS = ("missing", "ignore", "breaching", "notBreaching")
KEPT = "kept"
# Both tables of
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html:
# points (0 is fine, X breaches, - is missing), M of N, and the state for each treatment.
EXAMPLES = [
    ("0-X-X", 3, 3, ("OK", "OK", "OK", "OK")),
    ("0----", 3, 3, ("OK", "OK", "OK", "OK")),
    ("-----", 3, 3, ("INSUFFICIENT_DATA", KEPT, "ALARM", "OK")),
    ("0XX-X", 3, 3, ("ALARM", "ALARM", "ALARM", "ALARM")),
    ("--X--", 3, 3, ("ALARM", KEPT, "ALARM", "OK")),
    ("0-X-X", 2, 3, ("ALARM", "ALARM", "ALARM", "ALARM")),
    ("00X0X", 2, 3, ("ALARM", "ALARM", "ALARM", "ALARM")),
    ("0-X--", 2, 3, ("OK", "OK", "ALARM", "OK")),
    ("----0", 2, 3, ("OK", "OK", "ALARM", "OK")),
    ("---X-", 2, 3, ("ALARM", KEPT, "ALARM", "OK")),
]


@pytest.mark.parametrize("current", list(State))
@pytest.mark.parametrize(("points", "bad", "of", "states"), EXAMPLES)
def test_missing_data_is_treated_as_in_awss_tables(
    points: str, bad: int, of: int, states: tuple[str, ...], current: State
) -> None:
    """Every row for every treatment, whatever state the alarm was in."""
    read = [{"0": False, "X": True, "-": None}[point] for point in points]
    for treatment, state in zip(TREATMENTS, states, strict=True):
        expected = current if state == KEPT else State(state)
        assert next_state(read, bad, of, treatment, current) is expected


@pytest.mark.parametrize("points", ["----X", "---X-"])
def test_three_of_three_does_not_fire_before_its_time(points: str) -> None:
    """The next point may be fine: AWS's page names these two."""
    read = [{"X": True, "-": None}[point] for point in points]
    assert next_state(read, 3, 3, "missing", State.OK) is State.OK


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + b", [11, None, None]),
        ("FILL(a, 0) + FILL(b, 0)", [11, 2, 30]),
        ("FILL(gone, 7)", [7, 7, 7]),
        ("a < 2", [1, 0, None]),
        ("a >= 2", [0, 1, None]),
        ("IF(FILL(a, 0) > 1, 100, b)", [10, 100, 30]),
        ("IF(a > 1, 1, 0)", [0, 1, None]),
        ("100 * FILL(a, 0) / (FILL(a, 0) + (FILL(a, 0) < 1))", [100, 100, 0]),
        ("FILL(a, 0) * (2 + 3) - 1", [4, 9, -1]),
    ],
)
def test_math_goes_point_by_point(expression: str, expected: list[float | None]) -> None:
    """A point that is missing in an input is missing in what comes of it, unless it is filled."""
    series = {"a": [1, 2, None], "b": [10, None, 30], "gone": [None] * 3}
    assert evaluate(expression, series) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "SEARCH('x', 'Sum', 60)",
        "RATE(a)",
        "FILL(a, REPEAT)",
        "FILL(a)",
        "FILL(1, 0)",
        "IF(1, a, 0)",
        "a ^ 2",
        "a == 1",
        "0 < a < 3",
        "a AND a",
        "a and a",
        "-a",
        "m1",
        "a / 0",
        "1 + 1",
        "True",
        "a +",
        "a.real",
        "__import__('os')",
    ],
)
def test_what_is_not_written_down_is_refused(expression: str) -> None:
    """A guess at what CloudWatch makes of it would rehearse nothing."""
    with pytest.raises(UnknownMathError):
        evaluate(expression, {"a": [1, 2]})


def test_names_are_those_of_series() -> None:
    """Not of functions."""
    assert names_in("IF(FILL(a, 0) > 1, b, 0)") == {"a", "b"}


def _stat(period: int, namespace: str = "AWS/Lambda") -> dict[str, object]:
    return {"Period": period, "Metric": {"Namespace": namespace}}


def properties(**changes: object) -> dict[str, object]:
    """An alarm's properties: twice the rule's value over what was written, 2 of 3."""
    return {
        "AlarmName": "one",
        "Metrics": [
            {"Id": "e", "Expression": "FILL(half, 0) * 2", "ReturnData": True},
            {"Id": "half", "Expression": "FILL(hot, 0) / 2", "ReturnData": False},
            {"Id": "m", "MetricStat": _stat(60), "ReturnData": False},
            {
                "Id": "hot",
                "Expression": "INSIGHT_RULE_METRIC('rule', 'MaxContributorValue')",
                "Period": 60,
                "ReturnData": False,
            },
        ],
        "Threshold": 5,
        "ComparisonOperator": "GreaterThanThreshold",
        "DatapointsToAlarm": 2,
        "EvaluationPeriods": 3,
        "TreatMissingData": "notBreaching",
        **changes,
    }


def test_an_alarm_is_read_from_its_template() -> None:
    """Expressions that read one another are put in order; a rule is an input like a metric."""
    alarm = Alarm.of_properties(properties())
    assert alarm.inputs == ("m", "hot")
    assert alarm.rules == {"hot": ("rule", "MaxContributorValue")}
    assert alarm.values({"m": [1, 1], "hot": [4, None]}) == [4, 0]
    states = replay(alarm, {"m": [0] * 6, "hot": [0, 6, 6, None, 0, 0]})
    assert states == ["OK", "OK", "ALARM", "ALARM", "OK", "OK"]


def test_an_alarm_on_a_gap_of_dynamodbs_keeps_its_state() -> None:
    """Whatever it was told about missing data: hence every input is filled."""
    metrics = [
        {"Id": "e", "Expression": "m * 1", "ReturnData": True},
        {"Id": "m", "MetricStat": _stat(60, "AWS/DynamoDB"), "ReturnData": False},
    ]
    series = {"m": [6, 6, 6, *[None] * 9]}
    for fill, last in (("m * 1", "ALARM"), ("FILL(m, 0)", "OK")):
        alarm = Alarm.of_properties(
            properties(Metrics=[metrics[0] | {"Expression": fill}, metrics[1]])
        )
        assert replay(alarm, series)[-1] == last


def _expressions(**texts: str) -> list[Mapping[str, object]]:
    return [
        {"Id": id_, "Expression": text, "ReturnData": id_ == "e"} for id_, text in texts.items()
    ] + [{"Id": "m", "MetricStat": _stat(60), "ReturnData": False}]


@pytest.mark.parametrize(
    "changes",
    [
        {"TreatMissingData": "hope"},
        {"Metrics": _expressions(e="f + m", f="e + m")},
        {
            "Metrics": [
                *_expressions(e="m + n"),
                {"Id": "n", "MetricStat": _stat(300), "ReturnData": False},
            ]
        },
        {"Metrics": _expressions(e="m", f="INSIGHT_RULE_METRIC('rule')")},
    ],
)
def test_an_alarm_that_cannot_be_rehearsed_is_refused(changes: dict[str, object]) -> None:
    """Unknown treatments, circles, mixed periods, rules half named."""
    with pytest.raises(UnknownMathError):
        Alarm.of_properties(properties(**changes))


def test_a_composite_alarm_is_on_while_any_of_its_alarms_is() -> None:
    """Insufficient data is not on."""
    rule = '(ALARM("a") OR ALARM("b"))'
    assert any_fires(rule, {"a": State.OK, "b": State.ALARM})
    assert not any_fires(rule, {"a": State.OK, "b": State.INSUFFICIENT_DATA})


@pytest.mark.parametrize(
    "rule", ['ALARM("a")', '(ALARM("a") AND ALARM("b"))', '(OK("a") OR ALARM("b"))', "()", ""]
)
def test_other_rules_are_refused(rule: str) -> None:
    """What they come to is not written down."""
    with pytest.raises(UnknownMathError):
        any_fires(rule, {"a": State.ALARM, "b": State.ALARM})
