"""Windows that are over: audited, and final once nothing drifts."""

from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.rig.events import Context
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.failing import UNAVAILABLE, WatchedClient
from tests.functional.reads import get
from tests.instants import ms

SCORES = {f"p{i:02d}": 500 + 40 * i for i in range(30)}


def close(api: Any) -> dict[str, list[str]]:
    """What one call of the close function made final, and what drifts."""
    answer: dict[str, list[str]] = api.handlers[names.CLOSE].handler({}, Context())
    return answer


def state(api: Any, board: str, window: str) -> str:
    """The state that a board shows of one of its windows."""
    return next(
        str(one["state"]) for one in get(api, board, "")["windows"] if one["window"] == window
    )


@pytest.fixture
def counted(api: Any, drain: Any, board: str, clock: Clock) -> str:
    """A board of days and one season, with counted players in both, at noon."""
    clock("2026-11-30T12:00")
    season = {"season": "frost", "start": ms("2026-11-01T00:00"), "end": ms("2026-12-01T00:00")}
    layout = {"levels": 3, "index_shards": 2}
    api.make_board(
        board, windows=["all", "daily", season], grace_seconds=60, layout=layout, retention_days=9
    )
    api.submit_all(board, SCORES)
    drain()
    return board


def test_a_window_is_final_when_its_grace_and_the_last_write_are_over(
    api: Any, counted: str, clock: Clock, client: WatchedClient
) -> None:
    """Two minutes after the grace, once; a window without an end never."""
    due = [f"{counted} d2026-11-30", f"{counted} s:frost"]
    for time, expected in (
        ("2026-11-30T23:59:59", "open"),
        ("2026-12-01T00:00:00", "closing"),
        ("2026-12-01T00:01:00", "closing"),
        ("2026-12-01T00:02:59.999", "closing"),
        ("2026-12-01T00:03:00", "final"),
        ("2026-12-01T00:08:00", "final"),
    ):
        clock(time)
        found = [one for one in close(api)["final"] if one in due]
        assert sorted(found) == (due if time == "2026-12-01T00:03:00" else [])
        assert state(api, counted, "d2026-11-30") == expected
        assert state(api, counted, "s:frost") == expected
        assert state(api, counted, "all") == "open"
    client.calls.clear()
    close(api)
    queries = [call for call in client.calls if call.operation == "query"]
    ours = [call for call in queries if counted in str(call.parameters)]
    assert ours == [], "a final window is not audited again"


@pytest.mark.parametrize("path", ["", "1j"])
def test_a_window_that_drifts_is_not_final_until_it_agrees(
    api: Any,
    counted: str,
    clock: Clock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    path: str,
) -> None:
    """Whether its root disagrees with the index, or a node with its parent."""
    clock("2026-12-01T01:00")
    items = dynamodb_client.scan(TableName=table_names.counters)["Items"]
    root = f"{counted}#d2026-11-30#1#"
    inner = sorted(one[names.PK]["S"] for one in items if one[names.PK]["S"].startswith(root))
    pk = root if not path else next(one for one in inner if one != root)
    (item,) = [one for one in items if one[names.PK]["S"] == pk]
    code = next(name for name in sorted(item) if len(name) == 2 and name not in ("pk", "sk"))

    def add(delta: int) -> None:
        dynamodb_client.update_item(
            TableName=table_names.counters,
            Key={names.PK: item[names.PK], names.SK: item[names.SK]},
            UpdateExpression="ADD #code :delta",
            ExpressionAttributeNames={"#code": code},
            ExpressionAttributeValues={":delta": {"N": str(delta)}},
        )

    add(1)
    found = close(api)
    assert f"{counted} d2026-11-30" in found["drifting"]
    assert f"{counted} s:frost" in found["final"]
    assert state(api, counted, "d2026-11-30") == "closing"
    add(-1)
    assert f"{counted} d2026-11-30" in close(api)["final"]
    assert state(api, counted, "d2026-11-30") == "final"


def test_while_states_cannot_be_read_nothing_is_told_to_be_final(
    api: Any, counted: str, clock: Clock, client: WatchedClient
) -> None:
    """The board is still shown; a state that is not known is not made up."""
    clock("2026-12-01T01:00")
    close(api)
    client.fail(UNAVAILABLE["503"], lambda call: call.operation == "batch_get_item")
    assert state(api, counted, "d2026-11-30") == "closing"
    client.restart()
    assert state(api, counted, "d2026-11-30") == "final"


def test_a_late_result_before_the_end_of_grace_is_in_the_final_window(
    api: Any, counted: str, drain: Any, clock: Clock
) -> None:
    """What came within the grace period is counted; what comes later feeds today."""
    late = ms("2026-11-30T23:59")
    clock("2026-12-01T00:00:59")
    first = api.submit(counted, "late", 9_999, achieved_at=late)
    assert first["windows"]["d2026-11-30"]["outcome"] == "new"
    assert first["windows"]["s:frost"]["outcome"] == "new"
    drain()
    clock("2026-12-01T00:03")
    second = api.submit(counted, "later", 9_998, achieved_at=late)
    assert "d2026-11-30" not in second["windows"]
    assert second["windows"]["s:frost"] == {"outcome": "closed"}
    drain()
    assert f"{counted} d2026-11-30" in close(api)["final"]
    for window in ("d2026-11-30", "s:frost"):
        entries = get(api, counted, "/top", window=window, limit=1)
        assert [one["player_id"] for one in entries["entries"]] == ["late"]
        assert entries["population"] == 31
