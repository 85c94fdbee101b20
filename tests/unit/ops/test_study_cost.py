"""The study of cost: boards laid down where they are read, what was counted there, and prices."""

from random import Random
from typing import Any

import numpy as np
import pytest

from lambdas.domain.boards import BoardConfig
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.hashing import shard_of
from lambdas.domain.marks import KEPT_HOURS, MARK_PREFIX
from ops.bench.fixtures import MARKS_A_PLACE, make_board, stream_shards
from ops.studies import cost_page
from ops.studies import cost_prices as prices
from ops.studies.cost import Cost
from ops.studies.cost_boards import Crowd, marks_by_shard, nodes_of
from ops.studies.cost_exact import shares, tied
from ops.studies.cost_traffic import BETTER, KEPT, MIX, NEW, NEW_ALIKE, SHAPES
from ops.studies.populations import population_of, synthetic
from ops.studies.range_widths import ties
from tests.unit.ops.test_study_pages import check_page, committed

SMALL = Cost(submits=10, samples=2, populations=(800, 2_500, 3_000))
Run = tuple[dict[str, Any], list[str]]
SCORES = [5, 5, 5, 900, 12, 12, 0, 70_000, 901, 3]


def test_units_are_priced_by_the_million() -> None:
    """Two units a read are $0.25 a million, four a submit $2.50."""
    assert prices.read_dollars(2) == 0.25
    assert prices.write_dollars(4) == 2.5


def test_a_sorted_set_is_paid_for_memory_and_for_reads() -> None:
    """6 GB x $0.084 x 730 h = $367.92; 262,800 million reads x $0.0023 = $604.44."""
    assert prices.set_storage(40_000_000) == pytest.approx(367.92)
    assert prices.set_month(40_000_000, 100_000) == pytest.approx(972.36)
    assert prices.a_month(prices.read_dollars(2), 100_000) == pytest.approx(65_700)


@pytest.mark.parametrize("units", [0.5, 1.77, 38.5])
def test_at_the_break_even_both_cost_the_same(units: float) -> None:
    """Reads at that rate take as much from DynamoDB as memory and calls of the sorted set."""
    rate = prices.break_even(40_000_000, units)
    month = prices.set_month(40_000_000, rate)
    assert prices.a_month(prices.read_dollars(units), rate) == pytest.approx(month)


def test_an_uncapped_count_is_scaled_by_entries() -> None:
    """8,000 entries for 149.5 units make 20 million 373,750, and the player's item half a one."""
    assert prices.uncapped_units(20_000_000, 149.5, 8_000) == 373_750.5


def test_a_crowd_ranks_as_a_sorted_list_does() -> None:
    """Each place has its score and an id of its own, and ties are told apart by time."""
    crowd = Crowd(population_of("", "desc", SCORES))
    entries = [crowd.entry(at) for at in range(crowd.players)]
    assert [entry.score for entry in entries] == sorted(SCORES, reverse=True)
    assert entries == sorted(entries, key=lambda entry: (-entry.score, entry.achieved_at))
    assert len({entry.player for entry in entries}) == len(SCORES)


def test_a_crowd_fills_nodes_as_its_players_would() -> None:
    """Every node on every path has the counts of a recount, and every cell its places."""
    board = make_board("crowd", levels=4)
    cells, crowd = board.cells(board.written_layout), Crowd(population_of("", "desc", SCORES))
    paths = [cells.path(score) for score in sorted(SCORES, reverse=True)]
    for node in {node for path in paths for node in nodes_of(path)}:
        below = [path for path in paths if path.startswith(node) and len(path) > len(node)]
        codes = [path[len(node) : len(node) + CODE_LENGTH] for path in below]
        assert crowd.children(board, node) == {code: codes.count(code) for code in set(codes)}
        inside = [at for at, path in enumerate(paths) if path.startswith(node)]
        assert list(crowd.places(cells.bounds(node))) == inside


def test_marks_lie_where_a_stream_shard_writes() -> None:
    """Each of 30 hours' stream shards has one mark, in the counter shard of its hash."""
    names = stream_shards(16)
    marks = marks_by_shard(names, 4)
    held = [name for item in marks.values() for name in item]
    assert len(held) == len(set(held)) == 16 * MARKS_A_PLACE
    assert all(name.startswith(MARK_PREFIX) for name in held)
    assert set(marks) >= {shard_of(name, 4) for name in names}
    assert MARKS_A_PLACE * 4 >= KEPT_HOURS  # of stream shards that live 4 hours


@pytest.mark.parametrize("name", list(SHAPES))
def test_a_shape_of_traffic_is_what_its_name_says(name: str) -> None:
    """The same for the same seed; who is new holds nothing, who improves a worse score."""
    crowd = Crowd(synthetic("lognormal(8,1)", 500, 7))
    submits = list(SHAPES[name](crowd, Random(1), 40))
    assert submits == list(SHAPES[name](crowd, Random(1), 40))
    new = [one for one in submits if one.standing is None]
    better = [one for one in submits if one.standing and one.entry.score > one.standing.score]
    repeats = [one for one in submits if one.entry == one.standing]
    counts = (len(new), len(better), len(repeats))
    expected = {BETTER: (0, 40, 0), KEPT: (0, 0, 20), MIX: (4, 12, 4)}
    assert counts == expected.get(name, (40, 0, 0))
    if name == NEW_ALIKE:
        assert {one.entry.score for one in submits} == {crowd.entry(250).score}


def test_players_a_score_are_as_asked() -> None:
    """All players are there, on as many neighbouring scores as leaves each its share."""
    population = tied(6_000, 30, 1)
    assert population.players == 6_000
    assert population.scores.max() < 200
    assert np.all(np.diff(population.scores) > 0)


def test_no_levels_better_what_ties_leave() -> None:
    """Exact shares grow with levels up to the floor that the study of widths has, too."""
    population = tied(30_000, 45, 3)
    *by_levels, floor = shares(population)
    found = [row["exact"] for row in by_levels]
    assert found == sorted(found)
    assert found[-1] <= floor["exact"] == ties(population).exact
    assert (floor["levels"], floor["exact_shared"]) == (None, 100)


@pytest.fixture(scope="module")
def results() -> Run:
    """A small run on an engine of its own, and its steps."""
    steps: list[str] = []
    return dict(SMALL.run(7, steps.append).results), steps


def test_every_step_is_told(results: Run) -> None:
    """The progress bar ends where it said it would."""
    assert len(results[1]) == SMALL.steps


def test_a_small_run_counts_what_the_rules_say(results: Run) -> None:
    """An item a submit, an index entry as it moves, and at most a node a level and path."""
    for row in results[0]["writes"]:
        assert row["item_units_a_submit"] == 1
        index = {BETTER: 2, MIX: 0.7, KEPT: 0}.get(row["shape"], 1)
        assert row["index_units_a_submit"] == pytest.approx(index)
        paths = {BETTER: 2, MIX: 0.7, KEPT: 0}.get(row["shape"], 1)
        assert row["node_updates_a_submit"] <= row["levels"] * paths
        parts = ("item_units_a_submit", "index_units_a_submit", "counter_units_a_submit")
        assert row["units_a_submit"] == pytest.approx(sum(row[part] for part in parts))
    assert {row["shape"] for row in results[0]["writes"]} == set(SHAPES)


def test_a_tree_written_per_submit_writes_every_level(results: Run) -> None:
    """One update a level of a new player's path, the root shared by both paths of a move."""
    for row in results[0]["tree"]:
        least, most = row["levels"], 2 * row["levels"] - 1
        if row["shape"] == NEW:
            assert row["node_updates_a_submit"] <= least  # a path may end early
        else:
            assert 1 <= row["node_updates_a_submit"] <= most


def test_a_rank_is_right_and_reads_a_node_a_level(results: Run) -> None:
    """A wrong rank would have raised; at 4 counter shards a node is half a unit, as the item is."""
    limits = BoardConfig()
    for row in results[0]["reads"]:
        assert row["samples"] in (SMALL.samples, SMALL.samples // 2)
        most = limits.exact_limit / 26 / 2 + 1 if row["levels"] == 1 else 1.5 + 0.5
        if row["counter_shards"] <= 4 and row["stream_shards"] == 4:
            assert 0.5 <= row["mean_units"] <= 0.5 * row["levels"] + most
        if row["asked"] == "first 2,000":
            assert row["exact_percent"] == 100


def test_counts_past_a_megabyte_take_several_pages(results: Run) -> None:
    """What is scaled up was counted exactly, and grows with the entries ahead."""
    units = [row["read_units"] / row["ahead"] for row in results[0]["uncapped"]]
    assert max(units) <= 1.1 * min(units)
    whole, first = results[0]["capped"]
    assert first["exact_percent"] == 100
    assert whole["mean_units"] <= 38.5


def test_marks_take_an_item_past_its_unit(results: Run) -> None:
    """An update costs a unit each KB of the item, marks included."""
    for row in results[0]["marks"]:
        assert row["write_units_an_update"] == pytest.approx(-(-row["bytes"] // 1024), abs=1)
        assert row["bytes_of_marks"] == 24 * row["marks"]


def test_the_page_can_be_made_of_any_run(results: Run) -> None:
    """Tables have rows, and every way has its row."""
    sections = cost_page.sections(results[0])
    assert [section.title for section in sections if not section.rows] == ["In short"]
    (beside,) = [one for one in sections if one.title == "Beside the other ways"]
    assert [row["way"] for row in beside.rows][-4:] == [
        "capped count",
        "uncapped count",
        "count tree, 3 levels",
        "in-memory sorted set",
    ]


def test_what_is_computed_follows_from_the_seed(results: Run) -> None:
    """The same seed gives the same numbers, another one others."""
    found = list(SMALL._by_population({}, 7, lambda _: None))
    assert found == results[0]["exact_by_population"]
    assert found != list(SMALL._by_population({}, 8, lambda _: None))


def test_the_page_of_cost_follows_from_its_numbers() -> None:
    """No table or picture in docs/studies is older than the numbers beside it."""
    numbers = committed("cost")
    check_page(Cost(), numbers, cost_page.sections(numbers["results"]))
