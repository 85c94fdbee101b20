"""The job that removes expired entries: all of them, nothing else, whatever comes between."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.errors import StoreError
from lambdas.logic import expiring
from lambdas.logic.removing import Pace
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.conftest import Api
from tests.functional.failing import (
    THROTTLED,
    UNAVAILABLE,
    UNEXPECTED,
    Call,
    WatchedClient,
    answered,
)
from tests.functional.lives import items_of
from tests.functional.reads import get
from tests.functional.rolling import GONE, LAST, LATER, NOON, TTL, agrees, expire, unranked
from tests.functional.test_closing import close, state
from tests.instants import ms

OLD = {f"old-{i:02d}": 1_000 + 37 * i for i in range(30)}
YOUNG = {f"young-{i:02d}": 1_010 + 41 * i for i in range(10)}
Drain = Callable[[], None]


@pytest.fixture
def mixed(api: Api, drain: Drain, board: str, clock: Clock) -> str:
    """A counted board, one hour after 30 of its players and half an hour after 10 others."""
    clock(NOON)
    layout = {"levels": 3, "index_shards": 3}
    api.make_board(board, entry_ttl_seconds=TTL, layout=layout)
    api.submit_all(board, OLD, achieved_at=ms(NOON))
    clock("2026-11-30T12:30")
    api.submit_all(board, YOUNG, achieved_at=ms("2026-11-30T12:30"))
    drain()
    clock(GONE)
    return board


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of three entries."""
    monkeypatch.setattr(expiring, "PAGE_SIZE", 3)


@pytest.fixture
def impatient(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is tried again."""
    monkeypatch.setattr(api.handlers[names.EXPIRE], "_PATIENCE_SECONDS", 0)


def metrics_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The metrics emitted since the last look."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (found,) = [line for line in lines if names.METRIC_EXPIRY_LAG in line]
    return dict(found)


def is_removal(call: Call) -> bool:
    """Whether a call removes an item."""
    return call.operation == "delete_item"


def test_what_has_expired_is_removed_to_the_millisecond(
    api: Api, drain: Drain, mixed: str, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not one earlier, everything at it, nothing else; then all reads and a recount agree."""
    clock(LAST)
    expire(api)
    agrees(api, mixed, OLD | YOUNG)
    clock(GONE)
    capsys.readouterr()
    assert expire(api)[mixed] == len(OLD)
    metrics = metrics_of(capsys)
    assert (metrics["EntriesExpired"], metrics["ExpiryLag"]) == ([len(OLD)], [0])
    drain()
    agrees(api, mixed, YOUNG)
    assert all(unranked(api, mixed, player) for player in OLD)
    assert expire(api)[mixed] == 0


def test_until_it_comes_by_list_and_counters_hold_what_has_expired(api: Api, mixed: str) -> None:
    """The player's own reads know at once, everybody's when it has come."""
    assert get(api, mixed, "/top")["population"] == len(OLD | YOUNG)
    assert get(api, mixed, "/distribution")["population"] == len(OLD | YOUNG)
    assert unranked(api, mixed, "old-00")


@pytest.mark.usefixtures("small_pages")
def test_many_pages_are_gone_through(
    api: Api, drain: Drain, mixed: str, client: WatchedClient
) -> None:
    """Each index shard to its end, a page at a time."""
    client.restart()
    assert expire(api)[mixed] == len(OLD)
    asked = [call.parameters for call in client.calls if mixed in str(call.parameters)]
    pages = [one for one in asked if one.get("Limit") == 3]
    assert len(pages) >= len(OLD) / 3
    assert {one["ExpressionAttributeValues"][":partition"]["S"] for one in pages} == {
        f"{mixed}#{shard}" for shard in range(3)
    }
    drain()
    agrees(api, mixed, YOUNG)


def test_the_lag_is_that_of_the_oldest_entry(
    api: Api, mixed: str, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """In seconds past the limit of age when the call began, removed or not; then 0."""
    clock("2026-11-30T13:00:12.345")
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api.handlers[names.EXPIRE], "Pace", partial(Pace, sleep=_die))
        with pytest.raises(_OutOfTimeError):
            expire(api)
    capsys.readouterr()
    # Whatever that call removed, an entry of the same age was left.
    assert 0 < expire(api)[mixed] < len(OLD)
    assert metrics_of(capsys)["ExpiryLag"] == [12.345]
    assert expire(api)[mixed] == 0
    assert metrics_of(capsys)["ExpiryLag"] == [0]


class _OutOfTimeError(Exception):
    """Stands for Lambda's own end of a call."""


def _die(seconds: float) -> None:
    raise _OutOfTimeError(seconds)


def test_a_call_without_time_removes_nothing_and_the_next_one_does(
    api: Api, drain: Drain, mixed: str
) -> None:
    """It ends before Lambda ends it."""
    assert expire(api, timeout_seconds=9)[mixed] == 0
    assert expire(api, timeout_seconds=60)[mixed] == len(OLD)
    drain()
    agrees(api, mixed, YOUNG)


def test_boards_take_turns_and_the_oldest_goes_first(
    api: Api, mixed: str, clock: Clock, client: WatchedClient
) -> None:
    """A board with much to remove does not keep another waiting."""
    other = f"{mixed}-2"
    clock(NOON)
    api.make_board(other, entry_ttl_seconds=60)
    api.submit_all(other, OLD, achieved_at=ms(NOON))
    clock(GONE)
    client.restart()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expiring, "PAGE_SIZE", 5)
        removed = expire(api)
    assert (removed[mixed], removed[other]) == (len(OLD), len(OLD))
    pages = [
        call.parameters["ExpressionAttributeValues"][":partition"]["S"]
        for call in client.calls
        if call.operation == "query" and call.parameters["Limit"] == 5
    ]
    assert pages[0] == f"{other}#0"
    assert sorted(pages[1:4]) == [f"{mixed}#{shard}" for shard in range(3)]


# --- Between query and removal ---------------------------------------------------------------


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
def test_an_entry_renewed_between_query_and_removal_stays(
    api: Api, drain: Drain, board: str, clock: Clock, client: WatchedClient, policy: str
) -> None:
    """The removal's condition finds it younger than the cutoff."""
    clock(NOON)
    api.make_board(board, entry_ttl_seconds=TTL, policy=policy)
    for player in ("ada", "bob"):
        api.submit(board, player, 50, submission_id="one")
    drain()
    clock(GONE)
    real, renewed = client._client.delete_item, []

    def renew_first(**parameters: Any) -> Any:
        if parameters["Key"]["pk"]["S"] == f"{board}#all#ada":
            renewed.append(api.submit(board, "ada", 5, submission_id="two")["outcome"])
        return real(**parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client._client, "delete_item", renew_first)
        assert expire(api)[board] == 1
    assert renewed == ["new"]
    drain()
    agrees(api, board, {"ada": 5})


def test_a_board_made_again_meanwhile_loses_nothing(
    api: Api, board: str, clock: Clock, client: WatchedClient, remake: Callable[[str], None]
) -> None:
    """Its entries may be as old as they like: without a limit of age they are in no partition."""
    clock(NOON)
    api.make_board(board, entry_ttl_seconds=TTL)
    api.submit(board, "ada", 50)
    clock(GONE)
    real = client._client.delete_item

    def make_again(**parameters: Any) -> Any:
        if board in parameters["Key"]["pk"]["S"]:
            remake(board)
            standing = api.call("GET", f"/api/admin/leaderboards/{board}")[1]
            layout = {"levels": standing["layout"]["levels"]}
            changed = {"entry_ttl_seconds": None, "layout": layout}
            assert api.call("PUT", f"/api/admin/leaderboards/{board}", changed)[0] == 200
            api.handlers[names.SUBMIT].connection.forget()
            assert api.submit(board, "ada", 5, achieved_at=1)["outcome"] == "new"
        return real(**parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client._client, "delete_item", make_again)
        assert expire(api)[board] == 0
    assert get(api, board, "/top")["entries"][0]["score"] == 5


@pytest.mark.usefixtures("small_pages")
def test_two_at_once_remove_each_entry_once(api: Api, drain: Drain, mixed: str) -> None:
    """Whoever comes second finds nothing to remove; the counters lose each player once."""
    with ThreadPoolExecutor(2) as pool:
        removed = [one[mixed] for one in pool.map(lambda _: expire(api), range(2))]
    assert sum(removed) == len(OLD)
    drain()
    agrees(api, mixed, YOUNG)


# --- DynamoDB fails --------------------------------------------------------------------------


@pytest.mark.usefixtures("small_pages", "impatient")
@pytest.mark.parametrize("after", [False, True], ids=["refused", "reply lost"])
@pytest.mark.parametrize("error", [THROTTLED["ThrottlingException"], UNAVAILABLE["503"]])
def test_whatever_call_fails_the_next_run_ends_it(
    api: Api, drain: Drain, mixed: str, client: WatchedClient, error: Exception, after: bool
) -> None:
    """Every call in turn: the run raises, what was removed stays removed, nothing else goes."""
    failed = 0
    for number in range(1, 200):
        client.fail(error, lambda call, number=number: call.number == number, after=after)
        try:
            expire(api)
        except StoreError:
            failed += 1
            client.restart()
            continue
        break
    assert failed >= 3
    client.restart()
    expire(api)
    drain()
    agrees(api, mixed, YOUNG)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("operation", ["query", "delete_item"])
def test_a_partition_that_is_not_served_holds_up_no_other(
    api: Api, mixed: str, client: WatchedClient, operation: str
) -> None:
    """The others are emptied, and the run raises; the next one ends it."""
    partition = f"{mixed}#1"

    def is_hot(call: Call) -> bool:
        values = call.parameters.get("ExpressionAttributeValues", {})
        return call.operation == operation and values.get(":partition") == {"S": partition}

    client.fail(THROTTLED["ThrottlingException"], is_hot)
    with pytest.raises(StoreError):
        expire(api)
    client.restart()
    tables = api.handlers[names.EXPIRE].settings
    left = {
        one["expiry_partition"]["S"]
        for one in items_of(client._client, tables.scores_table, mixed)
        if one["achieved_at"]["N"] == str(ms(NOON))
    }
    assert left == {partition}
    assert 0 < expire(api)[mixed] < len(OLD)


def test_throttling_that_passes_is_waited_out(api: Api, mixed: str, client: WatchedClient) -> None:
    """The first try of each call fails, the second goes through."""
    seen: set[str] = set()

    def is_first(call: Call) -> bool:
        asked = str(call.parameters)
        return call.operation != "scan" and not (asked in seen or seen.add(asked))

    client.fail(THROTTLED["RequestLimitExceeded"], is_first)
    assert expire(api)[mixed] == len(OLD)


@pytest.mark.usefixtures("mixed")
def test_what_no_retry_mends_ends_the_run(api: Api, client: WatchedClient) -> None:
    """A missing permission is no matter of patience."""
    client.fail(UNEXPECTED["AccessDeniedException"], is_removal)
    with pytest.raises(StoreError, match="AccessDenied"):
        expire(api)
    client.fail(answered("ResourceNotFoundException"), lambda call: call.operation == "query")
    with pytest.raises(StoreError, match="ResourceNotFound"):
        expire(api)


# --- What expires ----------------------------------------------------------------------------


def test_a_hidden_entry_expires(
    api: Api,
    drain: Drain,
    mixed: str,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """It is an item like any other, in its partition of the expiry index."""
    key = {names.PK: {"S": f"{mixed}#all#old-07"}}
    dynamodb_client.update_item(
        TableName=table_names.scores,
        Key=key,
        UpdateExpression="SET rank_partition = :hidden",
        ExpressionAttributeValues={":hidden": {"S": f"{mixed}#all#hidden"}},
    )
    drain()
    assert get(api, mixed, "/distribution")["population"] == len(OLD | YOUNG) - 1
    assert expire(api)[mixed] == len(OLD)
    assert "Item" not in dynamodb_client.get_item(TableName=table_names.scores, Key=key)
    drain()
    agrees(api, mixed, YOUNG)


def test_a_final_window_loses_its_entries_too(
    api: Api, drain: Drain, board: str, clock: Clock
) -> None:
    """Only removals change it, and expiry is one: it stays final and shrinks."""
    clock("2026-11-30T23:50")
    api.make_board(board, windows=["all", "daily"], entry_ttl_seconds=TTL)
    for player, time in (("ada", "2026-11-30T23:50"), ("bob", "2026-11-30T23:55")):
        api.submit(board, player, 50, achieved_at=ms("2026-11-30T23:50"))
        clock(time)
    api.submit(board, "cid", 40)
    drain()
    clock("2026-12-01T00:10")
    assert f"{board} d2026-11-30" in close(api)["final"]
    clock("2026-12-01T00:50")
    assert expire(api)[board] == 4
    drain()
    for window in ("all", "d2026-11-30"):
        agrees(api, board, {"cid": 40}, window)
    assert state(api, board, "d2026-11-30") == "final"
    assert f"{board} d2026-11-30" not in close(api)["final"]
    clock("2026-12-01T00:55")
    assert expire(api)[board] == 2
    drain()
    agrees(api, board, {}, "d2026-11-30")


def test_a_board_whose_entries_never_expire_is_in_no_expiry_index(
    api: Api, board: str, clock: Clock, client: WatchedClient
) -> None:
    """It writes no key for it, and the job does not ask for it."""
    clock(NOON)
    api.make_board(board)
    api.submit(board, "ada", 5)
    (item,) = items_of(client._client, api.handlers[names.EXPIRE].settings.scores_table, board)
    assert "expiry_partition" not in item
    client.restart()
    assert board not in expire(api)
    assert not [call for call in client.calls if board in str(call.parameters)]


# --- Cost ------------------------------------------------------------------------------------


def units(call: Call) -> dict[str, float]:
    """What a call consumed, in the table and in each index."""
    assert call.answer
    consumed = call.answer["ConsumedCapacity"]
    indexes = consumed.get("GlobalSecondaryIndexes", {})
    return {
        "table": consumed.get("Table", {"CapacityUnits": 0.0})["CapacityUnits"],
        **{name: one["CapacityUnits"] for name, one in indexes.items()},
    }


def test_a_submit_costs_in_the_expiry_index_what_it_does_in_the_rank_index(
    api: Api, board: str, clock: Clock, client: WatchedClient
) -> None:
    """1 unit for a new entry, 2 for a changed one, whose key moves, and none for a kept one."""
    clock(NOON)
    api.make_board(board, entry_ttl_seconds=TTL)

    def cost(score: int) -> dict[str, float]:
        client.restart()
        api.submit(board, "ada", score, metadata={"car": "x" * 300})
        (call,) = client.writes()
        return units(call) if call.answer else {}

    assert cost(5) == {"table": 1, "byRank": 1, "byExpiry": 1}
    clock("2026-11-30T12:10")
    assert cost(7) == {"table": 1, "byRank": 2, "byExpiry": 2}
    assert cost(6) == {}
    clock("2026-11-30T13:10")
    assert cost(1) == {"table": 1, "byRank": 2, "byExpiry": 2}, "over an expired record"


def test_an_idle_run_costs_half_a_unit_an_index_shard(
    api: Api, mixed: str, client: WatchedClient
) -> None:
    """And what the scan of `Boards` does: a query each, which AWS counts at least half a unit for.

    The local engine counts nothing for a query that finds nothing.
    """
    expire(api)
    client.restart()
    assert expire(api)[mixed] == 0
    ours = [call for call in client.calls if mixed in str(call.parameters)]
    assert [call.operation for call in ours] == ["query"] * 3
    assert [units(call) for call in ours] == [{"table": 0, "byExpiry": 0}] * 3
    assert {call.operation for call in client.calls} == {"scan", "query"}


def test_a_removal_costs_a_unit_in_the_table_and_in_each_index(
    api: Api, mixed: str, client: WatchedClient
) -> None:
    """And finding them half a read unit each 4 KB: a page of ten here, and the look before."""
    client.restart()
    expire(api)
    ours = [call for call in client.calls if mixed in str(call.parameters)]
    removals = [units(call) for call in ours if is_removal(call)]
    assert removals == [{"table": 1, "byRank": 1, "byExpiry": 1}] * len(OLD)
    queries = [units(call) for call in ours if call.operation == "query"]
    assert queries == [{"table": 0, "byExpiry": 0.5}] * 6


@pytest.mark.parametrize("length", [36, 256])
def test_a_page_costs_half_a_read_unit_each_four_kilobytes(
    api: Api, board: str, clock: Clock, client: WatchedClient, length: int
) -> None:
    """Of index entries, whose size is that of the two keys and of their names."""
    clock(NOON)
    api.make_board(board, entry_ttl_seconds=TTL)
    players = {f"{i:03d}".ljust(length, "x"): i for i in range(200)}
    api.submit_all(board, players, achieved_at=ms(NOON))
    clock(LATER)
    client.restart()
    assert expire(api)[board] == len(players)
    ours = [call for call in client.calls if board in str(call.parameters)]
    pages = [call for call in ours if call.operation == "query" and call.parameters["Limit"] > 1]
    entry = len(f"pk{board}#all#") + length + len(f"expiry_partition{board}#0achieved_at") + 8
    read = sum(units(call)["byExpiry"] for call in pages)
    assert len(pages) == 1
    assert abs(read - entry * len(players) / 4_096 / 2) <= 0.15 * read + 0.5
