"""Boards of the latest result: what was achieved last stands, in whatever order it arrives."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from tests.functional.conftest import Api, MovingClock
from tests.functional.failing import UNAVAILABLE, WatchedClient
from tests.functional.reads import get

LATEST = {"policy": "latest"}


def top(api: Api, board: str, **query: Any) -> list[tuple[str, int, int]]:
    """The list's players, scores and times."""
    entries = get(api, board, "/top", **query)["entries"]
    return [(one["player_id"], one["score"], one["achieved_at"]) for one in entries]


@pytest.mark.parametrize("order", ["desc", "asc"])
def test_a_newer_result_replaces_whatever_stands(api: Api, board: str, order: str) -> None:
    """First new, then replaced by what is newer, better or worse; what is older is kept out."""
    api.make_board(board, **LATEST, order=order)
    sent = [(10, 2_000), (5, 3_000), (20, 4_000), (99, 3_999), (20, 4_000)]
    answers = [api.submit(board, "p", score, achieved_at=at) for score, at in sent]
    outcomes = [answer["outcome"] for answer in answers]
    assert outcomes == ["new", "replaced", "replaced", "kept", "replaced"]  # the last is a repeat
    assert [answer["score"] for answer in answers] == [10, 5, 20, 20, 20]
    assert top(api, board) == [("p", 20, 4_000)]


@pytest.mark.parametrize("order", ["desc", "asc"])
def test_the_order_of_arrival_does_not_matter(api: Api, board: str, order: str) -> None:
    """Of results at one time the better stands, tie-breakers included, whichever came first."""
    columns = [{"name": "lives", "range": [0, 9]}]
    api.make_board(board, **LATEST, order=order, tie_breakers=columns)
    better = 7 if order == "desc" else 3
    results = [(50, 1_000, 9), (3, 2_000, 1), (7, 2_000, 1), (better, 2_000, 5)]
    for number, arrival in enumerate(permutations(results)):
        for score, at, lives in arrival:
            more = {"achieved_at": at, "tie_breakers": {"lives": lives}}
            api.submit(board, f"p{number:02d}", score, **more)
    entries = get(api, board, "/top")["entries"]
    assert len(entries) == 24
    for one in entries:
        assert (one["score"], one["achieved_at"]) == (better, 2_000)
        assert one["tie_breakers"] == {"lives": 5}


def test_the_whole_record_is_replaced(
    api: Api, board: str, dynamodb_client: Any, table_names: Any
) -> None:
    """Metadata and submission id of a record that was replaced do not stay behind."""
    api.make_board(board, **LATEST)
    api.submit(board, "p", 10, achieved_at=1, submission_id="first", metadata={"run": 1})
    api.submit(board, "p", 9, achieved_at=2)
    key = {"pk": {"S": f"{board}#all#p"}}
    item = dynamodb_client.get_item(TableName=table_names.scores, Key=key)["Item"]
    assert not item.keys() & {"metadata", "submission_id"}
    assert item["score"] == {"N": "9"}


@pytest.mark.parametrize("more", [{"submission_id": "one"}, {"achieved_at": 7_000}])
@pytest.mark.parametrize("error", UNAVAILABLE.values(), ids=UNAVAILABLE)
def test_a_repeat_after_a_lost_reply_is_answered_as_the_first_try(
    api: Api,
    board: str,
    client: WatchedClient,
    moving_clock: MovingClock,
    error: Exception,
    more: dict[str, Any],
) -> None:
    """New stays new and replaced stays replaced, also where the server's clock has moved on."""
    api.make_board(board, **LATEST)
    path = f"/api/leaderboards/{board}/scores"
    for number, outcome in ((10, "new"), (5, "replaced")):
        own = {
            name: value if name == "achieved_at" else f"id-{number}" for name, value in more.items()
        }
        if "achieved_at" in own:
            own["achieved_at"] -= number  # the second one is the newer
        body = {"player_id": "p", "score": number, **own}
        client.fail(error, lambda call: call.operation == "update_item", after=True)
        assert api.call("POST", path, body)[0] == 503
        client.restart()
        stood = top(api, board)
        for _ in range(2):
            moving_clock.advance(seconds=3)
            assert api.submit(board, "p", number, **own)["outcome"] == outcome
        assert top(api, board) == stood
    assert api.submit(board, "p", 5, submission_id="other")["outcome"] == "replaced"


def test_items_of_a_former_life_count_as_absent(
    api: Api, board: str, remake: Callable[[str], None]
) -> None:
    """What a deleted board left behind is no newer result; an older one is new over it."""
    api.make_board(board, **LATEST)
    api.submit(board, "p", 10, achieved_at=9_000, submission_id="one")
    remake(board)
    assert api.submit(board, "p", 10, achieved_at=1_000, submission_id="one")["outcome"] == "new"
    assert top(api, board) == [("p", 10, 1_000)]


def test_the_rank_of_a_worse_result_holds_the_truth(
    api: Api, drain: Callable[[], None], board: str
) -> None:
    """The counters still hold the player ahead of themselves; the range knows it."""
    limits = {"exact_limit": 8, "top_exact": 4, "count_limit": 2}
    api.make_board(board, **LATEST, score_range=[0, 9_999], layout={"levels": 2}, **limits)
    scores = {f"p{i:02d}": 9_000 - 100 * i for i in range(60)}
    api.submit_all(board, scores, achieved_at=1_000)
    for step, (player, score) in enumerate(
        [("p00", 5_050), ("p01", 6_850), ("p59", 8_850), ("p02", 8_799), ("p30", 0), ("p40", 4_999)]
    ):
        drain()
        answer = api.submit(board, player, score, achieved_at=2_000 + step)
        scores[player] = score
        place = sum(other > score for other in scores.values()) + 1
        ranked = answer["windows"]["all"]
        low, high = ranked["rank_range"]
        assert low <= place <= high <= ranked["population"] == 60, (player, place, ranked)


@pytest.mark.parametrize("ties", ["ordinal", "shared"])
@pytest.mark.parametrize("shards", [1, 3])
def test_an_index_that_follows_late_puts_nobody_ahead_of_themselves(
    api: Api, board: str, dynamodb_client: Any, table_names: Any, ties: str, shards: int
) -> None:
    """The replaced entry, still in the index where a better one was, is not counted."""
    layout = {"levels": 3, "index_shards": shards}
    api.make_board(board, **LATEST, ties=ties, score_range=[0, 9_999], layout=layout)
    api.submit_all(board, {f"p{i}": 1_000 - i for i in range(20)})
    key = {"pk": {"S": f"{board}#all#p5"}}
    stale = dynamodb_client.get_item(TableName=table_names.scores, Key=key)["Item"]
    # Another item with the same index key: what the index holds until it has followed.
    stale["pk"] = {"S": f"{board}#stale#p5"}
    dynamodb_client.put_item(TableName=table_names.scores, Item=stale)
    answer = api.submit(board, "p5", 0, achieved_at=2_000)
    assert (answer["outcome"], answer["rank"]) == ("replaced", 20)
