"""How a dashboard's panels are made: graphs with the thresholds of alarms drawn in, and texts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import jsii
from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch

from stacks.monitoring.alarm import RUNBOOKS, Severity, Watch
from stacks.monitoring.metrics import Metric

WHOLE: Final = 24  # columns of a dashboard
THIRD: Final = 8
HEIGHT: Final = 6
_COLOURS: Final[Mapping[Severity, str]] = {
    Severity.WARNING: cloudwatch.Color.ORANGE,
    Severity.CRITICAL: cloudwatch.Color.RED,
}
_MOST_ITEMS: Final = 10


def graph(
    title: str,
    lines: Sequence[Metric],
    *,
    unit: str,
    watches: Sequence[Watch] = (),
    stacked: bool = False,
    width: int = THIRD,
) -> cloudwatch.GraphWidget:
    """Lines over time from zero up, with what the given alarms call bad.

    Args:
        title: What is drawn.
        lines: Each with its label.
        unit: Of the axis.
        watches: Alarms over what is drawn, in the same unit; their thresholds become lines.
        stacked: For parts of a whole.
        width: In columns.
    """
    return cloudwatch.GraphWidget(
        title=title,
        left=list(lines),
        left_y_axis=cloudwatch.YAxisProps(min=0, label=unit, show_units=False),
        left_annotations=[_threshold(watch) for watch in watches],
        stacked=stacked,
        width=width,
        height=HEIGHT,
    )


def text(*paragraphs: str, height: int, runbooks: Sequence[str] = ()) -> cloudwatch.TextWidget:
    """Words across the whole width, with the runbooks to read on in."""
    pages = ", ".join(f"`{RUNBOOKS}/{name}.md`" for name in runbooks)
    said = [*paragraphs, f"Runbooks: {pages}"] if pages else list(paragraphs)
    return cloudwatch.TextWidget(markdown="\n\n".join(said), width=WHOLE, height=height)


class HottestItemsWidget(cloudwatch.ConcreteWidget):
    """The top of a contributor rule; CDK has no widget for it."""

    def __init__(self, title: str, rule: str, *, stack: Stack, width: int) -> None:
        """Declares it for the rule of that name."""
        super().__init__(width, HEIGHT)
        self._title, self._rule, self._region, self._columns = title, rule, stack.region, width

    @jsii.member(jsii_name="toJson")
    def to_json(self) -> list[Any]:
        """The widget as the body of a dashboard spells it."""
        rule = {"maxContributorCount": _MOST_ITEMS, "orderBy": "Sum", "ruleName": self._rule}
        return [
            {
                "type": "metric",
                "width": self._columns,
                "height": HEIGHT,
                "x": self._x,
                "y": self._y,
                "properties": {
                    "view": "timeSeries",
                    "title": self._title,
                    "region": self._region,
                    "period": 60,
                    "insightRule": rule,
                    "legend": {"position": "right"},
                },
            }
        ]


def _threshold(watch: Watch) -> cloudwatch.HorizontalAnnotation:
    return cloudwatch.HorizontalAnnotation(
        value=watch.threshold, label=watch.name, color=_COLOURS[watch.severity]
    )
