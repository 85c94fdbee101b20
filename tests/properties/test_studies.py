"""The studies' vectorised twin of cells and ranking, held against the domain's own code."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.boards import Order
from lambdas.domain.cells import (
    BUCKET_CHOICES,
    CODE_LENGTH,
    MAX_LEVELS,
    Cells,
    Spacing,
    Span,
    cells_of,
)
from lambdas.domain.ranking import Standing
from ops.studies.cells import cells_by_level
from ops.studies.populations import population_of
from ops.studies.range_widths import MEDIAN, P99, Limits, Widths, quantile, ties, widths
from tests.properties.simulated import Game, Index, exact_nodes, games, rank_in, reader
from tests.properties.strategies import layouts, log_spans, scores, spans

INT64 = np.int64


def agree(cells: Cells, drawn: list[int]) -> None:
    """Checks every level's cells of some scores against the domain's."""
    levels = list(cells_by_level(cells, np.array(drawn, dtype=INT64)))
    assert len(levels) == cells.levels
    for depth, found in enumerate(levels, start=1):
        expected = [cells.bounds(cells.path(score)[: depth * CODE_LENGTH]) for score in drawn]
        assert [int(low) for low in found.low] == [span.low for span in expected]
        assert [int(width) for width in found.width] == [span.width for span in expected]


def edges_of(cells: Cells) -> list[int]:
    """Both ends of every bucket, and of every child of the fullest and the narrowest one."""
    buckets = list(cells.children(""))
    ends = [end for _, bucket in buckets for end in bucket]
    for code, _ in (min(buckets, key=lambda b: b[1].width), max(buckets, key=lambda b: b[1].width)):
        ends += [end for _, child in cells.children(code) for end in child]
    return ends


@given(layouts(), st.data())
@example(cells_of(Span(-1, 2**63 - 1), 64, "log", 6), None)
@example(cells_of(Span(-(2**63), 2**63 - 1), 64, "linear", 6), None)
@example(cells_of(Span(0, 2**56 * 64), 64, "linear", 6), None)
def test_the_twin_agrees_on_any_layout(cells: Cells, data: st.DataObject | None) -> None:
    """The same cell at every level, for any range, spacing, buckets and depth."""
    drawn = [] if data is None else data.draw(st.lists(scores(cells.span), max_size=30))
    agree(cells, [*drawn, *cells.span])


@pytest.mark.parametrize("buckets", BUCKET_CHOICES)
@pytest.mark.parametrize("spacing", ["log", "linear"])
@pytest.mark.parametrize(
    "span", [Span(0, 10**12), Span(0, 20_000), Span(-300, 4_000), Span(0, 2**63 - 1)]
)
def test_the_twin_agrees_at_every_edge(span: Span, spacing: Spacing, buckets: int) -> None:
    """On both sides of every edge, at all six levels."""
    cells = cells_of(span, buckets, spacing, MAX_LEVELS)
    agree(cells, edges_of(cells))


@given(log_spans(), st.sampled_from(BUCKET_CHOICES), st.data())
def test_the_twin_refuses_what_the_domain_refuses(
    span: Span, buckets: int, data: st.DataObject
) -> None:
    """A score beside the range is an error, not the nearest cell's."""
    below, above = span.low - 1, span.high + 1
    outside = [one for one in (below, above) if -(2**63) <= one < 2**63]
    if outside:
        drawn = np.array([span.low, data.draw(st.sampled_from(outside))], dtype=INT64)
        with pytest.raises(ValueError, match="outside"):
            next(cells_by_level(cells_of(span, buckets, "log", 1), drawn))


def recounted(game: Game) -> tuple[list[Standing], list[int]]:
    """Every player's answer, and the players in their deepest cell, by the domain's code."""
    read = reader(exact_nodes(game))
    answers = [
        rank_in(game, entry, read, Index(game, entry), game.path(entry))[1]
        for entry in game.entries
    ]
    paths = [game.path(entry) for entry in game.entries]
    return answers, [paths.count(path) for path in paths]


def studied(game: Game) -> Widths:
    """What the study makes of the same board."""
    config = game.board.config
    population = population_of("", config.order, [entry.score for entry in game.entries])
    *_, cells = cells_by_level(game.cells, population.scores)
    limits = Limits(config.top_exact, config.exact_limit, config.count_limit)
    return widths(population, cells, limits)


def sharing(game: Game, *, ties: str) -> Game:
    """The same board, equal scores sharing a rank or not."""
    config = replace(game.board.config, ties=ties)
    return replace(game, board=replace(game.board, config=config))


def at(values: list[int], share: float) -> float:
    """The least value that this share of them does not exceed, in percent of their number."""
    reached = [v for v in sorted(values) if sum(w <= v for w in values) >= share * len(values)]
    return 100 * reached[0] / len(values)


@given(games())
def test_widths_equal_a_recount(game: Game) -> None:
    """Cell widths, answered widths and exact answers are those of every single rank read."""
    found = studied(game)
    answers, cells = recounted(sharing(game, ties="ordinal"))
    population = len(game.entries)
    spans = [(answer.last or 0) - (answer.first or 0) + 1 for answer in answers]
    assert found.median == pytest.approx(at(cells, MEDIAN), abs=1e-6)
    assert found.p99 == pytest.approx(at(cells, P99), abs=1e-6)
    assert found.answered_p99 == pytest.approx(at(spans, P99), abs=1e-6)
    exact = sum(answer.kind == "exact" for answer in answers)
    assert found.exact == pytest.approx(100 * exact / population, abs=1e-6)
    answers, _ = recounted(sharing(game, ties="shared"))
    exact = sum(answer.kind == "exact" for answer in answers)
    assert found.exact_shared == pytest.approx(100 * exact / population, abs=1e-6)


@given(spans(), st.sampled_from(["desc", "asc"]), st.data())
def test_ties_are_the_floor(span: Span, order: Order, data: st.DataObject) -> None:
    """No layout of any depth has narrower cells than the groups of equal scores."""
    drawn = data.draw(st.lists(scores(span), min_size=1, max_size=60))
    population = population_of("", order, drawn)
    floor = ties(population)
    for cells in cells_by_level(data.draw(layouts(span)), population.scores):
        found = widths(population, cells)
        assert (found.median, found.p99) >= (floor.median, floor.p99)
        assert found.median >= floor.median
        assert found.p99 >= floor.p99
    assert floor.exact_shared == 100


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=20))
def test_a_quantile_counts_each_value_by_its_weight(weighted: list[tuple[int, int]]) -> None:
    """It equals the nearest rank in the list with every value repeated by its weight."""
    repeated = sorted(value for value, weight in weighted for _ in range(weight))
    values, weights = (np.array(column, dtype=INT64) for column in zip(*weighted, strict=True))
    for share in (0.01, MEDIAN, P99, 1.0):
        place = next(i for i in range(len(repeated)) if i + 1 >= share * len(repeated))
        assert quantile(values, weights, share) == repeated[place]
