"""Cells: every score has one cell a level, and the cells of a level tile their parent in order."""

from bisect import bisect_right
from itertools import pairwise
from math import floor, log, log1p

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.cells import (
    BUCKET_CHOICES,
    CODE_LENGTH,
    CODES,
    SUB_CELLS,
    Cells,
    Span,
    cells_of,
    log_serves,
    split_path,
)
from tests.properties.strategies import layouts, log_spans, scores, spans

BUCKETS = st.sampled_from(BUCKET_CHOICES)


def bucket_of(cells: Cells, score: int) -> int:
    """The index of the bucket that holds a score."""
    return CODES.index(cells.path(score)[:CODE_LENGTH])


def formula_in_integers(score: int, upper: int, buckets: int) -> int:
    """The largest k below `buckets` with (score + 1)^buckets >= upper^k, by search."""
    reached = (score + 1) ** buckets
    return bisect_right(range(buckets), reached, key=lambda k: upper**k) - 1


@given(st.data(), layouts())
@example(None, cells_of(Span(-1, 1), 128, "log", 1))
def test_path_and_bounds_are_inverses(data: st.DataObject | None, cells: Cells) -> None:
    """A score lies in its cell, and both ends of that cell have the very same path."""
    drawn = [] if data is None else [data.draw(scores(cells.span), label="score")]
    for score in (*drawn, cells.span.low, cells.span.high):
        path = cells.path(score)
        low, high = cells.bounds(path)
        assert low <= score <= high
        assert cells.path(low) == cells.path(high) == path


@given(st.data(), layouts())
def test_a_path_ends_at_its_levels_or_at_one_score(data: st.DataObject, cells: Cells) -> None:
    """A path has one code a level, fewer only where a cell is a single score."""
    score = data.draw(scores(cells.span))
    path = cells.path(score)
    depth = len(split_path(path))
    assert len(path) == depth * CODE_LENGTH
    assert depth == cells.levels or (depth < cells.levels and cells.bounds(path) == (score, score))
    for end in range(0, len(path), CODE_LENGTH):
        low, high = cells.bounds(path[:end])
        assert low <= score <= high
        assert end == 0 or low < high


@given(st.data(), layouts())
def test_order_is_preserved(data: st.DataObject, cells: Cells) -> None:
    """Paths sort like the scores they stand for, and are equal only within one cell."""
    drawn = sorted(data.draw(st.lists(scores(cells.span), min_size=2, max_size=20)))
    for smaller, larger in pairwise(drawn):
        assert cells.path(smaller) <= cells.path(larger)
        same = larger <= cells.bounds(cells.path(smaller)).high
        assert (cells.path(smaller) == cells.path(larger)) == same


@given(st.data(), layouts())
@example(None, cells_of(Span(-1, 1), 64, "log", 2))
@example(None, cells_of(Span(-1, 2**63 - 1), 256, "log", 6))
def test_children_tile_their_parent(data: st.DataObject | None, cells: Cells) -> None:
    """At every level the non-empty children of a cell cover it without gap or overlap."""
    score = cells.span.low if data is None else data.draw(scores(cells.span))
    full = cells.path(score)
    for end in range(0, len(full), CODE_LENGTH):
        parent = full[:end]
        children = list(cells.children(parent))
        codes = [code for code, _ in children]
        assert codes == sorted(set(codes))
        assert full[end : end + CODE_LENGTH] in codes
        expected = cells.bounds(parent).low
        for code, child in children:
            assert child.low == expected
            assert child.width > 0
            assert cells.bounds(parent + code) == child
            assert cells.path(child.low)[: end + CODE_LENGTH] == parent + code
            assert cells.path(child.high)[: end + CODE_LENGTH] == parent + code
            expected = child.high + 1
        assert expected == cells.bounds(parent).high + 1
    assert list(cells.children(full)) == []


@given(st.data(), layouts())
def test_deeper_levels_split_linearly(data: st.DataObject, cells: Cells) -> None:
    """A cell of width w has n = min(128, w) children, child i starting at low + i * w div n."""
    full = cells.path(data.draw(scores(cells.span)))
    for end in range(CODE_LENGTH, len(full), CODE_LENGTH):
        low, high = cells.bounds(full[:end])
        width = high - low + 1
        n = min(SUB_CELLS, width)
        children = list(cells.children(full[:end]))
        assert [child.low for _, child in children] == [low + i * width // n for i in range(n)]
        assert [code for code, _ in children] == list(CODES[:n])


@given(spans(), BUCKETS, st.data())
def test_linear_buckets_are_of_one_width(span: Span, buckets: int, data: st.DataObject) -> None:
    """Linear buckets differ in width by one score at most, and narrow ranges get fewer."""
    cells = cells_of(span, buckets, "linear", 1)
    widths = [child.width for _, child in cells.children("")]
    assert len(widths) == min(buckets, span.width)
    assert max(widths) - min(widths) <= 1
    score = data.draw(scores(span))
    n = len(widths)
    low = span.low + bucket_of(cells, score) * span.width // n
    assert low <= score < low + max(widths)


@given(log_spans().filter(lambda span: span.low >= 0), BUCKETS, st.data())
def test_log_buckets_are_the_formula(span: Span, buckets: int, data: st.DataObject) -> None:
    """A bucket is min(B - 1, floor(log1p(score) / log(C) * B)) wherever floats are sure."""
    score = data.draw(scores(span))
    bucket = bucket_of(cells_of(span, buckets, "log", 1), score)
    assert bucket == formula_in_integers(score, span.high, buckets)
    if span.high > 1:
        in_floats = log1p(score) / log(span.high) * buckets
        if abs(in_floats - round(in_floats)) > 1e-9:  # some 1,000 times the rounding error
            assert bucket == min(buckets - 1, floor(in_floats))


@given(log_spans().filter(lambda span: span.low < 0), BUCKETS, st.data())
@example(Span(-1, 1), 128, None)
@example(Span(-1, 1000), 64, None)
def test_ranges_across_zero_have_two_sides(
    span: Span, buckets: int, data: st.DataObject | None
) -> None:
    """Half the buckets serve each side of zero, each by the formula with its own upper end."""
    cells = cells_of(span, buckets, "log", 1)
    half = buckets // 2
    drawn = [] if data is None else [data.draw(scores(span))]
    for score in (*drawn, span.low, -1, 0, 1, span.high):
        if score < 0:
            expected = half - 1 - formula_in_integers(-score, -span.low, half)
        else:
            expected = half + formula_in_integers(score, span.high, half)
        assert bucket_of(cells, score) == expected


@pytest.mark.parametrize("buckets", BUCKET_CHOICES)
@pytest.mark.parametrize("upper", [1, 2, 3, 7, 10, 64, 100, 128, 997])
def test_edges_by_brute_force(upper: int, buckets: int) -> None:
    """Edge k is the smallest s with (s + 1)^B >= C^k, by looking at every score."""
    cells = cells_of(Span(0, upper), buckets, "log", 1)
    edges = [
        next(s for s in range(upper + 1) if (s + 1) ** buckets >= upper**k) for k in range(buckets)
    ]
    for score in range(upper + 1):
        holding = max(k for k in range(buckets) if edges[k] <= score)
        assert bucket_of(cells, score) == holding
        upper_end = upper if holding == buckets - 1 else edges[holding + 1] - 1
        assert cells.bounds(CODES[holding]) == (edges[holding], upper_end)


@given(st.data(), layouts())
def test_what_is_no_cell_is_refused(data: st.DataObject, cells: Cells) -> None:
    """A score outside the range has no path; a code past the last child names no cell."""
    for outside in (cells.span.low - 1, cells.span.high + 1):
        with pytest.raises(ValueError, match=f"^{outside} is outside {cells.span.low} to"):
            cells.path(outside)
    path = cells.path(data.draw(scores(cells.span)))
    for end in range(0, len(path) + CODE_LENGTH, CODE_LENGTH):
        codes = dict(cells.children(path[:end]))
        last = max(codes, default="")
        beyond = CODES[CODES.index(last) + 1 :] if last else CODES
        for wrong in (*beyond[:2], *beyond[-1:], "zz", "0", "A0", "..."):
            with pytest.raises(ValueError, match="no cell"):
                cells.bounds(path[:end] + wrong)


@given(spans().filter(lambda span: not log_serves(span)), BUCKETS)
def test_log_refuses_what_it_cannot_serve(span: Span, buckets: int) -> None:
    """Log spacing needs scores above zero."""
    with pytest.raises(ValueError, match=r"^log spacing needs a range that reaches above 0$"):
        Cells(span, buckets=buckets, spacing="log", levels=1)


def test_cells_are_made_once() -> None:
    """The same layout gives the same object, so that a process computes its edges once."""
    made = cells_of(Span(0, 77), 64, "log", 2)
    assert cells_of(Span(0, 77), 64, "log", 2) is made
    assert cells_of(Span(0, 77), 64, "linear", 2) is not made
