"""Boards: which configs make sense, field by field, and what a board knows of itself."""

import dataclasses
from typing import Any

import pytest

from lambdas.domain.boards import (
    DEFAULT_RANGE,
    INT64,
    Board,
    BoardConfig,
    Layout,
    LayoutSpec,
    TieBreaker,
    check_board_id,
    check_config,
    default_spacing,
    differences,
)
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry, place
from lambdas.domain.errors import InvalidFieldsError
from lambdas.domain.schedules import Schedule

LINEAR = LayoutSpec(spacing="linear")


def problems_of(config: BoardConfig, layout: LayoutSpec) -> list[str]:
    """The fields that a config is refused for; none if it is taken."""
    try:
        check_config(config, layout)
    except InvalidFieldsError as error:
        return [problem.field for problem in error.problems]
    return []


def test_the_defaults_make_a_board() -> None:
    """A board whose owner states nothing is the articles' own: 128 log buckets to 10^12."""
    config, layout = BoardConfig(), LayoutSpec()
    assert problems_of(config, layout) == []
    assert config.score_range == DEFAULT_RANGE == (0, 10**12)
    assert (layout.buckets, layout.spacing, layout.levels) == (128, "log", 2)
    assert (layout.counter_shards, layout.index_shards) == (4, 1)
    assert (config.top_exact, config.exact_limit, config.count_limit) == (75, 2_000, 50)
    assert (config.policy, config.order, config.schedule) == ("best", "desc", Schedule())


@pytest.mark.parametrize(
    "changes",
    [
        {"score_range": Span(0, 1)},
        {"score_range": Span(-1, 1)},
        {"score_range": INT64},
        {"score_range": Span(2**63 - 2, 2**63 - 1)},
        {"order": "asc"},
        {"top_exact": 1, "exact_limit": 1, "count_limit": 1},
        {"top_exact": 2_000, "exact_limit": 2_000, "count_limit": 2_000},
    ],
)
def test_configs_that_make_sense(changes: dict[str, Any]) -> None:
    """Every value up to and with its limits is taken."""
    assert problems_of(BoardConfig(**changes), LayoutSpec()) == []


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"score_range": Span(1, 1)}, ["score_range"]),
        ({"score_range": Span(2, 1)}, ["score_range"]),
        ({"score_range": Span(0, 2**63)}, ["score_range"]),
        ({"score_range": Span(-(2**63) - 1, 1)}, ["score_range"]),
        ({"score_range": Span(2**63, 2**64)}, ["score_range"]),
        ({"schedule": Schedule(())}, ["windows"]),
        ({"schedule": Schedule(("all", "all"))}, ["windows.1"]),
        (
            {"schedule": Schedule(time_zone="Mars/Olympus", grace_seconds=-1)},
            [
                "time_zone",
                "grace_seconds",
            ],
        ),
        ({"tie_breakers": (TieBreaker("a"), TieBreaker("b"), TieBreaker("c"))}, ["tie_breakers"]),
        ({"tie_breakers": (TieBreaker("a"), TieBreaker("a"))}, ["tie_breakers.1.name"]),
        ({"tie_breakers": (TieBreaker("A"),)}, ["tie_breakers.0.name"]),
        ({"tie_breakers": (TieBreaker(""),)}, ["tie_breakers.0.name"]),
        ({"tie_breakers": (TieBreaker("a", range=Span(3, 3)),)}, ["tie_breakers.0.range"]),
        ({"tie_breakers": (TieBreaker("a"),), "policy": "sum"}, ["tie_breakers"]),
        ({"top_exact": 0}, ["top_exact"]),
        ({"top_exact": 101, "exact_limit": 100}, ["top_exact"]),
        ({"top_exact": 2_001}, ["top_exact"]),
        ({"exact_limit": 2_001}, ["exact_limit"]),
        ({"exact_limit": 0}, ["exact_limit"]),
        ({"count_limit": 0}, ["count_limit"]),
        ({"count_limit": 2_001}, ["count_limit"]),
        ({"count_limit": 101, "exact_limit": 100}, ["count_limit"]),
        ({"exact_limit": 49, "top_exact": 50}, ["top_exact", "count_limit"]),
    ],
)
def test_configs_that_do_not(changes: dict[str, Any], fields: list[str]) -> None:
    """The first value past a limit is refused, under the field's own name."""
    assert problems_of(BoardConfig(**changes), LINEAR) == fields


@pytest.mark.parametrize(
    "changes",
    [
        *({"buckets": buckets} for buckets in (64, 128, 256)),
        *({"levels": levels} for levels in range(1, 7)),
        {"counter_shards": 1},
        {"counter_shards": 32},
        {"index_shards": 32},
    ],
)
def test_layouts_that_make_sense(changes: dict[str, Any]) -> None:
    """64, 128 or 256 buckets, 1 to 6 levels, 1 to 32 shards."""
    assert problems_of(BoardConfig(), LayoutSpec(**changes)) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        *(({"buckets": buckets}, "layout.buckets") for buckets in (0, 1, 63, 127, 255, 257, 512)),
        *(({"levels": levels}, "layout.levels") for levels in (-1, 0, 7)),
        *(({"counter_shards": shards}, "layout.counter_shards") for shards in (0, 33)),
        *(({"index_shards": shards}, "layout.index_shards") for shards in (0, 33)),
    ],
)
def test_layouts_that_do_not(changes: dict[str, Any], field: str) -> None:
    """Any other number is refused, under the field's own name."""
    assert problems_of(BoardConfig(), LayoutSpec(**changes)) == [field]


def test_log_needs_scores_above_zero() -> None:
    """A range that does not reach above 0 is served linearly, and told so."""
    below = BoardConfig(score_range=Span(-10, 0))
    assert problems_of(below, LayoutSpec()) == ["layout.spacing"]
    assert problems_of(below, LINEAR) == []
    assert default_spacing(Span(-10, 0)) == "linear"
    assert default_spacing(Span(-10, 1)) == "log"


def test_every_wrong_field_is_named_at_once() -> None:
    """One answer tells all that has to be mended, once each."""
    config = BoardConfig(score_range=Span(0, 0), schedule=Schedule(()), top_exact=0)
    layout = LayoutSpec(buckets=100, levels=9, counter_shards=0, index_shards=99)
    assert problems_of(config, layout) == [
        "score_range",
        "windows",
        "top_exact",
        "layout.buckets",
        "layout.levels",
        "layout.counter_shards",
        "layout.index_shards",
    ]


@pytest.mark.parametrize("board", ["a", "arena-7", "-", "0" * 64])
def test_board_ids_that_keep_the_pattern(board: str) -> None:
    """1 to 64 lower-case letters, digits and hyphens."""
    assert check_board_id(board) == board


@pytest.mark.parametrize(
    "board", ["", "0" * 65, "Arena", "a_b", "a#b", "a b", "a\n", "é", "\u0661", "a/b", "."]
)
def test_board_ids_that_do_not(board: str) -> None:
    """Anything else, a trailing line feed and digits of other scripts included."""
    with pytest.raises(InvalidFieldsError) as refused:
        check_board_id(board)
    assert [problem.field for problem in refused.value.problems] == ["board"]


def test_differences_are_named() -> None:
    """A board that stands differs in exactly the fields whose values differ."""
    board = Board("b", BoardConfig(), 3, (Layout(number=3), Layout(number=4, levels=3)))
    assert differences(board, BoardConfig(), LayoutSpec(levels=3)) == []
    for field, other in (("order", "asc"), ("score_range", Span(0, 5)), ("display_name", "B")):
        wanted = dataclasses.replace(BoardConfig(), **{field: other})
        assert differences(board, wanted, LayoutSpec(levels=3)) == [field]
    assert differences(board, BoardConfig(), LayoutSpec()) == ["layout.levels"]
    wanted_layout = LayoutSpec(64, "linear", 3, 5, 6)
    assert differences(board, BoardConfig(), wanted_layout) == [
        "layout.buckets",
        "layout.spacing",
        "layout.counter_shards",
        "layout.index_shards",
    ]


def test_a_board_writes_its_newest_layout() -> None:
    """New writes go to the last layout; older ones of this life are found by number."""
    old, new = Layout(number=3, state="draining"), Layout(number=4)
    board = Board("b", BoardConfig(), 3, (old, new))
    assert board.written_layout is new
    assert board.layout(3) is old
    assert board.layout(4) is new
    assert board.layout(2) is None
    assert board.layout(5) is None


def test_an_entry_is_placed_by_its_layout() -> None:
    """Order key by the board, cell and shard by the layout, number with them."""
    asc = BoardConfig(order="asc", score_range=Span(0, 9_999))
    layout = Layout(number=4, spacing="linear", buckets=64, levels=1, index_shards=8)
    board = Board("b", asc, 4, (layout,))
    record = place(board, layout, Entry("ada", 42, 5))
    assert (record.order_key, record.layout, record.cell) == ("0042", 4, "00")
    assert 0 <= record.index_shard < 8
    assert not board.order.scores.descending
    assert place(
        Board("b", BoardConfig(), 4, (layout,)), layout, Entry("ada", 42, 5)
    ).order_key == (f"{10**12 - 42:013d}")
    with pytest.raises(ValueError, match="is outside"):
        place(board, layout, Entry("ada", 10_000, 5))
