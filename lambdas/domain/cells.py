"""Cells: nested ranges of scores, each level splitting a cell into at most 128 (buckets: 256).

A cell path is one code a level, two base-36 characters each, so that codes sort like the scores
they stand for. Level 1, the buckets, follows the histogram this project grew from:
`min(B - 1, floor(log1p(score) / log(C) * B))` with C the upper end of the range. Its edges are
computed in integers, edge k being the smallest s with (s + 1)^B >= C^k, so that no processor's
floating point can disagree about where a score belongs. Deeper levels are linear: a cell of
width w has n = min(128, w) children, child i starting at low + i * w div n, down to single
scores, where the path ends however many levels the layout has.

Guarantee: the non-empty children of a cell tile it, in order, and `bounds(path(s))` contains s.
Cost: a lookup is one bisection and one division a level; a table of 256 edges takes about
10 ms once a process and is kept.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from math import isqrt
from typing import Final, Literal, NamedTuple

Spacing = Literal["log", "linear"]

SUB_CELLS: Final = 128
MAX_LEVELS: Final = 6
CODE_LENGTH: Final = 2
BUCKET_CHOICES: Final = (64, 128, 256)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
CODES: Final = tuple(a + b for a in _DIGITS for b in _DIGITS)[: max(BUCKET_CHOICES)]
_INDEX_OF: Final = {code: index for index, code in enumerate(CODES)}


class Span(NamedTuple):
    """A range of scores, both ends included; empty when `high < low`."""

    low: int
    high: int

    @property
    def width(self) -> int:
        """How many scores it holds."""
        return self.high - self.low + 1


class Cells:
    """The cells of one layout over one score range."""

    def __init__(self, span: Span, *, buckets: int, spacing: Spacing, levels: int) -> None:
        self.span = span
        self.levels = levels
        self._lows = (
            _linear_lows(span, buckets) if spacing == "linear" else _log_lows(span, buckets)
        )

    def path(self, score: int) -> str:
        """The cell path of a score: one code a level, ending early at a single score.

        Raises:
            ValueError: the score lies outside the range.
        """
        if not self.span.low <= score <= self.span.high:
            raise ValueError(f"{score} is outside {self.span.low} to {self.span.high}")
        index = bisect_right(self._lows, score) - 1
        cell = self._bucket(index)
        codes = [CODES[index]]
        while len(codes) < self.levels and cell.width > 1:
            index = _child_of(cell, score)
            cell = _child(cell, index)
            codes.append(CODES[index])
        return "".join(codes)

    def bounds(self, path: str) -> Span:
        """The scores of a cell, by its path; the empty path is the whole range.

        Raises:
            ValueError: there is no such cell.
        """
        cell = self.span
        for depth, code in enumerate(split_path(path)):
            index = _INDEX_OF.get(code, -1)
            if not 0 <= index < self._child_count(cell, depth) or depth >= self.levels:
                raise ValueError(f"no cell {path!r}")
            cell = self._bucket(index) if depth == 0 else _child(cell, index)
        return cell

    def children(self, path: str) -> Iterator[tuple[str, Span]]:
        """The codes and scores of a cell's children, low to high; empty buckets are left out."""
        cell, depth = self.bounds(path), len(path) // CODE_LENGTH
        if depth >= self.levels or (depth and cell.width == 1):
            return
        for index in range(self._child_count(cell, depth)):
            child = self._bucket(index) if depth == 0 else _child(cell, index)
            if child.width > 0:
                yield CODES[index], child

    def _child_count(self, cell: Span, depth: int) -> int:
        if depth == 0:
            return len(self._lows)
        return min(SUB_CELLS, cell.width) if cell.width > 1 else 0

    def _bucket(self, index: int) -> Span:
        last = index + 1 == len(self._lows)
        return Span(self._lows[index], self.span.high if last else self._lows[index + 1] - 1)


def split_path(path: str) -> list[str]:
    """The codes of a cell path, outermost first."""
    return [path[i : i + CODE_LENGTH] for i in range(0, len(path), CODE_LENGTH)]


def log_serves(span: Span) -> bool:
    """Whether log spacing can serve a range: from 0 up, or spanning zero."""
    return span.high > 0


@lru_cache(maxsize=256)
def cells_of(span: Span, buckets: int, spacing: Spacing, levels: int) -> Cells:
    """The cells of a layout, made once a process: the same arguments give the same cells."""
    return Cells(span, buckets=buckets, spacing=spacing, levels=levels)


def _child(cell: Span, index: int) -> Span:
    n = min(SUB_CELLS, cell.width)
    start, end = index * cell.width // n, (index + 1) * cell.width // n
    return Span(cell.low + start, cell.low + end - 1)


def _child_of(cell: Span, score: int) -> int:
    # The largest i with i * w div n <= score - low, solved for i.
    n = min(SUB_CELLS, cell.width)
    return ((score - cell.low + 1) * n - 1) // cell.width


def _linear_lows(span: Span, buckets: int) -> tuple[int, ...]:
    n = min(buckets, span.width)
    return tuple(span.low + index * span.width // n for index in range(n))


def _log_lows(span: Span, buckets: int) -> tuple[int, ...]:
    if not log_serves(span):
        raise ValueError("log spacing needs a range that reaches above 0")
    if span.low >= 0:
        return tuple(max(span.low, edge) for edge in _log_edges(span.high, buckets))
    # Half the buckets a side, each with an upper end of its own. The magnitudes of one negative
    # bucket run from its edge to the next one less 1, so its lowest score mirrors the latter.
    # An edge of 0 (a side of a single score has no other) leaves a bucket with nothing in it.
    half = buckets // 2
    inner = (max(0, edge - 1) for edge in reversed(_log_edges(-span.low, half)[1:]))
    outer = [-span.low, *inner]
    return (*(-magnitude for magnitude in outer), *_log_edges(span.high, half))


def _log_edges(upper: int, buckets: int) -> list[int]:
    """Edge k, for k below `buckets`: the smallest s with (s + 1)^buckets >= upper^k."""
    edges, power = [0], 1
    for _ in range(1, buckets):
        power *= upper
        edges.append(_root_rounded_up(power, buckets) - 1)
    return edges


def _root_rounded_up(value: int, degree: int) -> int:
    """The smallest t >= 1 with t^degree >= value; `degree` is a power of two, `value` >= 1."""
    root, remaining = value, degree
    while remaining > 1:  # floor(sqrt) of floor(sqrt) is the floor of the fourth root, and so on
        root, remaining = isqrt(root), remaining // 2
    return root if root**degree >= value else root + 1
