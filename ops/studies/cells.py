"""The cells of many scores at once: the vectorised twin of `lambdas/domain/cells.py`.

It takes the buckets' edges from the domain and repeats its arithmetic of the deeper levels, with
the same result for every score (tests/properties/test_studies.py).
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lambdas.domain.cells import SUB_CELLS, Cells

Integers = NDArray[Any]  # 64 bits wide; Python's own where a product needs more

_MOST: Final = 2**63 - 1


class CellsOf(NamedTuple):
    """The cell of each score: the lowest score it holds, and how many scores."""

    low: Integers
    width: Integers


def cells_by_level(cells: Cells, scores: NDArray[np.int64]) -> Iterator[CellsOf]:
    """The cells of these scores at level 1, then 2, down to the last level of the layout.

    A path that ends early, at a single score, keeps that cell at the levels below.

    Raises:
        ValueError: a score lies outside the range.
    """
    span = cells.span
    if scores.size and not (span.low <= scores.min() and scores.max() <= span.high):
        raise ValueError(f"a score is outside {span.low} to {span.high}")
    buckets = [bucket for _, bucket in cells.children("")]
    fits = max(bucket.width for bucket in buckets) * SUB_CELLS <= _MOST
    kind: Any = np.int64 if fits else object
    lows = np.array([bucket.low for bucket in buckets], dtype=kind)
    widths = np.array([bucket.width for bucket in buckets], dtype=kind)
    at = np.searchsorted(lows, scores, side="right") - 1
    cell = CellsOf(lows[at], widths[at])
    yield cell
    for _ in range(1, cells.levels):
        cell = _child_of(cell, scores.astype(kind, copy=False))
        yield cell


def _child_of(cell: CellsOf, scores: Integers) -> CellsOf:
    low, width = cell
    n = np.minimum(SUB_CELLS, width)
    index = ((scores - low + 1) * n - 1) // width
    start = index * width // n
    return CellsOf(low + start, (index + 1) * width // n - start)
