"""The two charts that the studies draw: a row of dots a subject, and panels of lines."""

from collections.abc import Mapping, Sequence
from typing import Final

from ops.studies.svg import COLOURS, FLOOR, GRID, INK, Axis, Canvas, Point, text_width

WIDTH: Final = 900.0
_ROW: Final = 26.0
_HEAD: Final = 66.0  # title and legend
_FOOT: Final = 52.0  # ticks and label of the axis below
_EDGE: Final = 24.0
_LARGEST: Final = 7.5  # the first series' dot; those that follow are drawn smaller, above it

Lines = Mapping[str, Sequence[Point]]


def dots(
    title: str, axis: Axis, rows: Mapping[str, Mapping[str, float]], *, floor: str | None = None
) -> str:
    """A row for each subject, a dot for each of its values, by the names of their series.

    The series named as the floor is a black bar.
    """
    names = list(next(iter(rows.values())))
    numbers = {name: FLOOR if name == floor else number for number, name in enumerate(names)}
    left = max(map(text_width, rows)) + _EDGE
    canvas = Canvas(WIDTH, _HEAD + _ROW * len(rows) + _FOOT, title)
    _head(canvas, title, numbers)
    bottom = _HEAD + _ROW * len(rows)
    _x_axis(canvas, axis, (left, WIDTH - _EDGE), (_HEAD, bottom))
    for number, (subject, values) in enumerate(rows.items()):
        y = _HEAD + _ROW * (number + 0.5)
        canvas.line([(left, y), (WIDTH - _EDGE, y)])
        canvas.text((left - 10, y + 4), subject, "end")
        for name, series in numbers.items():
            x = left + axis.share(values[name]) * (WIDTH - _EDGE - left)
            canvas.mark(series, (x, y), _LARGEST - 1.25 * max(0, series))
    return canvas.svg()


def lines(
    title: str,
    x: Axis,
    y: Axis,
    panels: Mapping[str, Lines],
    *,
    columns: int = 2,
    height: float = 230,
    unjoined: str | None = None,
) -> str:
    """Panels side by side and below each other, all with the same axes and series.

    The points of the series named as unjoined have no line.
    """
    names = dict.fromkeys(name for panel in panels.values() for name in panel)
    numbers = {name: number for number, name in enumerate(names)}
    down = -(-len(panels) // columns)
    gap, left = 34.0, 62.0
    across = (WIDTH - left - _EDGE - gap * (columns - 1)) / columns
    canvas = Canvas(WIDTH, _HEAD + down * (height + gap) + _FOOT - gap + 18, title)
    _head(canvas, title, numbers)
    for number, (panel, drawn) in enumerate(panels.items()):
        row, column = divmod(number, columns)
        start = left + column * (across + gap)
        top = _HEAD + 18 + row * (height + gap)
        lowest = row == down - 1 or number + columns >= len(panels)
        canvas.text((start, top - 8), panel, is_bold=True)
        _x_axis(canvas, x, (start, start + across), (top, top + height), named=lowest)
        _y_axis(canvas, y, (start, start + across), (top, top + height), named=column == 0)
        for name, points in drawn.items():
            placed = [
                (start + x.share(px) * across, top + height - y.share(py) * height)
                for px, py in points
            ]
            if name != unjoined:
                canvas.line(placed, COLOURS[numbers[name]], 2)
            for point in placed:
                canvas.mark(numbers[name], point, 7 if name == unjoined else 4.5)
    return canvas.svg()


def _head(canvas: Canvas, title: str, numbers: Mapping[str, int]) -> None:
    canvas.text((_EDGE, 24), title, is_bold=True)
    x = _EDGE + 6
    for name, series in numbers.items():
        canvas.mark(series, (x, 46))
        canvas.text((x + 12, 50), name)
        x += 12 + text_width(name) + 22


def _x_axis(canvas: Canvas, axis: Axis, across: Point, down: Point, *, named: bool = True) -> None:
    (left, right), (top, bottom) = across, down
    for value, label in axis.ticks:
        x = left + axis.share(value) * (right - left)
        canvas.line([(x, top), (x, bottom)])
        if named:
            canvas.text((x, bottom + 18), label, "middle")
    canvas.line([(left, bottom), (right, bottom)], INK)
    if named:
        canvas.text(((left + right) / 2, bottom + 38), axis.label, "middle")


def _y_axis(canvas: Canvas, axis: Axis, across: Point, down: Point, *, named: bool) -> None:
    (left, right), (top, bottom) = across, down
    for value, label in axis.ticks:
        y = bottom - axis.share(value) * (bottom - top)
        canvas.line([(left, y), (right, y)], GRID)
        if named:
            canvas.text((left - 8, y + 4), label, "end")
    canvas.line([(left, top), (left, bottom)], INK)
    if named:
        canvas.text((left - 46, (top + bottom) / 2), axis.label, "middle", is_upright=True)
