"""The study of latency: its arithmetic, by a clock that ticks, and one small run on the engine."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lambdas.domain.entries import Entry
from lambdas.names import READ, ROUTES
from ops.bench.fixtures import make_board
from ops.bench.watched_client import WatchedClient
from ops.rig.events import http_event
from ops.studies import latency_page
from ops.studies.latency import Latency
from ops.studies.latency_boards import CHUNK, Loaded, steps_of
from ops.studies.latency_ratios import EVERYBODY, Asked, quartiles, ratios, rows
from ops.studies.latency_reads import RANK, READS, Place
from ops.studies.latency_times import (
    ARTICLE,
    NOTHING_CACHED,
    ROOT_CACHED,
    ReadFailedError,
    Timer,
    Took,
)
from ops.studies.study import Findings

SIZES = (200, 400)
ARTICLE_PLAYERS = 300
ROUNDS = 1
EMPTY: Any = SimpleNamespace(board=SimpleNamespace(id="arena"), players=7, kept=[])


class Ticks:
    """A clock that goes on by the same step whenever it is read."""

    def __init__(self, step: float) -> None:
        self._step, self._now = step, 0.0

    def __call__(self) -> float:
        self._now += self._step
        return self._now


def ran(step: float) -> tuple[int, list[str], Findings]:
    """A small run: the steps it said it has, those it told of, and what it found."""
    study = Latency(SIZES, ROUNDS, ARTICLE_PLAYERS, past=250, warm_up=0, clock=Ticks(step))
    told: list[str] = []
    return study.steps, told, study.run(7, told.append)


@pytest.fixture(scope="module")
def runs() -> list[tuple[int, list[str], Findings]]:
    """Two runs of one seed, by clocks of different units.

    In a process of their own: the functions' modules take tables and engine from the environment
    when they are imported, which is once a process.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return list(pool.map(ran, (1.0, 1_024.0)))


@pytest.fixture(scope="module")
def results(runs: list[tuple[int, list[str], Findings]]) -> dict[str, Any]:
    return dict(runs[0][2].results)


def found(results: dict[str, Any], **wanted: Any) -> dict[str, Any]:
    """The one row that holds these values."""
    (row,) = (row for row in results["reads"] if wanted.items() <= row.items())
    return dict(row)


def test_no_time_of_the_machine_is_told(runs: list[tuple[int, list[str], Findings]]) -> None:
    """A machine a thousand times slower gives the same numbers, page and pictures, for a seed."""
    first, second = runs
    assert first == second


def test_every_step_is_told(runs: list[tuple[int, list[str], Findings]]) -> None:
    """Loading each board, warming up, and each round."""
    steps, told, _ = runs[0]
    assert len(told) == steps == 3 + 1 + ROUNDS
    assert told[-1] == f"round {ROUNDS} of {ROUNDS}"


def test_every_read_of_every_board_is_timed(results: dict[str, Any]) -> None:
    """With the root cached and without; the article's rank beside ours, and past a rank."""
    boards = (*SIZES, ARTICLE_PLAYERS)
    asked = {(row["read"], row["players"], row["who"], row["way"]) for row in results["reads"]}
    ours = {
        (read, players, EVERYBODY, way)
        for read in READS
        for players in boards
        for way in (ROOT_CACHED, NOTHING_CACHED)
    }
    article = {(RANK, players, EVERYBODY, ARTICLE) for players in boards}
    ways = (ROOT_CACHED, NOTHING_CACHED, ARTICLE)
    past = {(RANK, ARTICLE_PLAYERS, latency_page.PAST, way) for way in ways}
    assert asked == ours | article | past
    assert len(results["reads"]) == len(asked)
    assert {row["samples"] for row in results["reads"]} == {ROUNDS}


def test_time_is_that_of_requests_and_the_rest(results: dict[str, Any]) -> None:
    """By the clock that ticks a `GetItem` takes 1, and a read of r requests r and r + 1 more."""
    for row in results["reads"]:
        assert row["to_get_item"]["median"] == 2 * row["requests"] + 1
    for players in SIZES:
        cached = found(results, read="board info", players=players, way=ROOT_CACHED)
        empty = found(results, read="board info", players=players, way=NOTHING_CACHED)
        assert (cached["requests"], cached["handler_percent"]["median"]) == (0, 100)
        assert (empty["requests"], empty["handler_percent"]["median"]) == (2, 60)
        assert empty["to_root_cached"]["median"] == 5
        assert cached["to_fewest"]["dynamodb"] is None


def test_a_read_starts_with_the_root_and_nothing_else(results: dict[str, Any]) -> None:
    """What a read before it left is gone, and with nothing cached config and root come on top."""
    for players in SIZES:
        for read in ("top 100", "100 after a cursor"):
            at = {"read": read, "players": players}
            assert found(results, **at, way=ROOT_CACHED)["requests"] == 1
            assert found(results, **at, way=NOTHING_CACHED)["requests"] == 3


def test_the_smallest_board_is_held_against_itself(results: dict[str, Any]) -> None:
    """Which gives 1, like the article's way against itself."""
    for row in results["reads"]:
        if row["players"] == min(SIZES):
            assert row["to_fewest"]["whole"] == {"q1": 1, "median": 1, "q3": 1}
        if row["way"] == ARTICLE:
            assert row["to_article"] == {"q1": 1, "median": 1, "q3": 1}


def test_the_page_shows_each_read_and_picture(
    runs: list[tuple[int, list[str], Findings]], results: dict[str, Any]
) -> None:
    """A row a read in each table, and four pictures; it follows from the numbers alone."""
    sections = runs[0][2].sections
    assert sections == latency_page.sections(results)
    named = [*READS, f"{RANK}, {ARTICLE}"]
    tables = {section.title: section.rows for section in sections}
    for title in ("Growth with the board", "Against one GetItem", "Where the time goes"):
        assert [row["read"] for row in tables[title]] == named
    assert [row["read"] for row in tables["With nothing cached"]] == [*READS]
    assert len(tables["At the article's size"]) == 6
    figures = [figure.name for section in sections for figure in section.figures]
    assert figures == ["growth", "get-item", "handler", "article"]


def test_one_board_makes_a_page(results: dict[str, Any]) -> None:
    """Held against itself, there is nothing larger to show."""
    growth = latency_page.sections(results | {"players": [min(SIZES)]})[1]
    assert not any("players" in name for name in growth.rows[0])
    assert growth.rows[0][f"handler, {min(SIZES)}"] == "1.00 (1.00 to 1.00)"


def test_ratios_are_of_the_same_round() -> None:
    """A spell that slows a whole round leaves its ratio as it is."""
    slow = [1.0, 100.0, 3.0]
    assert ratios([2 * one for one in slow], slow) == {"q1": 2, "median": 2, "q3": 2}


def test_what_took_no_time_is_nothing_to_be_held_against() -> None:
    """Such rounds are left out; with none left there is no ratio."""
    assert ratios([1.0, 6.0], [0.0, 2.0]) == {"q1": 3, "median": 3, "q3": 3}
    assert ratios([1.0, 2.0], [0.0, 0.0]) is None
    assert quartiles([]) is None


def test_quartiles_are_those_of_the_values() -> None:
    """In any order, both ends included."""
    assert quartiles([5.0, 1.0, 4.0, 2.0, 3.0]) == {"q1": 2, "median": 3, "q3": 4}


def test_rows_hold_each_part_against_its_own() -> None:
    """DynamoDB's time against DynamoDB's, the handler's against the handler's."""
    small, large = (Asked(RANK, players, EVERYBODY, ROOT_CACHED) for players in (10, 100))
    article = small._replace(way=ARTICLE)
    timed: dict[Asked, Sequence[Took]] = {
        small: [Took(4, 3, 2, is_exact=True), Took(8, 6, 2, is_exact=True)],
        large: [Took(10, 6, 3, is_exact=True), Took(20, 12, 4, is_exact=False)],
        article: [Took(2, 2, 1, is_exact=None), Took(2, 2, 1, is_exact=None)],
    }
    one, other, its = rows(timed, {10: [2.0, 4.0], 100: [5.0, 5.0]}, fewest=10)
    assert {part: spread["median"] for part, spread in other["to_fewest"].items()} == {
        "whole": 2.5,
        "dynamodb": 2,
        "handler": 4,
    }
    assert other["to_get_item"] == {"q1": 2.5, "median": 3, "q3": 3.5}
    assert (other["requests"], other["exact_percent"]) == (3.5, 50)
    assert other["handler_percent"]["median"] == 40
    assert other["to_article"] is None
    assert one["to_article"]["median"] == 3
    assert its["to_root_cached"] == {"q1": 0.3125, "median": 0.375, "q3": 0.4375}
    assert its["exact_percent"] is None


@pytest.mark.parametrize("status", [404, 422, 500, 503])
def test_a_read_that_fails_ends_the_study(status: int) -> None:
    """Its time would be that of a refusal."""

    def handler(*_: Any) -> dict[str, Any]:
        return {"statusCode": status, "body": "{}"}

    connection: Any = SimpleNamespace(forget=lambda: None)
    watched = WatchedClient(cast(Any, None))
    timer = Timer(Ticks(1), watched, connection, {NOTHING_CACHED: handler})
    with pytest.raises(ReadFailedError, match="/api/leaderboards/arena"):
        timer.ask(NOTHING_CACHED, EMPTY, http_event("GET", "/api/leaderboards/arena"))


def test_each_route_of_the_read_function_is_asked() -> None:
    """None is left out, and no read goes to another function."""
    entries = [Entry(f"player {n}", n, n) for n in range(300)]
    loaded = Loaded(make_board("arena"), len(entries), entries)
    events = [read(loaded, Place(0.999, "1")) for read in READS.values()]
    asked = {event["routeKey"] for event in events}
    assert asked == {f"{method} {path}" for method, path in ROUTES[READ]}


@pytest.mark.parametrize("players", [1, 5, 2_501])
def test_a_place_lies_on_every_board(players: int) -> None:
    """The first is the best, and none lies behind the last."""
    loaded = Loaded(EMPTY.board, players, [Entry(str(n), n, n) for n in range(players)])
    assert loaded.at(0).player == "0"
    assert loaded.at(0.999999).player == str(players - 1)


def test_loading_is_told_in_chunks() -> None:
    """One step for each, the last one as well."""
    assert [steps_of(n) for n in (1, CHUNK, CHUNK + 1)] == [1, 1, 2]
