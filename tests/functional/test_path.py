"""The main path in process: submit, count, rank, top."""

from collections.abc import Callable
from typing import Any


def test_ranks_agree_with_a_sort(api: Any, drain: Callable[[], None], board: str) -> None:
    """Each exact rank is the place in a sort, each range holds it."""
    api.make_board(board, layout={"levels": 3})
    scores = {f"p{i:04d}": (i * 7919) % 5000 for i in range(600)}
    api.submit_all(board, scores)
    drain()
    truth = sorted(scores, key=lambda player: (-scores[player], player))
    kinds = set()
    for place, player in enumerate(truth, start=1):
        answer = api.rank(board, player)
        kinds.add((answer["kind"], answer["basis"]))
        if answer["kind"] == "exact":
            assert answer["rank"] == place, answer
        low, high = answer["rank_range"]
        assert low <= place <= high
        assert answer["population"] == 600
    assert ("exact", "index") in kinds
    assert ("exact", "counters") in kinds
    status, top = api.call("GET", f"/api/leaderboards/{board}/top", query={"limit": "100"})
    assert status == 200
    assert [entry["player_id"] for entry in top["entries"]] == truth[:100]
