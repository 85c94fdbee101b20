"""When DynamoDB throttles or does not answer: what is promised on each route, call by call.

Each test fails the n-th call of a route, for every n it makes, so that no call is left out.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.functional.failing import THROTTLED, UNAVAILABLE, UNEXPECTED, Call, WatchedClient

PASSING = {**dict.fromkeys(THROTTLED, 429), **dict.fromkeys(UNAVAILABLE, 503)}
ERRORS = {**THROTTLED, **UNAVAILABLE, **UNEXPECTED}
CODES = {429: "throttled", 503: "unavailable", 500: "internal"}
LEVELS = {"layout": {"levels": 3}, "top_exact": 5, "exact_limit": 20, "count_limit": 3}
Read = Callable[[], tuple[int, Any]]


def of(operation: str, table: str | None = None) -> Callable[[Call], bool]:
    """Picks the calls of one operation, on one table if it is named."""
    return lambda call: (
        call.operation == operation and table in (None, call.parameters["TableName"])
    )


def forget(api: Any) -> None:
    """Empties every cache, as a new container would start."""
    for name in ("submit", "read"):
        api.handlers[name].connection.forget()


def logged(api: Any, caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The errors logged since the last look, as the functions write them."""
    formatter = api.handlers["submit"].logger.registered_formatter
    lines = [json.loads(formatter.format(record)) for record in caplog.records]
    caplog.clear()
    return [line for line in lines if line["level"] == "ERROR"]


def age(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every cached value go stale without forgetting it."""
    for name in ("submit", "read"):
        for cache in (api.handlers[name].connection._boards, api.handlers[name].connection._nodes):
            monkeypatch.setattr(cache, "_lifetime", -1.0)


@pytest.fixture
def counted(api: Any, drain: Callable[[], None], board: str) -> dict[str, int]:
    """A counted board of 60 players, small limits, three levels; the players' true ranks."""
    api.make_board(board, score_range=[0, 9_999], **LEVELS)
    scores = {f"p{i:02d}": 4_000 + (i * 37) % 60 for i in range(60)}
    api.submit_all(board, scores)
    drain()
    order = sorted(scores, key=lambda player: -scores[player])
    return {player: rank for rank, player in enumerate(order, start=1)}


# --- Nothing but the write itself -------------------------------------------------------------


@pytest.mark.parametrize("name", PASSING)
def test_a_write_that_fails_stores_nothing_and_a_repeat_completes(
    api: Any, board: str, client: WatchedClient, name: str
) -> None:
    """A submit is refused with 429 or 503 when board or item cannot be had; the repeat is new."""
    api.make_board(board)
    path, body = f"/api/leaderboards/{board}/scores", {"player_id": "p", "score": 5}
    for failing in ("get_item", "update_item"):
        forget(api)
        client.fail(ERRORS[name], of(failing))
        status, answer = api.call("POST", path, body)
        assert (status, answer["code"]) == (PASSING[name], CODES[PASSING[name]])
        assert not [call for call in client.writes() if call.answer]
        client.restart()
        assert api.call("GET", f"/api/leaderboards/{board}/top")[1]["entries"] == []
    assert api.submit(board, "p", 5)["outcome"] == "new"


@pytest.mark.parametrize("name", PASSING)
def test_a_stored_score_is_not_made_to_look_like_a_failure(
    api: Any, counted: dict[str, int], board: str, client: WatchedClient, name: str
) -> None:
    """Whichever read fails after the write, alone or with the rest, the outcome is told."""
    path = f"/api/leaderboards/{board}/scores"
    first_read = 4  # after the board, the player's flag and the write
    for nth in range(first_read, 10):
        for only in (True, False):
            forget(api)
            client.fail(
                ERRORS[name],
                lambda call, n=nth, o=only: call.number == n or (call.number > n and not o),
            )
            player = f"new-{nth}-{only}"
            status, answer = api.call("POST", path, {"player_id": player, "score": 4_030})
            assert (status, answer["outcome"]) == (200, "new")
            client.restart()
            assert api.submit(board, player, 4_030)["outcome"] == "kept"
    assert len(counted) == 60


@pytest.mark.parametrize("name", PASSING)
def test_a_batch_says_which_of_its_entries_to_send_again(
    api: Any, board: str, client: WatchedClient, name: str
) -> None:
    """Only the entry whose write failed carries the failure; sent again, the batch is complete."""
    api.make_board(board)
    path = f"/api/leaderboards/{board}/scores/batch"
    scores = [{"player_id": f"p{i}", "score": i, "achieved_at": 1} for i in range(9)]
    client.fail(ERRORS[name], lambda call: call.parameters["Key"]["pk"]["S"].endswith("#p4"))
    status, answer = api.call("POST", path, {"scores": scores})
    assert status == 200
    wanted = [200] * 4 + [PASSING[name]] + [200] * 4
    assert [one["status"] for one in answer["results"]] == wanted
    client.restart()
    _, answer = api.call("POST", path, {"scores": scores})
    assert {one["outcome"] for one in answer["results"]} == {"new"}
    client.fail(ERRORS[name], of("get_item"))
    forget(api)
    assert api.call("POST", path, {"scores": scores})[0] == PASSING[name]


# --- Reads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PASSING)
def test_a_rank_read_degrades_before_it_fails(
    api: Any, counted: dict[str, int], board: str, client: WatchedClient, name: str
) -> None:
    """Whichever call fails, alone or with the rest, the answer holds the truth or is refused."""
    players = [player for player, rank in counted.items() if rank in (1, 4, 15, 21, 40, 60)]
    for player in players:
        path = f"/api/leaderboards/{board}/players/{player}/rank"
        answered = 0
        for nth in range(1, 8):
            for only in (True, False):
                forget(api)
                client.fail(
                    ERRORS[name],
                    lambda call, n=nth, o=only: call.number == n or (call.number > n and not o),
                )
                status, answer = api.call("GET", path)
                if status != 200:
                    assert status == PASSING[name]
                    assert nth <= 3, "only board, score item and root can fail a read"
                    continue
                answered += 1
                low, high = answer["rank_range"]
                assert low <= counted[player] <= high, answer
        assert answered >= 8


def test_counters_that_fail_are_made_up_for_by_a_capped_count(
    api: Any, counted: dict[str, int], board: str, client: WatchedClient
) -> None:
    """Without counters, ranks up to `exact_limit` are counted; past it nothing is claimed."""
    for player, rank in counted.items():
        forget(api)
        client.fail(THROTTLED["ThrottlingException"], of("query", "Counters"))
        path = f"/api/leaderboards/{board}/players/{player}/rank"
        status, answer = api.call("GET", path, query={"explain": "true"})
        if rank > 20:
            assert (status, answer["code"]) == (429, "throttled")
            continue
        assert (status, answer["rank"], answer["basis"]) == (200, rank, "index")
        assert answer["population"] is None
        assert answer["percentile_range"] is None
        assert answer["explain"]["entries_counted"] == rank - 1


def test_stale_nodes_serve_and_are_marked(
    api: Any,
    counted: dict[str, int],
    board: str,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nodes that were read once serve past their lifetime when they cannot be read again."""
    player = next(player for player, rank in counted.items() if rank == 40)
    path = f"/api/leaderboards/{board}/players/{player}/rank"
    _, fresh = api.call("GET", path, query={"explain": "true"})
    assert not fresh["explain"]["stale"]
    age(api, monkeypatch)
    client.fail(UNAVAILABLE["ReadTimeoutError"], of("query", "Counters"))
    status, stale = api.call("GET", path, query={"explain": "true"})
    assert status == 200
    assert (stale["explain"].pop("stale"), stale["explain"].pop("cached")) == (True, True)
    for name in ("stale", "cached", "read_units"):
        fresh["explain"].pop(name, None)
    stale["explain"].pop("read_units")
    assert stale == fresh


def test_an_index_that_fails_leaves_the_range_of_the_counters(
    api: Any, counted: dict[str, int], board: str, client: WatchedClient
) -> None:
    """A count that is refused is not an error: what the counters know is answered."""
    kinds = set()
    for player, rank in counted.items():
        forget(api)
        client.fail(THROTTLED["RequestLimitExceeded"], of("query", "Scores"))
        status, answer = api.call("GET", f"/api/leaderboards/{board}/players/{player}/rank")
        low, high = answer["rank_range"]
        assert status == 200
        assert low <= rank <= high
        assert answer["basis"] == "counters"
        kinds.add(answer["kind"])
    assert "estimated" in kinds


def test_a_known_board_is_served_while_its_config_cannot_be_read(
    api: Any,
    counted: dict[str, int],
    board: str,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A config past its lifetime serves reads and writes alike, as long as flags can be read."""
    api.rank(board, "p00")
    api.submit(board, "p00", 1)
    age(api, monkeypatch)
    config = {"pk": {"S": board}, "sk": {"S": "config"}}
    client.fail(UNAVAILABLE["503"], lambda call: call.parameters.get("Key") == config)
    assert api.rank(board, "p00")["score"] == 4_000
    assert api.submit(board, "p00", 1)["outcome"] == "kept"
    assert len(counted) == 60


@pytest.mark.parametrize("name", PASSING)
def test_a_list_needs_the_index_alone(
    api: Any, counted: dict[str, int], board: str, client: WatchedClient, name: str
) -> None:
    """A list without counters has no population; without the index it is refused."""
    path = f"/api/leaderboards/{board}/top"
    client.fail(ERRORS[name], of("query", "Counters"))
    status, answer = api.call("GET", path)
    assert (status, answer["population"], answer["as_of"]) == (200, None, None)
    assert [entry["player_id"] for entry in answer["entries"]] == list(counted)
    for failing in (of("query", "Scores"), of("get_item", "Boards")):
        forget(api)
        client.fail(ERRORS[name], failing)
        assert api.call("GET", path)[0] == PASSING[name]


# --- Boards ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PASSING)
def test_admin_routes_ask_to_try_again(
    api: Any, board: str, client: WatchedClient, name: str
) -> None:
    """Making, showing and listing boards answer 429 or 503; a board half heard of is made once."""
    path = f"/api/admin/leaderboards/{board}"
    client.fail(ERRORS[name])
    assert api.call("PUT", path, {})[0] == PASSING[name]
    client.fail(ERRORS[name], of("put_item"), after=True)
    assert api.call("PUT", path, {})[0] == PASSING[name]
    client.restart()
    assert api.call("PUT", path, {})[0] == 200
    client.fail(ERRORS[name])
    assert api.call("GET", path)[0] == PASSING[name]
    assert api.call("GET", "/api/admin/leaderboards")[0] == PASSING[name]


# --- What no retry mends ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [*UNEXPECTED.values(), RuntimeError("secret-table-name is wrong")],
    ids=["denied", "bug"],
)
def test_a_bug_is_logged_under_the_request_and_tells_nothing(
    api: Any,
    board: str,
    client: WatchedClient,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    """On every route: 500 without internals, and the cause in the log under the request's ids."""
    api.make_board(board)
    routes = [
        ("POST", f"/api/leaderboards/{board}/scores", {"player_id": "p", "score": 5}),
        ("POST", f"/api/leaderboards/{board}/scores/batch", {"scores": [{}]}),
        ("GET", f"/api/leaderboards/{board}/players/p/rank", None),
        ("GET", f"/api/leaderboards/{board}/top", None),
        ("GET", f"/api/admin/leaderboards/{board}", None),
        ("GET", "/api/admin/leaderboards", None),
        ("PUT", f"/api/admin/leaderboards/{board}", {}),
        ("DELETE", f"/api/admin/leaderboards/{board}", None),
    ]
    for method, path, body in routes:
        forget(api)
        client.fail(error)
        status, answer = api.call(method, path, body)
        assert (status, answer["code"]) == (500, "internal")
        assert "secret" not in str(answer)
        assert "Denied" not in str(answer)
        (line,) = logged(api, caplog)
        assert type(error).__name__ in line["exception"]
        assert line["request_id"].startswith("rig-")
        assert line["aws_request_id"].startswith("0000")


def test_a_bug_in_one_entry_does_not_spoil_a_batch(
    api: Any, board: str, client: WatchedClient, caplog: pytest.LogCaptureFixture
) -> None:
    """The entry that met a bug answers 500 for itself alone, and the bug is logged."""
    api.make_board(board)
    path = f"/api/leaderboards/{board}/scores/batch"
    client.fail(
        RuntimeError("something odd"),
        lambda call: call.parameters["Key"]["pk"]["S"].endswith("#p1"),
    )
    scores = [{"player_id": f"p{i}", "score": i} for i in range(3)]
    status, answer = api.call("POST", path, {"scores": scores})
    assert status == 200
    assert [one["status"] for one in answer["results"]] == [200, 500, 200]
    (line,) = logged(api, caplog)
    assert "something odd" in line["exception"]
    assert line["request_id"] == "rig-submit"
