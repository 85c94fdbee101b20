"""The bar chart: every player in one row, every bar in proportion, at any width."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from ops.chart import MOST_ROWS, Row, bar, distribution_chart, merged

BUCKETS = [Row(ten * 10, ten * 10 + 9, ten + 1) for ten in range(100)]


@pytest.mark.parametrize("most", [1, 6, 24, 99, 100, 500])
@pytest.mark.parametrize("buckets", [BUCKETS, BUCKETS[::-1], BUCKETS[:1]])
def test_rows_count_every_player_once(buckets: list[Row], most: int) -> None:
    """Whichever way the buckets are ordered, and with no more rows than there is room for."""
    rows, each = merged(buckets, most)
    assert len(rows) <= most
    assert sum(row.players for row in rows) == sum(bucket.players for bucket in buckets)
    assert min(row.low for row in rows) == min(bucket.low for bucket in buckets)
    assert max(row.high for row in rows) == max(bucket.high for bucket in buckets)
    assert -(-len(buckets) // each) == len(rows)


def test_the_longest_bar_is_as_wide_as_asked() -> None:
    assert bar(7, 7, 40) == "\u2588" * 40
    assert bar(7, 7, 40, ascii_only=True) == "#" * 40


def test_one_player_among_many_shows_and_nobody_does_not() -> None:
    assert bar(1, 10**9, 40) == "\u258f"
    assert bar(1, 10**9, 40, ascii_only=True) == "#"
    assert bar(0, 10, 40) == ""


def test_bars_never_shrink_as_counts_grow() -> None:
    lengths = [len(bar(count, 1000, 30)) for count in range(1001)]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize("width", [50, 80, 200])
def test_the_chart_fits_its_terminal(width: int) -> None:
    """An id of any length is cut, not wrapped."""
    buckets = [{"low": row.low, "high": row.high, "count": row.players} for row in BUCKETS]
    answer = {"population": 5050, "buckets": buckets, "quantiles": []}
    standing = {"kind": "unranked", "player_id": "\N{RUNNER}" * 60, "score": 500}
    screen = Console(file=io.StringIO(), width=width, highlight=False)
    screen.print(distribution_chart(answer, standing))
    assert isinstance(screen.file, io.StringIO)
    lines = screen.file.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= width
    bars = [line for line in lines if "\u2588" in line or "\u258f" in line]
    assert len(bars) <= MOST_ROWS
    assert sum("\u25c2" in line for line in lines) == 1
