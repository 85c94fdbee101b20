"""The distribution of a board's scores as a bar chart of a terminal's size."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from ops.listings import range_line, score_line
from ops.present import (
    MARK,
    Answer,
    explain_line,
    many,
    number,
    percentile_line,
    rank_line,
    with_lines,
)

MOST_ROWS: Final = 24
FEWEST_ROWS: Final = 6
OTHER_LINES: Final = 14  # quantiles, the player's line and the prompt share the screen
NARROWEST_BAR: Final = 8
LONGEST_MARK: Final = 24
_EIGHTHS: Final = " \u258f\u258e\u258d\u258c\u258b\u258a\u2589"
_FULL: Final = "\u2588"


class Row(NamedTuple):
    """A row of the chart: neighbouring buckets together, both edges included."""

    low: int
    high: int
    players: int


def distribution_chart(
    answer: Answer, standing: Answer | None = None, *, height: int = MOST_ROWS + OTHER_LINES
) -> RenderableType:
    """How a board's scores are spread, and where a player stands among them.

    Args:
        answer: The distribution.
        standing: The rank answer of the player whose row is marked; None for none.
        height: The lines of the terminal; a higher one shows finer rows.
    """
    buckets = answer["buckets"]
    lines: list[RenderableType] = []
    if not buckets:
        lines.append(Text("No scores are counted yet."))
    else:
        most = max(FEWEST_ROWS, min(MOST_ROWS, height - OTHER_LINES))
        rows, each = merged([Row(b["low"], b["high"], b["count"]) for b in buckets], most)
        lines.append(Bars(rows, standing))
        lines.append(with_lines(Text(_scale_line(answer, each), style="dim"), explain_line(answer)))
    if standing is not None:
        lines.append(Text(_player_line(standing)))
    if answer.get("quantiles") and buckets:
        lines.append(quantiles_table(answer["quantiles"]))
    return Group(*lines)


def merged(buckets: Sequence[Row], most: int) -> tuple[list[Row], int]:
    """At most so many rows, each of the same number of neighbouring buckets, and that number.

    A row reaches from the outermost edges of its buckets, whichever way they are ordered; what it
    counts is their sum.
    """
    each = -(-len(buckets) // most)
    groups = [buckets[start : start + each] for start in range(0, len(buckets), each)]
    return [
        Row(min(b.low for b in group), max(b.high for b in group), sum(b.players for b in group))
        for group in groups
    ], each


class Bars:
    """Rows of scores, bars and counts, as wide as the terminal."""

    def __init__(self, rows: Sequence[Row], standing: Answer | None) -> None:
        """Bars of these rows, the one that holds the player's score marked."""
        self._rows = rows
        standing = standing or {}
        self._score = standing.get("score")
        self._player = str(standing.get("player_id", ""))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the rows out in the width there is."""
        labels = [range_line(row.low, row.high) for row in self._rows]
        counts = [number(row.players) for row in self._rows]
        marks = [self._mark(row, options.ascii_only) for row in self._rows]
        texts = (labels, counts, marks)
        taken = sum(max(map(cell_len, column)) for column in texts) + 2 * len(texts)
        width = max(NARROWEST_BAR, options.max_width - taken)
        table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="left", no_wrap=True, width=width)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True)
        most = max(row.players for row in self._rows)
        for row, label, count, mark in zip(self._rows, labels, counts, marks, strict=True):
            drawn = bar(row.players, most, width, ascii_only=options.ascii_only)
            table.add_row(label, Text(drawn, "bold" if mark else "cyan"), count, Text(mark, "bold"))
        yield table

    def _mark(self, row: Row, ascii_only: bool) -> str:
        if self._score is None or not row.low <= self._score <= row.high:
            return ""
        mark = Text(f"{'<' if ascii_only else MARK} {self._player}")
        mark.truncate(LONGEST_MARK, overflow="crop" if ascii_only else "ellipsis")
        return mark.plain


def bar(count: int, most: int, width: int, *, ascii_only: bool = False) -> str:
    """A bar of a count, the longest `width` wide; what is not zero shows at least a sliver."""
    if ascii_only:
        return "#" * max(count > 0, count * width // most)
    eighths = max(int(count > 0), count * width * 8 // most)
    return (_FULL * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def quantiles_table(quantiles: Sequence[Answer]) -> RenderableType:
    """The last rank within each share of the board, and the score there."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="dim")
    table.add_column(justify="right")
    table.add_column()
    for one in quantiles:
        rank = f"rank {number(one['rank'])}" if one.get("rank") is not None else ""
        table.add_row(f"top {one['percentile']:g} %", rank, f"score {score_line(one)}")
    return table


def _scale_line(answer: Answer, each: int) -> str:
    players = many(answer["population"], "player") if answer.get("population") is not None else ""
    rows = "" if each == 1 else f"a row is up to {each} neighbouring cells"
    return "; ".join(text for text in (players, rows) if text)


def _player_line(standing: Answer) -> str:
    player = f"{standing.get('player_id')}: "
    if standing.get("score") is not None:
        player += f"score {number(standing['score'])}, "
    share = percentile_line(standing)
    return player + rank_line(standing) + (f", {share}" if share else "")
