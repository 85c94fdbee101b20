"""Cells: the places that boards and documents name."""

import pytest

from lambdas.domain.boards import INT64
from lambdas.domain.cells import (
    CODES,
    MAX_LEVELS,
    SUB_CELLS,
    Cells,
    Span,
    cells_of,
    log_serves,
    split_path,
)


@pytest.fixture
def articles_cells() -> Cells:
    """The histogram article's own buckets."""
    return Cells(Span(0, 10**12), buckets=128, spacing="log", levels=1)


@pytest.mark.parametrize(
    ("score", "bucket"),
    [(0, 0), (1, 3), (1_000, 32), (10_000, 42), (1_000_000, 64), (10**12 - 1, 127), (10**12, 127)],
)
def test_the_articles_buckets(articles_cells: Cells, score: int, bucket: int) -> None:
    """The histogram over 0 to 10^12 puts scores where its authors' formula puts them."""
    assert articles_cells.path(score) == CODES[bucket]


def test_small_scores_touch_forty_buckets(articles_cells: Cells) -> None:
    """Scores 0 to 9,999 touch 40 buckets of 0 to 42; 1, 2 and 4 hold no integer."""
    touched = {CODES.index(articles_cells.path(score)) for score in range(10_000)}
    assert len(touched) == 40
    assert set(range(43)) - touched == {1, 2, 4}
    for empty in (1, 2, 4):
        assert articles_cells.bounds(CODES[empty]).width == 0
        assert list(articles_cells.children(CODES[empty])) == []


def test_an_empty_bucket_is_no_child(articles_cells: Cells) -> None:
    """Children are the cells that a score can be in."""
    codes = [code for code, _ in articles_cells.children("")]
    assert len(codes) == 125
    assert not {CODES[1], CODES[2], CODES[4]} & set(codes)


def test_an_empty_bucket_has_no_cells_below() -> None:
    """Nothing can be split that holds no score."""
    deep = Cells(Span(0, 10**12), buckets=128, spacing="log", levels=3)
    assert list(deep.children(CODES[1])) == []
    with pytest.raises(ValueError, match=r"no cell '0100'"):
        deep.bounds(CODES[1] + CODES[0])


def test_a_single_score_is_split_no_further() -> None:
    """A path ends where a cell is one score, however many levels the layout has."""
    cells = Cells(Span(0, 10**12), buckets=128, spacing="log", levels=6)
    assert cells.path(0) == "00"
    assert cells.bounds("00") == (0, 0)
    assert list(cells.children("00")) == []
    with pytest.raises(ValueError, match=r"no cell '0000'"):
        cells.bounds("0000")


def test_a_cell_of_two_scores_is_split_once_more() -> None:
    """Down to single scores: two scores are two cells."""
    cells = Cells(Span(0, 127), buckets=64, spacing="linear", levels=2)
    assert [cells.path(score) for score in (0, 1, 126, 127)] == ["0000", "0001", "1r00", "1r01"]
    assert list(cells.children("00")) == [("00", (0, 0)), ("01", (1, 1))]


def test_a_linear_range_narrower_than_its_buckets() -> None:
    """There are as many linear buckets as scores, where scores are fewer."""
    cells = Cells(Span(5, 6), buckets=128, spacing="linear", levels=6)
    assert list(cells.children("")) == [("00", (5, 5)), ("01", (6, 6))]


def test_a_range_of_three_scores_across_zero() -> None:
    """Each of -1, 0 and 1 has its cell, though neither side has an edge of its own."""
    cells = Cells(Span(-1, 1), buckets=128, spacing="log", levels=2)
    assert [cells.bounds(cells.path(score)) for score in (-1, 0, 1)] == [(-1, -1), (0, 0), (1, 1)]
    assert [span for _, span in cells.children("")] == [(-1, -1), (0, 1)]


def test_sides_of_zero_mirror_each_other() -> None:
    """Sides of one length have buckets of one shape, but for zero itself, which is above."""
    cells = Cells(Span(-1_000, 1_000), buckets=128, spacing="log", levels=1)
    buckets = [span for _, span in cells.children("")]
    above = [span for span in buckets if span.low > 0]
    below = [Span(-span.high, -span.low) for span in reversed(buckets) if span.high < 0]
    assert below == above
    assert Span(0, 0) in buckets


def test_the_widest_range() -> None:
    """Both ends of the signed 64 bits have a cell at every level."""
    for spacing in ("log", "linear"):
        cells = Cells(INT64, buckets=256, spacing=spacing, levels=MAX_LEVELS)
        assert cells.bounds("") == INT64
        for score, own in ((INT64.low, "00"), (INT64.high, CODES[255])):
            path = cells.path(score)
            assert path[:2] == own
            assert len(split_path(path)) == MAX_LEVELS
            assert score in cells.bounds(path)


def test_codes_sort_like_their_numbers() -> None:
    """Two base-36 characters a level, in order, enough for 256 buckets."""
    assert len(CODES) == 256
    assert list(CODES) == sorted(set(CODES))
    assert CODES[:2] == ("00", "01")
    assert [int(code, 36) for code in CODES] == list(range(256))
    assert SUB_CELLS == 128


def test_key_attributes_are_no_codes() -> None:
    """The names that a counter item holds beside its counts cannot be taken for counts."""
    assert not {"pk", "sk", "as_of", "expires_at", "74", "0", ""} & set(CODES)


def test_a_path_is_split_into_codes() -> None:
    """Two characters a level, outermost first."""
    assert split_path("") == []
    assert split_path("0a1b2c") == ["0a", "1b", "2c"]


def test_log_serves_what_reaches_above_zero() -> None:
    """Log spacing serves ranges from 0 up, from above it, and across it."""
    assert all(log_serves(span) for span in (Span(0, 1), Span(5, 6), Span(-9, 1)))
    assert not any(log_serves(span) for span in (Span(-9, 0), Span(-9, -1), Span(0, 0)))


def test_cells_are_kept_by_layout() -> None:
    """Levels, buckets, spacing and range each make other cells."""
    span = Span(0, 500)
    made = {
        cells_of(span, 64, "log", 1),
        cells_of(span, 128, "log", 1),
        cells_of(span, 64, "linear", 1),
        cells_of(span, 64, "log", 2),
        cells_of(Span(0, 501), 64, "log", 1),
    }
    assert len(made) == 5
