"""Segments as the windows they are: closed, made final, swept, and what they cost."""

from collections.abc import Callable
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.score_items import segment_windows_of
from lambdas.store.segments import Segments
from ops.rig.events import Context
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.conftest import Api
from tests.functional.failing import WatchedClient
from tests.functional.lives import LAPSED_MS, AdminClock, Sweeps, forget, items_of
from tests.functional.reads import get
from tests.functional.segments import stored, submit
from tests.instants import ms

Drain = Callable[[], None]
REGIONS = ("asia", "eu", "us")


@pytest.fixture
def left(
    dynamodb_client: DynamoDBClient, table_names: TableNames
) -> Callable[[str], tuple[int, int]]:
    """How many score and counter items of a board there are."""

    def count(board: str) -> tuple[int, int]:
        return (
            len(items_of(dynamodb_client, table_names.scores, board)),
            len(items_of(dynamodb_client, table_names.counters, board)),
        )

    return count


@pytest.fixture
def known(dynamodb_client: DynamoDBClient, table_names: TableNames) -> Callable[[str], list[str]]:
    """The segments that a board is known to have."""
    segments = Segments(Dynamo(dynamodb_client, Meter()), table_names.boards)
    return lambda board: [one.segment.text for one in segments.known(board)]


def fill(api: Api, board: str, players: int = 12) -> None:
    """Submits a result of each player, by region."""
    for number in range(players):
        region = {"region": REGIONS[number % 3]}
        submit(api, board, f"p{number:02d}", 100 * number, segments=region)


def delete(api: Api, board: str) -> None:
    """Deletes a board, and lets every cached config lapse."""
    assert api.call("DELETE", f"/api/admin/leaderboards/{board}") == (204, None)
    forget(api.handlers)


# --- Closing ---------------------------------------------------------------------------------


def close(api: Api, board: str) -> dict[str, list[str]]:
    """What one call of the close function found of a board."""
    answer = api.handlers[names.CLOSE].handler({}, Context())
    return {
        state: [one.removeprefix(f"{board} ") for one in found if one.startswith(f"{board} ")]
        for state, found in answer.items()
        if state in ("final", "drifting")
    }


def test_segments_become_final_with_their_window(
    api: Api, board: str, drain: Drain, clock: Clock, client: WatchedClient
) -> None:
    """Each is audited by itself, once; the window without end never."""
    clock("2026-11-30T12:00")
    api.make_board(board, dimensions=["region"], windows=["all", "daily"], grace_seconds=60)
    fill(api, board)
    drain()
    clock("2026-12-01T00:02:59")
    assert close(api, board) == {"final": [], "drifting": []}
    clock("2026-12-01T00:03")
    day = "d2026-11-30"
    expected = [day, *(f"{day}@region:{region}" for region in REGIONS)]
    assert close(api, board) == {"final": expected, "drifting": []}
    assert close(api, board) == {"final": [], "drifting": []}
    client.restart()
    close(api, board)
    queries = [call.parameters for call in client.calls if call.operation == "query"]
    ours = [one for one in queries if board in str(one)]
    assert [one["TableName"] for one in ours] == ["Boards"], "what is final is not audited again"


def test_a_segment_that_drifts_is_not_final(
    api: Api,
    board: str,
    drain: Drain,
    clock: Clock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """Its window is; the segment is looked at again."""
    clock("2026-11-30T12:00")
    api.make_board(board, dimensions=["region"], windows=["daily"])
    fill(api, board)
    drain()
    pk = f"{board}#d2026-11-30@region:eu#1#"
    (root,) = [
        item
        for item in items_of(dynamodb_client, table_names.counters, board)
        if item[names.PK]["S"] == pk
    ]
    code = next(name for name in sorted(root) if len(name) == 2 and name not in ("pk", "sk"))

    def add(delta: int) -> None:
        dynamodb_client.update_item(
            TableName=table_names.counters,
            Key={names.PK: root[names.PK], names.SK: root[names.SK]},
            UpdateExpression="ADD #code :delta",
            ExpressionAttributeNames={"#code": code},
            ExpressionAttributeValues={":delta": {"N": str(delta)}},
        )

    add(1)
    clock("2026-12-01T01:00")
    found = close(api, board)
    assert found["drifting"] == ["d2026-11-30@region:eu"]
    assert "d2026-11-30" in found["final"]
    add(-1)
    assert close(api, board) == {"final": ["d2026-11-30@region:eu"], "drifting": []}


def test_more_segments_than_one_request_reads(
    api: Api,
    board: str,
    clock: Clock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """The states of a hundred and more windows are read, and none is left out."""
    clock("2026-11-30T12:00")
    layout = {"buckets": 64, "levels": 1}
    api.make_board(board, dimensions=["region"], windows=["daily"], layout=layout)
    segments = Segments(Dynamo(dynamodb_client, Meter()), table_names.boards)
    of = api.handlers[names.SUBMIT].connection.tables().board(board)
    submit(api, board, "p", 1, segments={"region": "r000"})
    for number in range(1, 104):
        segments.make_known(of, segments.known(board)[0].segment._replace(value=f"r{number:03d}"))
    clock("2026-12-01T01:00")
    found = close(api, board)
    assert len(found["final"]) + len(found["drifting"]) == 105
    assert len(close(api, board)["final"]) == 0


def test_items_and_counters_of_a_segment_expire_with_its_window(
    api: Api,
    board: str,
    drain: Drain,
    clock: Clock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """The stamp is the window's own, in both tables; past its retention it is not read."""
    clock("2026-11-30T12:00")
    api.make_board(board, dimensions=["region"], windows=["daily", "all"], retention_days=9)
    fill(api, board)
    drain()
    for table in (table_names.scores, table_names.counters):
        for item in items_of(dynamodb_client, table, board):
            window = item[names.PK]["S"].split("#")[1]
            stamp = {"N": str(ms("2026-12-12T00:00") // 1_000)} if window[0] == "d" else None
            assert item.get(names.EXPIRES_AT) == stamp
    clock("2026-12-09T23:59")
    assert get(api, board, "/top", window="d2026-11-30", segment="region:eu")["population"] == 4
    clock("2026-12-10T00:00")
    query = {"window": "d2026-11-30", "segment": "region:eu"}
    assert api.call("GET", f"/api/leaderboards/{board}/top", query=query)[0] == 404


# --- Sweeping --------------------------------------------------------------------------------


@pytest.mark.parametrize("requests", [1, 17, 10_000])
def test_nothing_of_a_deleted_board_is_left(
    api: Api,
    board: str,
    drain: Drain,
    sweeps: Sweeps,
    left: Any,
    known: Any,
    requests: int,
) -> None:
    """Items and counters of segments go, a hidden player's too, and then the segments' own."""
    api.make_board(board, dimensions=["region"], windows=["all", "daily"], layout={"levels": 3})
    fill(api, board)
    sweeps.client.update_item(
        TableName=sweeps.tables.scores,
        Key={names.PK: {"S": keys.score_pk(board, "all@region:eu", "p01")}},
        UpdateExpression=f"SET {names.RANK_PARTITION} = :hidden",
        ExpressionAttributeValues={":hidden": {"S": keys.hidden_partition(board, "all@region:eu")}},
    )
    drain()
    assert known(board) == ["region:asia", "region:eu", "region:us"]
    delete(api, board)
    scores, counters = left(board)
    assert (scores, sweeps.sweep().population(board)) == (48, 47)
    assert sweeps.run(board, requests) == (scores, counters)
    assert (left(board), known(board)) == ((0, 0), [])
    drain()
    assert left(board) == (0, 0)


def test_a_life_that_stands_keeps_its_segments(
    api: Api,
    board: str,
    drain: Drain,
    sweeps: Sweeps,
    left: Any,
    known: Any,
    admin_clock: AdminClock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """Between any two requests of a sweep the new life goes on with old and with new values."""
    api.make_board(board, dimensions=["region"])
    fill(api, board)
    drain()
    delete(api, board)
    admin_clock.wait(LAPSED_MS)
    api.make_board(board, dimensions=["region"])
    players = iter(range(12))
    for _ in sweeps.slices(board, requests=2):
        if (number := next(players, None)) is not None:
            region = {"region": ("eu", f"new{number}")[number % 2]}
            outcomes = submit(api, board, f"p{number:02d}", 7, segments=region)
            assert {outcome for outcome, _ in outcomes.values()} == {"new"}
            drain()
    for number in players:
        submit(api, board, f"p{number:02d}", 7, segments={"region": "eu"})
    drain()
    standing = stored(dynamodb_client, table_names, board)
    assert len(standing["all"]) == 12
    assert {name.removeprefix("all@") for name in standing} - {"all"} == set(known(board))
    delete(api, board)
    sweeps.run(board)
    assert (left(board), known(board)) == ((0, 0), [])


# --- What they cost, and what others need of them ---------------------------------------------


def test_an_item_names_the_windows_its_player_stands_in(
    api: Api, board: str, dynamodb_client: DynamoDBClient, table_names: TableNames
) -> None:
    """What an erasure has to look for, by the item of the window alone."""
    api.make_board(board, dimensions=["region", "mode"], windows=["all", "daily"])
    answer = submit(api, board, "p", 1, segments={"region": "eu", "mode": "duo"})
    submit(api, board, "p", 1, segments={"region": "us"})
    found = {
        window
        for item in items_of(dynamodb_client, table_names.scores, board)
        for window in segment_windows_of(item)
    }
    assert found == {name.replace(":eu", ":us") for name in answer if "@" in name}


# By what became of it: read, written, in the index; a base window and one segment.
UNITS = {
    "new": (0.0, 4.0, 4.0),
    "better": (2.0, 4.0, 8.0),
    "worse": (2.0, 0.0, 0.0),
    "worse elsewhere": (1.0, 8.0, 4.0),  # the engine counts the removal as 4
}


def test_the_units_of_a_submission(api: Api, board: str, client: WatchedClient) -> None:
    """As DynamoDB Local reports them; docs/access-patterns.md names these."""
    api.make_board(board, dimensions=["region"])
    submit(api, board, "other", 1, segments={"region": "eu"})
    submit(api, board, "another", 1, segments={"region": "us"})
    found = {}
    for name, score, region in (
        ("new", 50, "eu"),
        ("better", 60, "eu"),
        ("worse", 40, "eu"),
        ("worse elsewhere", 30, "us"),
    ):
        client.restart()
        submit(api, board, "p", score, segments={"region": region})
        found[name] = _units(client)
    assert found == UNITS


def _units(client: WatchedClient) -> tuple[float, float, float]:
    read = written = in_index = 0.0
    for call in client.calls:
        assert call.answer is not None
        for one in call.answer["ConsumedCapacity"]:
            indexes = one.get("GlobalSecondaryIndexes", {})
            in_indexes = sum(index["CapacityUnits"] for index in indexes.values())
            if call.operation == "batch_get_item":
                read += one["CapacityUnits"]
            else:
                written += one["CapacityUnits"] - in_indexes
                in_index += in_indexes
    return read, written, in_index
