"""Populations and samples: the same ones each time, drawn from the whole board."""

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lambdas.domain.boards import DEFAULT_RANGE
from ops.bench import populations, questions
from ops.bench.fixtures import Fixture, make_board
from ops.bench.handler_profile import PlayedBack
from ops.bench.sampling import Reading
from ops.bench.watched_client import WatchedClient

UNITS = {"CapacityUnits": 0.5}


def fixture_of(distribution: str, count: int = 1_000) -> Fixture:
    board = make_board("sampled", populations.config_of(distribution), levels=3)
    return Fixture(board, tuple(populations.players(distribution, count)))


@pytest.mark.parametrize("distribution", populations.DISTRIBUTIONS)
def test_players_are_the_same_each_time_and_on_the_board(distribution: str) -> None:
    """Another seed gives others; every score is whole and in the default range."""
    players = list(populations.players(distribution, 500))
    assert players == list(populations.players(distribution, 500))
    assert players != list(populations.players(distribution, 500, seed=1))
    assert len({entry.player for entry in players}) == 500
    for entry in players:
        assert isinstance(entry.score, int)
        assert DEFAULT_RANGE.low <= entry.score <= DEFAULT_RANGE.high


def test_uniform_scores_reach_both_ends_and_no_further() -> None:
    """0 and 9,999 are scores like any other."""
    scores = {entry.score for entry in populations.players("uniform 0-9999", 100_000)}
    assert (min(scores), max(scores)) == (0, 9_999)


def test_lap_times_alone_rank_ascending() -> None:
    """The quicker lap is the better one."""
    orders = {name: populations.config_of(name).order for name in populations.DISTRIBUTIONS}
    assert [name for name, order in orders.items() if order == "asc"] == ["lap times N(92000,6000)"]


@pytest.mark.parametrize("distribution", populations.DISTRIBUTIONS)
def test_who_shares_a_cell_is_counted_at_the_rank_asked_for(distribution: str) -> None:
    """At either end and between, whichever way the board ranks."""
    fixture = fixture_of(distribution)
    board, entries = fixture.board, fixture.entries
    cells = board.cells(board.written_layout)
    ranked = sorted(entries, key=lambda entry: board.order.key(entry.score))
    by_cell = Counter(cells.path(entry.score) for entry in entries)
    for rank in (1, 2, 500, 999, 1_000):
        assert fixture.sharing_a_cell(rank) == by_cell[cells.path(ranked[rank - 1].score)]


def test_an_empty_query_is_charged_as_on_aws() -> None:
    """Half a unit each, beside what the engine counted."""
    assert Reading("rank", True, 1.5, 4, empty_queries=2).units_with_empty_queries == 2.5


def test_a_watched_client_tells_queries_that_found_nothing() -> None:
    """By the engine's own charge; other calls are none, whatever they cost."""
    answers = iter([0.0, 0.5, 0.0])

    def answer(**_: Any) -> dict[str, Any]:
        return {"ConsumedCapacity": {"CapacityUnits": next(answers)}}

    client = WatchedClient(cast(Any, SimpleNamespace(query=answer, get_item=answer)))
    client.query(Limit=1)
    client.query(Limit=2)
    client.get_item(Key={})
    assert client.empty_queries == 1
    assert (client.meter.requests, client.meter.read_units) == (3, 0.5)
    client.forget()
    assert (client.empty_queries, client.meter.requests, client.seconds) == (0, 0, 0.0)


def test_a_played_back_answer_asks_nobody_again() -> None:
    """The very same call only: another key is another call."""
    asked = []

    def get_item(**parameters: Any) -> dict[str, Any]:
        asked.append(parameters)
        return {"Item": parameters["Key"]}

    client = PlayedBack(cast(Any, SimpleNamespace(get_item=get_item)))
    first = client.get_item(Key="a")
    assert client.get_item(Key="b") == {"Item": "b"}
    assert client.get_item(Key="a") == first
    assert asked == [{"Key": "a"}, {"Key": "b"}]


def test_every_question_is_asked_of_more_than_one_player() -> None:
    """But for the first page, which is the same for everybody."""
    assert [one.samples for one in questions.QUESTIONS if one.samples < 100] == [1]
    assert len({one.ask for one in questions.QUESTIONS}) == len(questions.QUESTIONS)
