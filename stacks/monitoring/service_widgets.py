"""The dashboard that says whether players are served."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch

from lambdas import names
from stacks.monitoring.alarm import Watch
from stacks.monitoring.drawn import Drawn, Library
from stacks.monitoring.metrics import MINUTE
from stacks.monitoring.serving_alarms import FLOORS
from stacks.monitoring.widgets import graph, text

Row = list[cloudwatch.IWidget]
_ANSWERS: Final[Mapping[str, str]] = {
    "exact, from the index": names.METRIC_ANSWERS_EXACT_INDEX,
    "exact, from the counters": names.METRIC_ANSWERS_EXACT_COUNTERS,
    "estimated": names.METRIC_ANSWERS_ESTIMATED,
    "unranked": names.METRIC_ANSWERS_UNRANKED,
}
_PLAYED: Final = (names.SUBMIT, names.READ)
_HOT_KEYS: Final = ("KeyRangeThroughput",)
_LIMITS: Final = ("AccountLimit", "MaxOnDemandThroughput")


def service_rows(drawn: Drawn, watches: Mapping[str, Watch]) -> list[Row]:
    """Its rows: what callers get, how long they wait, what they are told, what was refused room."""
    return [
        [
            text(
                "## Are players served?",
                "**Good**: errors and throttles at 0, p99 under the orange lines, ranges under"
                " theirs. A line of an alarm is crossed for minutes before the alarm goes off.",
                height=3,
                runbooks=("players-notice", "api-errors", "api-slow", "wide-ranges"),
            )
        ],
        [_requests(drawn), _errors(drawn, watches), _throttled(drawn, watches)],
        [_latency(drawn, watches, group) for group in FLOORS],
        [text("### At the gateway: what callers see, cold starts and refusals included", height=1)],
        Library(drawn, "ServiceWidgets").gateway(),
        [
            text(
                "### What players are told",
                "**Good**: ranks are exact, or estimated within the promise. Unranked players"
                " are new ones that are not counted yet: more of them for longer says that"
                " counting is behind.",
                height=2,
            )
        ],
        [_answers(drawn), _widths(drawn, watches), _outcomes(drawn)],
        [
            text(
                "### Who was refused room",
                "**Good**: nothing. Hot keys and limits have different remedies.",
                height=2,
                runbooks=("throttles", "functions"),
            )
        ],
        [
            _table_throttles(drawn, watches, "hot keys", "hot-keys", _HOT_KEYS),
            _table_throttles(drawn, watches, "limits", "limits", _LIMITS),
            _functions(drawn),
        ],
    ]


def _requests(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(group, names.METRIC_REQUESTS, "Sum").with_(label=group)
        for group in FLOORS
    ]
    return graph("Requests by API group", lines, unit="a minute")


def _errors(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [
        drawn.signals.answered_with(group, names.METRIC_SERVER_ERRORS, floor).metric(group)
        for group, floor in FLOORS.items()
    ]
    shown = [watches[f"read-api-errors-{severity}"] for severity in ("warning", "critical")]
    return graph("Answered with an error of ours", lines, unit="% of calls", watches=shown)


def _throttled(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [
        drawn.signals.answered_with(group, names.METRIC_CALLS_THROTTLED, FLOORS[group]).metric(
            group
        )
        for group in _PLAYED
    ]
    shown = [watches["submit-api-throttled-warning"]]
    return graph("Answered 429", lines, unit="% of calls", watches=shown)


def _latency(drawn: Drawn, watches: Mapping[str, Watch], group: str) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.function(group, "Duration", statistic).with_(label=statistic)
        for statistic in ("p50", "p99")
    ]
    shown = [watch for name, watch in watches.items() if name.startswith(f"{group}-api-slow-")]
    return graph(f"Latency of {group}", lines, unit="ms", watches=shown)


def _answers(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [_both(drawn, label, metric) for label, metric in _ANSWERS.items()]
    return graph("Ranks by what they rest on", lines, unit="a minute", stacked=True)


def _both(drawn: Drawn, label: str, metric: str) -> cloudwatch.MathExpression:
    """Ranks are answered to reads, and to submits."""
    used = {
        f"{metric[0].lower()}{metric[1:]}_{group}": drawn.metrics.own(group, metric, "Sum")
        for group in _PLAYED
    }
    expression = " + ".join(f"FILL({name}, 0)" for name in used)
    return cloudwatch.MathExpression(
        expression=expression, using_metrics=used, label=label, period=MINUTE
    )


def _widths(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(names.READ, names.METRIC_RANGE_WIDTH, statistic).with_(label=statistic)
        for statistic in ("p50", "p99")
    ]
    return graph(
        "Width of estimated ranks",
        lines,
        unit="% of the population",
        watches=[watches["rank-ranges-wide-warning"]],
    )


def _outcomes(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(names.SUBMIT, metric, "Sum").with_(label=outcome)
        for outcome, metric in names.METRIC_OUTCOMES.items()
    ]
    return graph("What submits did, a window", lines, unit="a minute", stacked=True)


def _table_throttles(
    drawn: Drawn, watches: Mapping[str, Watch], title: str, failure: str, limits: tuple[str, ...]
) -> cloudwatch.IWidget:
    lines = [drawn.signals.throttles(of, *limits).metric(of) for of in drawn.metrics.capacities]
    shown = [watches[f"scores-{failure}-warning"]]
    return graph(f"DynamoDB throttles: {title}", lines, unit="a minute", watches=shown)


def _functions(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.function(name, metric, "Sum").with_(label=f"{name}: {metric.lower()}")
        for metric in ("Errors", "Throttles")
        for name in drawn.service.functions
    ]
    return graph("Functions: errors and throttles", lines, unit="a minute")
