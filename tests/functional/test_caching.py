"""What is kept for a second, by functions and by callers, and how a read says so."""

from typing import Any

import pytest

from lambdas import names
from ops.rig.events import http_event, json_body
from tests.functional.failing import THROTTLED, WatchedClient
from tests.functional.reads import get, post, problem

SCORES = {f"p{i:03d}": 4_000 + i for i in range(150)}
WALKS: dict[str, tuple[str, Any, str, int]] = {
    "rank": ("/players/p000/rank", {}, "path", 2),
    "around": ("/players/p000/around", {}, "path", 2),
    "top": ("/top", {}, "", 1),
    "top-start": ("/top", {"start_rank": "120"}, "path", 2),
    "standing": ("/standing", {"rank": "120"}, "path", 2),
    "standing-near": ("/standing", {"rank": "3"}, "", 1),
    "percentile": ("/standing", {"percentile": "90"}, "path", 2),
    "distribution": ("/distribution", {}, "", 2),
}
"""A read, what it is asked, whether it walks into one cell, and how many nodes at levels 2."""


@pytest.fixture
def counted(api: Any, drain: Any, board: str) -> str:
    """A counted board of 150 players, whose scores share few buckets."""
    api.make_board(board, score_range=[0, 9_999], layout={"levels": 2}, top_exact=20)
    api.submit_all(board, SCORES)
    drain()
    return board


@pytest.mark.parametrize("read", WALKS)
def test_every_walk_explains_what_it_read(
    api: Any, counted: str, client: WatchedClient, read: str
) -> None:
    """Path, nodes, entries and the units DynamoDB reported; nothing is said unasked."""
    route, asked, path, nodes = WALKS[read]
    get(api, counted, "")
    client.calls.clear()
    api.handlers[names.READ].connection._nodes.clear()
    explain = get(api, counted, route, **asked, explain="true")["explain"]
    queries = [call for call in client.calls if call.operation == "query"]
    counters = api.handlers[names.READ].connection._settings.counters_table
    read_nodes = [one for one in queries if one.parameters["TableName"] == counters]
    assert explain["nodes_read"] == nodes == len(read_nodes)
    assert bool(explain["path"]) == bool(path)
    units = sum(call.answer["ConsumedCapacity"]["CapacityUnits"] for call in client.calls)
    assert explain["read_units"] == units > 0
    entries = [one for one in queries if one.parameters["TableName"] != counters]
    assert explain["entries_counted"] == sum(one.answer["Count"] for one in entries)
    assert (explain["cached"], explain["stale"]) == (False, False)
    again = get(api, counted, route, **asked, explain="true")["explain"]
    assert (again["nodes_read"], again["cached"]) == (nodes, True)
    assert again["read_units"] < explain["read_units"]
    assert "explain" not in get(api, counted, route, **asked)


def test_ranks_of_scores_explain_themselves_together(api: Any, counted: str) -> None:
    """Several walks have no one path; their nodes and entries are added up."""
    path = f"/api/leaderboards/{counted}/ranks"
    body, query = {"scores": [4_000, 4_100, 9_000]}, {"explain": "true"}
    status, answer = api.call("POST", path, body, query=query)
    assert (status, answer["explain"]["path"]) == (200, [])
    assert answer["explain"]["nodes_read"] >= 2
    assert "explain" not in post(api, counted, "/ranks", body)


def test_a_page_is_read_once_a_second(api: Any, counted: str, client: WatchedClient) -> None:
    """Whoever asks for the same page gets it without a query; another page is another read."""
    first = get(api, counted, "/top", limit=10)
    client.calls.clear()
    assert get(api, counted, "/top", limit=10) == first
    assert client.calls == []
    second = get(api, counted, "/top", limit=10, cursor=first["next_cursor"])
    assert [one["rank"] for one in second["entries"]] == list(range(11, 21))
    assert len(client.calls) == 1
    api.submit(counted, "new", 9_000)
    assert get(api, counted, "/top", limit=10) == first
    api.handlers[names.READ].connection.forget()
    assert get(api, counted, "/top", limit=10)["entries"][0]["player_id"] == "new"


def test_an_expired_page_is_no_answer_to_a_throttle(
    api: Any, counted: str, client: WatchedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page cannot say how old it is, so one past its second never serves."""
    now = [0.0]
    monkeypatch.setattr(api.handlers[names.READ].connection._pages, "_clock", lambda: now[0])
    get(api, counted, "/top", limit=10)
    index = {"IndexName": names.RANK_INDEX}.items()
    client.fail(THROTTLED["ThrottlingException"], lambda call: index <= call.parameters.items())
    now[0] = 0.9
    assert get(api, counted, "/top", limit=10)["entries"]
    now[0] = 1.0
    assert problem(api, f"{counted}/top", limit=10)[:2] == (429, "throttled")


def test_callers_may_keep_what_was_read_for_a_second(api: Any, counted: str) -> None:
    """An answered GET; never a consistent one, an error, or what was sent with a body."""
    base = f"/api/leaderboards/{counted}"

    def kept(method: str, path: str, **event: Any) -> str:
        return str(api.raw(http_event(method, path, **event))["headers"]["Cache-Control"])

    for route, asked, _, _ in WALKS.values():
        assert kept("GET", base + route, query=asked) == "private, max-age=1"
    assert kept("GET", base) == "private, max-age=1"
    consistent = {"consistent": "true"}
    assert kept("GET", f"{base}/players/p000/rank", query=consistent) == "no-store"
    assert kept("GET", f"{base}/top", query={"limit": "0"}) == "no-store"
    assert kept("GET", "/api/leaderboards/nowhere/top") == "no-store"
    assert kept("GET", "/api/nowhere") == "no-store"
    body = json_body({"scores": [4_000]})
    assert kept("POST", f"{base}/ranks", body=body) == "no-store"
    body = json_body({"player_id": "p000", "score": 1})
    assert kept("POST", f"{base}/scores", body=body) == "no-store"
