"""Draws a dashboard as its JSON lays it out: graphs with their thresholds, and texts."""

import re
import textwrap
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ops.metrics import Recorder
from ops.pictures.lines import Line, lines_of

Json = Any
_COLUMNS: Final = 24
_INCHES: Final = 0.72  # a column; a row is as high
_ROW_INCHES: Final = 0.5
_GAP: Final = (0.75, 0.62)  # inches that ticks and titles take, at the left and below
_COLOURS: Final = (
    *("#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#17becf", "#e377c2", "#7f7f7f"),
    *("#bcbd22", "#aec7e8", "#98df8a", "#c5b0d5", "#c49c94", "#9edae5", "#f7b6d2"),
)
_DPI: Final = 80
_FAR: Final = 4.0  # a threshold so many times above what is drawn would flatten it


class UnknownWidgetError(ValueError):
    """A dashboard has a widget that this cannot draw."""


def draw(body: Json, recorder: Recorder, title: str, path: Path) -> None:
    """Draws a whole dashboard into a PNG file.

    Raises:
        UnknownWidgetError: a widget is of a kind, or has an option, that is not known here.
        UnknownMathError: an expression is.
    """
    widgets = body["widgets"]
    rows = max(widget["y"] + widget["height"] for widget in widgets)
    figure = Figure(figsize=(_COLUMNS * _INCHES, rows * _ROW_INCHES + 0.5), facecolor="white")
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.15 / height, title, fontsize=15, fontweight="bold", va="top")
    for widget in widgets:
        left, top = widget["x"] * _INCHES, height - 0.5 - widget["y"] * _ROW_INCHES
        wide, high = widget["width"] * _INCHES, widget["height"] * _ROW_INCHES
        box = (left, top - high, wide, high)
        if widget["type"] == "text":
            _text(figure, widget["properties"]["markdown"], box)
        elif widget["type"] == "metric":
            _graph(figure, widget, recorder, box)
        else:
            raise UnknownWidgetError(f"{widget['type']}: no widget that is known here")
    figure.savefig(path, dpi=_DPI, pil_kwargs={"optimize": True})


def _text(figure: Figure, markdown: str, box: tuple[float, float, float, float]) -> None:
    left, bottom, wide, high = box
    y = bottom + high - 0.08
    for paragraph in filter(None, markdown.split("\n\n")):
        heading = re.match(r"(#+) ", paragraph)
        plain = re.sub(r"[*`]|^#+ ", "", paragraph)
        size = {None: 9.0, "##": 13.0, "###": 11.0}[heading[1] if heading else None]
        for line in textwrap.wrap(plain, int(wide * 110 / size * 1.1)):
            figure.text(
                (left + 0.15) / figure.get_figwidth(),
                y / figure.get_figheight(),
                line,
                fontsize=size,
                fontweight="bold" if heading else "normal",
                color="#111" if heading else "#333",
                va="top",
            )
            y -= size / 72 * 1.45


def _graph(
    figure: Figure, widget: Json, recorder: Recorder, box: tuple[float, float, float, float]
) -> None:
    properties = widget["properties"]
    if properties.get("view") != "timeSeries" or "right" in properties.get("yAxis", {}):
        raise UnknownWidgetError(
            f"{properties.get('title')}: only lines over a left axis are known"
        )
    left, bottom, wide, high = box
    gap_left, gap_below = _GAP
    width, height = figure.get_figwidth(), figure.get_figheight()
    legend = 0.16 * min(4, _legend_rows(widget, recorder))
    axes = figure.add_axes(
        (
            (left + gap_left) / width,
            (bottom + gap_below - 0.2 + legend) / height,
            (wide - gap_left - 0.2) / width,
            (high - gap_below - 0.1 - legend) / height,
        )
    )
    axes.set_title(properties["title"], fontsize=9, loc="left", fontweight="bold", pad=4)
    lines = lines_of(widget, recorder)
    _lines(axes, lines, stacked=properties.get("stacked", False))
    _axes(axes, lines, properties)
    _thresholds(axes, properties.get("annotations", {}).get("horizontal", []))
    if not lines:  # a contributor rule that nobody contributed to
        return
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(0, -0.16),
        fontsize=6.5,
        ncols=_legend_columns(widget),
        frameon=False,
        borderaxespad=0,
        columnspacing=1,
        handlelength=1.2,
        labelspacing=0.2,
    )


def _legend_columns(widget: Json) -> int:
    return max(1, int(widget["width"]) // 4)


def _legend_rows(widget: Json, recorder: Recorder) -> int:
    return -(-len(lines_of(widget, recorder)) // _legend_columns(widget))


def _lines(axes: Axes, lines: list[Line], *, stacked: bool) -> None:
    for number, line in enumerate(lines):
        xs = [i * line.period_seconds / 60 for i in range(len(line.values))]
        colour = _COLOURS[number % len(_COLOURS)]
        label = line.label.strip()
        if stacked:
            continue
        ys = [float("nan") if value is None else value for value in line.values]
        size = 2.5 if len(ys) > 1 else 6
        axes.plot(xs, ys, color=colour, label=label, linewidth=1.4, marker="o", markersize=size)
    if stacked and lines:
        xs = [i * lines[0].period_seconds / 60 for i in range(len(lines[0].values))]
        filled = [[value or 0.0 for value in line.values] for line in lines]
        labels = [line.label for line in lines]
        axes.stackplot(xs, filled, labels=labels, colors=_COLOURS[: len(lines)], alpha=0.85)


def _axes(axes: Axes, lines: list[Line], properties: Json) -> None:
    label = properties.get("yAxis", {}).get("left", {}).get("label", "")
    axes.set_ylabel(label, fontsize=7.5)
    axes.set_ylim(bottom=0)
    most = max((value for line in lines for value in line.values if value is not None), default=0)
    if not most:
        axes.set_ylim(top=1)
    last = max(((len(line.values) - 1) * line.period_seconds / 60 for line in lines), default=0)
    axes.set_xlim(0, last or 5)
    axes.tick_params(labelsize=7)
    axes.grid(color="#e5e5e5", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _thresholds(axes: Axes, annotations: list[Json]) -> None:
    """Lines of alarms; one far above all that is drawn is told at the top instead."""
    top = axes.get_ylim()[1]
    near = [one for one in annotations if one["value"] <= top * _FAR]
    if len(near) < len(annotations):
        axes.set_ylim(top=1.3 * top)  # room to tell of those that are far
    if near:
        axes.set_ylim(top=max(top, 1.25 * max(one["value"] for one in near)))
    for number, one in enumerate(sorted(annotations, key=lambda each: -each["value"])):
        if one in near:
            axes.axhline(one["value"], color=one["color"], linewidth=1.1, linestyle="--")
            where, text = one["value"], f"{one['label']}: {one['value']:g}"
            transform = axes.get_yaxis_transform()
        else:
            where, text = 0.97 - 0.1 * number, f"{one['label']}: {one['value']:g}, far above"
            transform = axes.transAxes
        up = "bottom" if one in near else "top"
        axes.text(0.99, where, text, transform=transform, fontsize=6.5, color=one["color"],
                  ha="right", va=up)  # fmt: skip
