"""A little SVG: a canvas of lines, marks and text, and the axes of a chart.

Drawn here because no chart library is among the packages; colours are those of Okabe and Ito,
which the colour-blind tell apart, and every series has a mark of its own as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import log10
from typing import Final, Literal

COLOURS: Final = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#8c6d31",
    "#000000",
)
MARKS: Final = ("circle", "square", "triangle", "diamond", "turned", "cross", "ring", "bar")
FLOOR: Final = -1  # the last series, a black bar: for what the others are held against
INK: Final = "#222222"
GRID: Final = "#dddddd"
TEXT_SIZE: Final = 13
CHARACTER: Final = 7.0  # about the width of one at that size

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """An axis: what it shows, from where to where, and its ticks as value and label.

    Values beyond an end are drawn at that end.
    """

    label: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    is_log: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, 0 to 1."""
        value = min(max(value, self.low), self.high)
        if self.is_log:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


class Canvas:
    """A picture on white, its origin at the upper left; finished by `svg`."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._width, self._height, self._title = width, height, title
        self._parts: list[str] = []

    def svg(self) -> str:
        """The document."""
        size = f'width="{self._width:g}" height="{self._height:g}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
            f'viewBox="0 0 {self._width:g} {self._height:g}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="{TEXT_SIZE}">'
        )
        background = '<rect width="100%" height="100%" fill="#ffffff"/>'
        title = f"<title>{escape(self._title)}</title>"
        return "\n".join([head, title, background, *self._parts, "</svg>"]) + "\n"

    def line(self, points: Iterable[Point], colour: str = GRID, width: float = 1) -> None:
        """A line through some points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'
        )

    def text(
        self,
        at: Point,
        text: str,
        anchor: Anchor = "start",
        *,
        is_bold: bool = False,
        is_upright: bool = False,
    ) -> None:
        """Text, its baseline at a point; upright runs from below to above."""
        x, y = at
        weight = ' font-weight="bold"' if is_bold else ""
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if is_upright else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}"{weight}{turn}>'
            f"{escape(text)}</text>"
        )

    def mark(self, series: int, at: Point, size: float = 5) -> None:
        """The mark of a series, in its colour, `size` from its middle to its edge."""
        colour, kind = COLOURS[series % len(COLOURS)], MARKS[series % len(MARKS)]
        x, y = at
        fill, edge = f'fill="{colour}"', f'fill="none" stroke="{colour}" stroke-width="2"'
        corners: dict[str, list[Point]] = {
            "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
            "triangle": [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
            "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
            "turned": [(0, 1.2), (1.1, -0.9), (-1.1, -0.9)],
            "bar": [(-0.25, -1.3), (0.25, -1.3), (0.25, 1.3), (-0.25, 1.3)],
        }
        if kind in corners:
            path = " ".join(f"{x + dx * size:.1f},{y + dy * size:.1f}" for dx, dy in corners[kind])
            self._parts.append(f'<polygon points="{path}" {fill}/>')
        elif kind == "cross":
            self.line([(x - size, y - size), (x + size, y + size)], colour, 2.5)
            self.line([(x - size, y + size), (x + size, y - size)], colour, 2.5)
        else:
            style = edge if kind == "ring" else fill
            self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {style}/>')


def text_width(text: str) -> float:
    """About how wide a text is."""
    return len(text) * CHARACTER
