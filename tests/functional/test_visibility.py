"""Players who are hidden, and shown again: out of every list and count, and back as they were."""

from collections.abc import Callable
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from ops.rig.tables import TableNames
from tests.functional.clocks import At
from tests.functional.failing import THROTTLED, UNAVAILABLE, WatchedClient
from tests.functional.lives import LAPSED_MS, Sweeps, forget, items_of
from tests.functional.moderation import check, hide, path_of, remove, settle, show
from tests.functional.test_closing import close

Drain = Callable[[], None]
SCORES = {f"p{i:02d}": 100 + 40 * i for i in range(12)}
WITHOUT = {player: score for player, score in SCORES.items() if player != "p11"}
DAY, NEXT_DAY = "d2026-11-30", "d2026-12-01"

pytestmark = pytest.mark.usefixtures("noon")


@pytest.mark.parametrize("ties", ["ordinal", "shared"])
@pytest.mark.parametrize(("levels", "index_shards"), [(1, 1), (2, 3), (3, 1)])
def test_a_hidden_player_is_in_no_list_and_no_count(
    api: Any, drain: Drain, board: str, ties: str, levels: int, index_shards: int
) -> None:
    """Every read of every window agrees with a board they never played; shown, they are back."""
    layout = {"levels": levels, "index_shards": index_shards}
    api.make_board(board, windows=["all", "daily"], ties=ties, layout=layout)
    api.submit_all(board, SCORES)
    drain()
    for _ in range(2):
        hide(api, board, "p11")
        drain()
        for window in ("all", DAY):
            check(api, board, WITHOUT, window, absent=("p11",))
    for _ in range(2):
        show(api, board, "p11")
        drain()
        for window in ("all", DAY):
            check(api, board, SCORES, window)


def test_hidden_before_anything_is_counted(api: Any, drain: Drain, board: str) -> None:
    """Played, hidden and shown within one batch of the stream, whatever it is split into."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    for player in ("p00", "p05", "p11"):
        hide(api, board, player)
    show(api, board, "p05")
    drain()
    shown = {one: score for one, score in SCORES.items() if one not in ("p00", "p11")}
    check(api, board, shown, "all", absent=("p00", "p11"))


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
def test_what_a_hidden_player_submits_stays_hidden(
    api: Any, drain: Drain, board: str, at: At, policy: str
) -> None:
    """Another result, one in a window to come, a batch: the answers are as ever, but unranked."""
    api.make_board(board, policy=policy, windows=["all", "daily"])
    named = iter({"submission_id": f"s{i}"} if policy == "sum" else {} for i in range(20))
    assert api.submit(board, "p", 10, **next(named))["rank"] == 1
    api.submit(board, "q", 5, **next(named))
    hide(api, board, "p")
    answer = api.submit(board, "p", 30, **next(named))
    again = {"best": "improved", "latest": "replaced", "sum": "added"}[policy]
    assert (answer["outcome"], answer["rank"]) == (again, None)
    assert {one["kind"] for one in answer["windows"].values()} == {"unranked"}
    assert answer["score"] == (40 if policy == "sum" else 30)
    at("2026-12-01T12:00")
    answer = api.submit(board, "p", 20, **next(named))
    assert answer["windows"][NEXT_DAY]["outcome"] == "new"
    assert answer["windows"][NEXT_DAY]["rank"] is None
    scores = [{"player_id": one, "score": 50, **next(named)} for one in ("p", "r", "p")]
    path = f"/api/leaderboards/{board}/scores/batch"
    status, batch = api.call("POST", path, {"scores": scores}, query={"rank": "true"})
    assert status == 200
    assert [one["status"] for one in batch["results"]] == [200] * 3
    assert [one["rank"] for one in batch["results"]] == [None, 1, None]
    drain()
    check(api, board, {"q": 5, "r": 50}, "all", absent=("p",))
    check(api, board, {"q": 5}, DAY, absent=("p",))
    check(api, board, {"r": 50}, NEXT_DAY, absent=("p",))
    show(api, board, "p")
    drain()
    everything = {"best": 50, "latest": 50, "sum": 160}[policy]
    check(api, board, {"p": everything, "q": 5, "r": 50}, "all")
    check(api, board, {"p": 40 if policy == "sum" else 30, "q": 5}, DAY)
    check(api, board, {"p": 120 if policy == "sum" else 50, "r": 50}, NEXT_DAY)


def test_a_repeat_of_a_hidden_players_call_is_told_what_the_first_was(api: Any, board: str) -> None:
    """With a submission id as without: who is hidden learns of it by no outcome."""
    api.make_board(board)
    hide(api, board, "p")
    for more in ({"submission_id": "s"}, {"achieved_at": 5}):
        for _ in range(2):
            answer = api.submit(board, "p", 7 if "achieved_at" in more else 6, **more)
            assert answer["outcome"] == ("improved" if "achieved_at" in more else "new")
    assert api.submit(board, "p", 1)["outcome"] == "kept"


def test_who_never_played_can_be_hidden(api: Any, drain: Drain, board: str) -> None:
    """Their first result is out of the list, on this board and on no other."""
    api.make_board(board)
    api.make_board(f"{board}-other")
    hide(api, board, "p")
    for one in (board, f"{board}-other"):
        assert api.submit(one, "p", 3)["outcome"] == "new"
        api.submit(one, "q", 2)
    drain()
    check(api, board, {"q": 2}, "all", absent=("p",))
    check(api, f"{board}-other", {"p": 3, "q": 2}, "all")


def test_windows_of_every_schedule_the_board_had_are_hidden(
    api: Any, drain: Drain, board: str, at: At
) -> None:
    """What was taken away, a zone that was left, a season that is over: none shows the player."""
    at("2026-11-30T12:00")
    season = {"season": "x", "start": 1, "end": 10**13 - 1}
    api.make_board(board, windows=["all", "daily", season])
    api.submit_all(board, {"p": 2, "q": 1})
    zoned = {"windows": ["all", "daily"], "time_zone": "Pacific/Kiritimati"}
    assert api.call("PUT", f"/api/admin/leaderboards/{board}", zoned)[0] == 200
    at("2026-12-02T12:00")
    api.submit_all(board, {"p": 2, "q": 1})
    hide(api, board, "p")
    drain()
    for window in ("all", DAY, "s:x", "d2026-12-03"):
        page = api.call("GET", f"/api/leaderboards/{board}/top", query={"window": window})[1]
        assert ([one["player_id"] for one in page["entries"]], page["population"]) == (["q"], 1)


@pytest.mark.parametrize(
    "player", ["two words", "it's", 'say "hi"', "Zoë", "日本語", "é" * 128, "...", " ", "p+1"]
)
def test_odd_ids_are_hidden_shown_and_removed(
    api: Any, drain: Drain, board: str, player: str
) -> None:
    """The very player who is named, and nobody else."""
    api.make_board(board)
    api.submit_all(board, {player: 7, "other": 5})
    hide(api, board, player)
    drain()
    check(api, board, {"other": 5}, "all", absent=(player,))
    show(api, board, player)
    drain()
    check(api, board, {player: 7, "other": 5}, "all")
    remove(api, board, player)
    drain()
    check(api, board, {"other": 5}, "all", absent=(player,))


# --- What is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "raw"),
    [
        *((422, "invalid_fields", f'{{"hidden": {value}}}') for value in ("1", "0", "null", "[]")),
        *((422, "invalid_fields", f'{{"hidden": "{value}"}}') for value in ("true", "", "yes")),
        (422, "invalid_fields", "{}"),
        (422, "invalid_fields", '{"hidden": 1.0}'),
        (422, "invalid_fields", '{"hidden": true, "reason": "x"}'),
        (422, "invalid_fields", '{"Hidden": true}'),
        (422, "invalid_fields", "true"),
        (422, "invalid_fields", "[]"),
        (400, "not_json", ""),
        (400, "not_json", "{hidden: true}"),
    ],
)
def test_only_a_truth_value_is_taken(
    refused: Any, shared: str, status: int, code: str, raw: str
) -> None:
    """Nothing that merely reads like one, nothing missing and nothing more."""
    refused(status, code, "PUT", f"{path_of(shared, 'p')}/visibility", body=raw)


@pytest.mark.parametrize("route", ["", "/visibility"])
def test_boards_and_ids_that_there_cannot_be(refused: Any, shared: str, route: str) -> None:
    """An unknown board is not found, and an id that breaks the rule is told the rule."""
    method, event = ("PUT", {"body": '{"hidden": true}'}) if route else ("DELETE", {})
    for board in ("no-such-board", "NO"):
        path = f"/api/admin/leaderboards/{board}/players/p{route}"
        refused(404, "board_not_found", method, path, **event)
    for player in ("a%5Cb", "a%0Ab", "x" * 257):
        path = f"/api/admin/leaderboards/{shared}/players/{player}{route}"
        refused(400, "invalid_player_id", method, path, **event)


def test_a_deleted_board_has_no_players(api: Any, board: str) -> None:
    """Whoever moderates it hears that it is gone."""
    api.make_board(board)
    assert api.call("DELETE", f"/api/admin/leaderboards/{board}")[0] == 204
    assert api.call("DELETE", path_of(board, "p"))[0] == 404
    assert api.call("PUT", f"{path_of(board, 'p')}/visibility", {"hidden": True})[0] == 404


# --- Cost, and a store that fails ------------------------------------------------------------


def test_what_hiding_asks_for(
    api: Any, board: str, client: WatchedClient, table_names: TableNames
) -> None:
    """The board, the flag, one read of all windows, one write an item that is not in place."""
    api.make_board(board, windows=["all", "daily"])
    api.submit(board, "p", 1)
    for hidden in (True, False):
        client.restart()
        hide(api, board, "p", hidden=hidden)
        asked = ["get_item", "put_item", "batch_get_item", "update_item", "update_item"]
        assert client.operations() == asked
        client.restart()
        hide(api, board, "p", hidden=hidden)
        assert client.operations() == asked[:3]
        (read,) = [call for call in client.calls if call.operation == "batch_get_item"]
        keys = read.parameters["RequestItems"][table_names.scores]["Keys"]
        assert len(keys) == 3  # `all`, the day and the day before


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
def test_a_submit_reads_the_flag_before_it_writes(
    api: Any, board: str, client: WatchedClient, table_names: TableNames, policy: str
) -> None:
    """Once, consistently, whatever the number of windows."""
    api.make_board(board, policy=policy, windows=["all", "daily", "weekly"])
    api.submit(board, "warm", 1, submission_id="w")
    client.restart()
    path = f"/api/leaderboards/{board}/scores"
    body = {"player_id": "p", "score": 1, "submission_id": "s"}
    assert api.call("POST", path, body, query={"rank": "false"})[0] == 200
    first = client.calls[0].parameters
    if policy == "sum":
        first = first["RequestItems"][table_names.boards]
        assert client.operations() == ["batch_get_item", "transact_write_items"]
    else:
        assert client.operations() == ["get_item", *["update_item"] * 3]
        assert first["TableName"] == table_names.boards
    assert first["ConsistentRead"] is True


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
@pytest.mark.parametrize("name", ["ThrottlingException", "503"])
def test_a_flag_that_cannot_be_read_stops_the_submit(
    api: Any,
    board: str,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
    policy: str,
    name: str,
) -> None:
    """Who may be hidden is not shown meanwhile: nothing is written, and the caller tries again."""
    api.make_board(board, policy=policy)
    api.submit(board, "warm", 1, submission_id="w")
    monkeypatch.setattr("lambdas.logic.tables.RETRY_SECONDS", 0.0)
    error, status = {**THROTTLED, **UNAVAILABLE}[name], 429 if name in THROTTLED else 503
    client.fail(error, lambda call: call.operation in ("get_item", "batch_get_item"))
    body = {"player_id": "p", "score": 1, "submission_id": "s"}
    assert api.call("POST", f"/api/leaderboards/{board}/scores", body)[0] == status
    assert client.writes() == []
    client.restart()
    assert api.submit(board, "p", 1, submission_id="s")["outcome"] == "new"


# --- Lives -----------------------------------------------------------------------------------


def flags(client: DynamoDBClient, tables: TableNames, board: str) -> list[dict[str, Any]]:
    """The flags of a board, as they are stored."""
    return [one for one in items_of(client, tables.boards, board) if one["sk"]["S"] == "visibility"]


def test_a_board_made_again_hides_nobody(
    api: Any,
    drain: Drain,
    board: str,
    sweeps: Sweeps,
    table_names: TableNames,
) -> None:
    """The flags of its former life count no more, and go with the next closing; new ones stay."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    hide(api, board, "p00")
    hide(api, board, "p11")
    assert api.call("DELETE", f"/api/admin/leaderboards/{board}")[0] == 204
    forget(api.handlers)
    sweeps.clock.wait(LAPSED_MS)
    api.make_board(board)
    api.submit_all(board, SCORES)
    hide(api, board, "p11")
    drain()
    check(api, board, WITHOUT, "all", absent=("p11",))
    assert settle(api) >= 1
    (flag,) = flags(sweeps.client, table_names, board)
    assert flag["pk"]["S"] == f"{board}#p11"
    show(api, board, "p00")
    drain()
    check(api, board, WITHOUT, "all", absent=("p11",))


def test_nothing_is_left_of_a_deleted_board_with_hidden_players(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, table_names: TableNames
) -> None:
    """The sweep finds hidden items, and closing the flags."""
    api.make_board(board, windows=["all", "daily"], layout={"levels": 2, "index_shards": 2})
    api.submit_all(board, SCORES)
    for player in ("p00", "p11", "nobody"):
        hide(api, board, player)
    api.submit(board, "p11", 10**6)
    drain()
    assert len(flags(sweeps.client, table_names, board)) == 3
    assert api.call("DELETE", f"/api/admin/leaderboards/{board}")[0] == 204
    forget(api.handlers)
    assert sweeps.run(board)[0] == 2 * len(SCORES)
    assert settle(api) >= 3
    for table in (table_names.scores, table_names.counters, table_names.boards):
        assert items_of(sweeps.client, table, board) == []


def test_closing_says_what_it_says_whoever_is_hidden(
    api: Any, drain: Drain, board: str, at: At
) -> None:
    """A window with hidden players drifts no more than another, and is final in time."""
    api.make_board(board, windows=["daily"])
    api.submit_all(board, SCORES)
    hide(api, board, "p11")
    drain()
    at("2026-12-01T12:00")
    assert f"{board} {DAY}" in close(api)["final"]
    show(api, board, "p11")
    drain()
    check(api, board, SCORES, DAY)
