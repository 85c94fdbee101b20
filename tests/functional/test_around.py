"""Neighbours of a player: a full window everywhere, the player in it once."""

from typing import Any

import pytest

from tests.functional.reads import KINDS, get, named, ordered, problem, ranks_in

SCORES = {f"p{i:02d}": (i * 37) % 11 * 1_000 for i in range(60)}


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_the_window_is_full_at_every_rank(api: Any, drain: Any, board: str, config: Any) -> None:
    """min(2k + 1, N) entries, the player once, right neighbours with the list's own ranks."""
    api.make_board(board, **config)
    api.submit_all(board, SCORES)
    drain()
    right = ordered(SCORES, config["order"])
    ranks = ranks_in(right, config["ties"])
    for k in (0, 1, 5, 50):
        for rank in (1, 2, 4, 30, 57, 59, 60):
            player = right[rank - 1][0]
            answer = get(api, board, f"/players/{player}/around", k=k)
            size = min(2 * k + 1, 60)
            first = min(max(rank - k, 1), 60 - size + 1)
            listed = [(one["player_id"], one["score"]) for one in answer["entries"]]
            assert listed == right[first - 1 : first - 1 + size]
            assert [one["rank"] for one in answer["entries"]] == ranks[first - 1 : first - 1 + size]
            assert [one["offset"] for one in answer["entries"]] == list(
                range(first - rank, first - rank + size)
            )
            assert (answer["kind"], answer["rank"]) == ("exact", ranks[rank - 1])


def test_a_range_gives_offsets_and_no_ranks(api: Any, drain: Any, board: str) -> None:
    """Where the player's rank is a range, so is everybody's around them."""
    api.make_board(board, layout={"levels": 1}, exact_limit=10, top_exact=3, count_limit=2)
    api.submit_all(board, {f"p{i:02d}": 1_000 - i for i in range(40)} | {"best": 10**9})
    drain()
    answer = get(api, board, "/players/p20/around", k=2, explain="true")
    assert (answer["kind"], answer["rank"]) == ("estimated", None)
    assert [one["player_id"] for one in answer["entries"]] == ["p18", "p19", "p20", "p21", "p22"]
    assert [one["offset"] for one in answer["entries"]] == [-2, -1, 0, 1, 2]
    assert {one["rank"] for one in answer["entries"]} == {None}
    assert answer["explain"]["nodes_read"] == 1
    near = get(api, board, "/players/p03/around", k=5)
    assert [one["rank"] for one in near["entries"]] == list(range(1, 12))


def test_a_board_of_one_and_players_unranked(api: Any, drain: Any, board: str) -> None:
    """The sole player alone; nobody around who never scored; a bad id is refused."""
    api.make_board(board)
    assert get(api, board, "/players/nobody/around")["entries"] == []
    assert get(api, board, "/players/nobody/around")["kind"] == "unranked"
    api.submit_all(board, {"sole": 7})
    drain()
    for k in (0, 1, 50):
        answer = get(api, board, "/players/sole/around", k=k)
        assert [one["player_id"] for one in answer["entries"]] == ["sole"]
        assert answer["rank"] == 1
    for k in (-1, 51, "x"):
        assert problem(api, f"{board}/players/sole/around", k=k)[:2] == (422, "invalid_fields")
    assert problem(api, f"{board}/players/a%23b/around")[:2] == (400, "invalid_player_id")
