"""Counts that meet their cap: paid for once a second, and the answers the same all the while."""

from typing import Any

import pytest

from lambdas import names
from tests.functional.failing import WatchedClient

LIMITS = {"exact_limit": 20, "top_exact": 5, "count_limit": 3}
CROWD = {f"p{i:02d}": 5_000 + i for i in range(60)} | {"best": 900_000}


def counts(client: WatchedClient) -> int:
    """How many counts the calls since the last look were."""
    found = sum("Select" in call.parameters for call in client.calls)
    client.calls.clear()
    return found


@pytest.fixture
def seconds(api: Any, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of what the read function remembers: it stands until it is set."""
    now = [0.0]
    connection = api.handlers[names.READ].connection
    for cache in (connection._fences, connection._nodes):
        monkeypatch.setattr(cache, "_clock", lambda: now[0])
    return now


@pytest.mark.usefixtures("seconds")
@pytest.mark.parametrize("shards", [1, 3])
def test_one_count_serves_all_behind_it(
    api: Any, drain: Any, board: str, client: WatchedClient, shards: int
) -> None:
    """Who is behind where a count stopped gets the same range without counting."""
    api.make_board(board, layout={"levels": 1, "index_shards": shards}, **LIMITS)
    api.submit_all(board, CROWD)
    drain()
    connection = api.handlers[names.READ].connection
    players = sorted(CROWD, key=lambda player: -CROWD[player])
    cold = {}
    for player in players:
        connection.forget()
        answer = api.rank(board, player)
        cold[player] = {name: answer[name] for name in answer if name != "explain"}
    connection.forget()
    api.rank(board, players[-1])
    assert counts(client) > 0
    for place, player in enumerate(players, start=1):
        answer = api.rank(board, player)
        explain = answer.pop("explain")
        assert answer == cold[player]
        is_spared = place > 20 and shards == 1
        assert (counts(client) == 0) == is_spared, place
        if is_spared:
            assert (explain["entries_counted"], explain["cached"]) == (0, True)
            assert explain["read_units"] <= 1.0


def test_a_count_is_made_again_after_a_second(
    api: Any, drain: Any, board: str, client: WatchedClient, seconds: list[float]
) -> None:
    """What was remembered is as old as a node may be, and no older."""
    api.make_board(board, layout={"levels": 1}, **LIMITS)
    api.submit_all(board, CROWD)
    drain()
    api.rank(board, "p00")
    counts(client)
    for time, counted in ((0.9, 0), (1.0, 1)):
        seconds[0] = time
        assert api.rank(board, "p01")["rank_range"] == [21, 61]
        assert counts(client) == counted
