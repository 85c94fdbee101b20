"""Friends, ranked among themselves by reads in batches."""

from typing import Any

import pytest

from tests.functional.failing import WatchedClient
from tests.functional.reads import post


@pytest.mark.parametrize("order", ["desc", "asc"])
def test_friends_are_ranked_among_themselves(api: Any, board: str, order: str) -> None:
    """By score, then time, then id; the rest of the board counts for nothing."""
    api.make_board(board, order=order)
    api.submit_all(board, {"a": 5, "b": 9, "c": 1, "other": 7})
    api.submit_all(board, {"late": 9}, achieved_at=2_000)
    body = {"player_id": "a", "friend_ids": ["late", "nobody", "b", "c", "nul", "b", "a"]}
    answer = post(api, board, "/friends", body)
    right = ["b", "late", "a", "c"] if order == "desc" else ["c", "a", "b", "late"]
    assert [one["player_id"] for one in answer["entries"]] == right
    assert [one["rank"] for one in answer["entries"]] == [1, 2, 3, 4]
    assert answer["unranked"] == ["nobody", "nul"]
    assert answer["window"] == "all"


def test_five_hundred_friends_are_six_requests(api: Any, board: str, client: WatchedClient) -> None:
    """A batch holds 100 keys; keys left unread are asked for again until they are read."""
    api.make_board(board)
    scores = {f"p{i:03d}": i for i in range(501)}
    api.submit_all(board, scores)
    real, sizes = client.batch_get_item, []

    def halting(**request: Any) -> Any:
        (table, wanted), *_ = request["RequestItems"].items()
        sizes.append(len(wanted["Keys"]))
        if len(sizes) == 2:  # most of the second batch is left unread
            request["RequestItems"] = {table: {"Keys": wanted["Keys"][:10]}}
            left = {table: {"Keys": wanted["Keys"][10:]}}
            return real(**request) | {"UnprocessedKeys": left}
        return real(**request)

    client.batch_get_item = halting
    body = {"player_id": "p500", "friend_ids": [f"p{i:03d}" for i in range(500)]}
    answer = post(api, board, "/friends", body)
    assert [one["player_id"] for one in answer["entries"]] == sorted(scores, reverse=True)
    assert (answer["unranked"], sizes) == ([], [100, 100, 90, 100, 100, 100, 1])


def test_what_is_wrong_with_a_list_of_friends_is_said(api: Any, board: str) -> None:
    """An id that breaks the rule 400, too many 422; no friends at all are fine."""
    api.make_board(board)
    path = f"/api/leaderboards/{board}/friends"
    for player, friend_ids in (("a/b", []), ("a", ["ok", ""]), ("a", ["x" * 257])):
        status, answer = api.call("POST", path, {"player_id": player, "friend_ids": friend_ids})
        assert (status, answer["code"]) == (400, "invalid_player_id")
    for body in (
        {"player_id": "a", "friend_ids": ["x"] * 501},
        {"player_id": "a"},
        {"friend_ids": []},
        {"player_id": 5, "friend_ids": []},
        {"player_id": "a", "friend_ids": [5]},
        {"player_id": "a", "friend_ids": [], "more": 1},
    ):
        status, answer = api.call("POST", path, body)
        assert (status, answer["code"]) == (422, "invalid_fields")
    answer = post(api, board, "/friends", {"player_id": "a", "friend_ids": []})
    assert (answer["entries"], answer["unranked"]) == ([], ["a"])
