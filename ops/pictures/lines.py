"""What the graphs of a dashboard show: every line of a widget, computed from recorded metrics."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ops.metrics import Recorder
from ops.pictures.body import metric_on_rig
from ops.rehearsal import Series, UnknownMathError, evaluate, names_in

Json = Any
_DEFAULT_PERIOD: Final = 300  # of a dashboard's metric that names none
_INSIGHT: Final = re.compile(r"INSIGHT_RULE_METRIC\('[^']+', 'MaxContributorValue'\)")


@dataclass(frozen=True)
class Line:
    """One line of a graph.

    Attributes:
        values: one a period, oldest first.
    """

    label: str
    period_seconds: int
    values: Series


def lines_of(widget: Json, recorder: Recorder) -> list[Line]:
    """The visible lines of a graph.

    Raises:
        UnknownMathError: an expression uses what is not known here.
    """
    if "insightRule" in widget["properties"]:
        return _contributors(widget["properties"], recorder)
    found = _Rows(widget["properties"]["metrics"], recorder)
    return [found.line(options) for options in found.visible]


class _Rows:
    """The rows that a graph's metrics are written in: each may leave out what the last one said."""

    def __init__(self, rows: list[Json], recorder: Recorder) -> None:
        self._recorder = recorder
        self._by_id: dict[str, Json] = {}
        self.visible: list[Json] = []
        before: list[str] = []
        for number, row in enumerate(rows):
            options = dict(row[-1]) if isinstance(row[-1], dict) else {}
            said = [one for one in row if not isinstance(one, dict)]
            if said:
                before = _spelt_out(said, before)
                options["metric"] = before
            self._by_id[options.get("id", f"unnamed{number}")] = options
            if options.get("visible", True):
                self.visible.append(options)

    def line(self, options: Json) -> Line:
        period = self._period(options)
        values = self._values(options, period)
        label = options.get("label") or options["metric"][1]
        return Line(_filled_in(label, values), period, values)

    def _period(self, options: Json) -> int:
        if "period" in options:
            return int(options["period"])
        read = self._read_by(options)
        return min((self._period(self._named(id_)) for id_ in read), default=_DEFAULT_PERIOD)

    def _named(self, id_: str) -> Json:
        if id_ not in self._by_id:
            raise UnknownMathError(f"{id_}: no metric and no function of that name")
        return self._by_id[id_]

    def _read_by(self, options: Json) -> set[str]:
        expression = options.get("expression", "INSIGHT_")
        return set() if expression.startswith("INSIGHT_") else names_in(expression)

    def _values(self, options: Json, period: int) -> Series:
        if "expression" not in options:
            namespace, name, *pairs = options["metric"]
            of = dict(zip(pairs[::2], pairs[1::2], strict=True))
            metric = metric_on_rig(namespace, name, of)
            return self._recorder.series(metric, options.get("stat", "Average"), period)
        expression = options["expression"]
        if expression.startswith("INSIGHT_"):
            if not _INSIGHT.fullmatch(expression):
                raise UnknownMathError(f"{expression}: not known here")
            return self._recorder.hottest(period)
        read = {id_: self._values(self._named(id_), period) for id_ in self._read_by(options)}
        return evaluate(expression, read, period)


def _contributors(properties: Json, recorder: Recorder) -> list[Line]:
    """The hottest contributors over all that was recorded, hottest first."""
    period = properties["period"]
    periods = recorder.contributors(period)
    total = sum(periods, type(periods[0])()) if periods else {}
    most = properties["insightRule"]["maxContributorCount"]
    hottest = sorted(total, key=lambda one: (-total[one], one))[:most]
    return [
        Line(name, period, [float(one[name]) if name in one else None for one in periods])
        for name in hottest
    ]


def _spelt_out(said: list[str], before: list[str]) -> list[str]:
    """A metric with `.` for what the row before said and `...` for all that it said at first."""
    if said[0] == "...":
        return [*before[: len(before) - len(said) + 1], *said[1:]]
    return [before[i] if one == "." else one for i, one in enumerate(said)]


def _filled_in(label: str, values: Series) -> str:
    """A label with its figures.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/graph-dynamic-labels.html
    """
    known = [value for value in values if value is not None]
    figures: Mapping[str, float] = (
        {"AVG": sum(known) / len(known), "MAX": max(known)} if known else {}
    )
    return re.sub(
        r"\$\{(\w+)\}", lambda m: f"{figures[m[1]]:.3g}" if m[1] in figures else "-", label
    )
