"""What reads consume, as the engine reports it, once the root is cached."""

from typing import Any

import pytest

from lambdas import names
from tests.functional.failing import WatchedClient
from tests.functional.reads import get, post

PLAYERS = 2_300
SCORES = {f"player-{i:029d}": 1_000 + i * 7_919 % 9_973 for i in range(PLAYERS)}


def consumed(client: WatchedClient) -> float:
    """The read units of the calls since the last look."""
    units = 0.0
    for call in client.calls:
        used = call.answer["ConsumedCapacity"] if call.answer else []
        units += sum(one["CapacityUnits"] for one in (used if isinstance(used, list) else [used]))
    client.calls.clear()
    return units


@pytest.fixture
def warm(api: Any, drain: Any, board: str, client: WatchedClient) -> str:
    """A counted board of three levels whose root and config a read has cached for good."""
    api.make_board(board, layout={"levels": 3})
    api.submit_all(board, SCORES)
    drain()
    connection = api.handlers[names.READ].connection
    connection.forget()
    get(api, board, "")
    client.calls.clear()
    return board


def test_reads_cost_what_is_promised_at_any_depth(
    api: Any, warm: str, client: WatchedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of 100: 3 units; around: 4.5; standing: 3; 150 friends: 76."""
    nodes = api.handlers[names.READ].connection._nodes
    monkeypatch.setattr(nodes, "_lifetime", 3_600.0)
    root = next(iter(nodes._values.items()))

    def warm_root_alone() -> None:
        nodes.clear()
        nodes._values[root[0]] = root[1]
        client.calls.clear()

    right = sorted(SCORES, key=lambda player: (-SCORES[player], player))
    warm_root_alone()
    get(api, warm, "/top")
    assert 0 < consumed(client) <= 3
    for rank in (1, 50, 100, 101, 1_500, 2_000, 2_001, 2_299, 2_300):
        warm_root_alone()
        assert get(api, warm, "/standing", rank=rank)["kind"] == "exact"
        assert 0 < consumed(client) <= 3, rank
        warm_root_alone()
        get(api, warm, f"/players/{right[rank - 1]}/around")
        assert 0 < consumed(client) <= 4.5, rank
    warm_root_alone()
    post(api, warm, "/friends", {"player_id": right[0], "friend_ids": right[1:151]})
    assert 0 < consumed(client) <= 76
