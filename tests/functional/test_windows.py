"""Windows by the server's clock: what feeds which, what each reads, and what a failure leaves."""

from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.rig.events import Context, stream_event
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.failing import THROTTLED, WatchedClient
from tests.functional.reads import get, problem
from tests.instants import ms

SHARD = "shardId-00000000000000000000-00000001"
# How DynamoDB signs what its TTL service removes.
TTL_SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
BERLIN = {"windows": ["all", "daily", "weekly", "monthly"], "time_zone": "Europe/Berlin"}


def outcomes(answer: dict[str, Any]) -> dict[str, str]:
    """What a submission did to each window."""
    return {window: result["outcome"] for window, result in answer["windows"].items()}


def test_one_submission_feeds_every_window(api: Any, drain: Any, board: str, clock: Clock) -> None:
    """Day, week and month of the board's own zone, whatever the day is in Greenwich."""
    clock("2026-11-30T23:30")  # a Monday there, Tuesday 00:30 in Berlin
    api.make_board(board, **BERLIN)
    answer = api.submit(board, "ada", 5)
    assert outcomes(answer) == dict.fromkeys(("all", "d2026-12-01", "w2026-W49", "m2026-12"), "new")
    assert answer["rank"] == answer["windows"]["all"]["rank"] == 1
    drain()
    for window in (None, "all", "daily", "d2026-12-01", "weekly", "m2026-12"):
        asked = {} if window is None else {"window": window}
        assert api.rank(board, "ada", **asked)["rank"] == 1
    assert api.rank(board, "ada", window="daily")["window"] == "d2026-12-01"
    assert api.rank(board, "ada", window="d2026-11-30")["kind"] == "unranked"


def test_each_window_keeps_its_own_best(api: Any, drain: Any, board: str, clock: Clock) -> None:
    """A new day begins empty, and a worse score of that day stands in it."""
    api.make_board(board, **BERLIN)
    clock("2026-11-30T12:00")
    api.submit(board, "ada", 50)
    clock("2026-12-01T12:00")
    answer = api.submit(board, "ada", 20)
    assert outcomes(answer) == {
        "all": "kept",
        "d2026-12-01": "new",
        "w2026-W49": "kept",
        "m2026-12": "new",
    }
    assert (answer["score"], answer["windows"]["d2026-12-01"]["score"]) == (50, 20)
    api.submit(board, "bob", 30)
    drain()
    assert [one["score"] for one in get(api, board, "/top", window="d2026-11-30")["entries"]] == [
        50
    ]
    today = get(api, board, "/top", window="daily")
    assert [(one["player_id"], one["rank"]) for one in today["entries"]] == [("bob", 1), ("ada", 2)]
    assert get(api, board, "/distribution", window="monthly")["population"] == 2
    assert get(api, board, "/distribution", window="m2026-11")["population"] == 1


def test_a_late_result_feeds_the_window_it_was_achieved_in(
    api: Any, board: str, clock: Clock
) -> None:
    """While the day just over is in its grace period; later or older ones feed today."""
    api.make_board(board, windows=["daily"], grace_seconds=600)
    midnight = ms("2026-12-01T00:00")
    clock("2026-12-01T00:09")
    late = api.submit(board, "ada", 5, achieved_at=midnight - 1)
    assert outcomes(late) == {"d2026-11-30": "new"}
    older = api.submit(board, "bob", 5, achieved_at=midnight - 86_400_001)
    assert outcomes(older) == {"d2026-12-01": "new"}
    clock("2026-12-01T00:10")
    assert outcomes(api.submit(board, "cid", 5, achieved_at=midnight - 1)) == {"d2026-12-01": "new"}


def test_a_season_is_open_between_its_bounds(api: Any, board: str, clock: Clock) -> None:
    """Before it nothing is fed, after it the answer says closed; alone it makes a 409."""
    season = {"season": "frost", "start": ms("2026-12-01T00:00"), "end": ms("2026-12-02T00:00")}
    alone = f"{board}-alone"
    api.make_board(board, windows=["all", season])
    api.make_board(alone, windows=[season])
    path, body = f"/api/leaderboards/{alone}/scores", {"player_id": "ada", "score": 5}
    clock("2026-11-30T23:59")
    assert outcomes(api.submit(board, "ada", 1)) == {"all": "new"}
    status, answer = api.call("POST", path, body)
    assert (status, answer["code"]) == (409, "windows_closed")
    clock("2026-12-01T00:00")
    assert outcomes(api.submit(board, "ada", 2)) == {"all": "improved", "s:frost": "new"}
    assert api.call("POST", path, body)[0] == 200
    clock("2026-12-02T00:00")
    answer = api.submit(board, "ada", 3)
    assert outcomes(answer) == {"all": "improved", "s:frost": "closed"}
    assert answer["windows"]["s:frost"] == {"outcome": "closed"}
    status, answer = api.call("POST", path, body)
    assert (status, answer["code"]) == (409, "windows_closed")
    batch = api.call("POST", f"{path}/batch", {"scores": [body]})[1]["results"]
    assert (batch[0]["status"], batch[0]["code"]) == (409, "windows_closed")
    assert get(api, alone, "/top")["entries"][0]["player_id"] == "ada"


def test_windows_no_board_has_are_not_found(api: Any, board: str, clock: Clock) -> None:
    """Other kinds, dates no calendar has, and what is past its retention."""
    api.make_board(board, windows=["daily"], retention_days=2)
    clock("2026-11-30T12:00")
    for window in ("all", "weekly", "w2026-W49", "d2026-02-30", "d2026-11-30 ", "s:x", "", "d"):
        assert problem(api, f"{board}/top", window=window)[:2] == (404, "window_not_found"), window
    assert get(api, board, "/top", window="d2026-11-28")["entries"] == []
    assert problem(api, f"{board}/top", window="d2026-11-27")[:2] == (404, "window_not_found")


def test_windows_show_their_state(api: Any, drain: Any, board: str, clock: Clock) -> None:
    """Open and closing ones with bounds and populations; those not begun are not listed."""
    season = {"season": "frost", "start": ms("2026-12-25T00:00"), "end": ms("2026-12-31T00:00")}
    api.make_board(board, windows=["daily", season], grace_seconds=60)
    clock("2026-11-30T23:00")
    api.submit(board, "ada", 5)
    drain()
    clock("2026-12-01T00:00:30")
    today, yesterday = get(api, board, "")["windows"]
    assert (today["window"], today["state"], today["population"]) == ("d2026-12-01", "open", 0)
    assert (yesterday["window"], yesterday["state"]) == ("d2026-11-30", "closing")
    assert (yesterday["population"], yesterday["start"], yesterday["end"]) == (
        1,
        ms("2026-11-30T00:00"),
        ms("2026-12-01T00:00"),
    )


def test_what_expires_says_when(
    api: Any,
    drain: Any,
    board: str,
    clock: Clock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """Items and counters of a window carry its end, its retention and two days; `all` never."""
    clock("2026-11-30T12:00")
    api.make_board(board, windows=["all", "daily"], retention_days=7, layout={"levels": 2})
    api.submit(board, "ada", 5)
    drain()
    expected = ms("2026-12-10T00:00") // 1_000
    for window, expires_at in (("d2026-11-30", expected), ("all", None)):
        key = {names.PK: {"S": f"{board}#{window}#ada"}}
        item = dynamodb_client.get_item(TableName=table_names.scores, Key=key)["Item"]
        nodes = dynamodb_client.query(
            TableName=table_names.counters,
            KeyConditionExpression=f"{names.PK} = :root",
            ExpressionAttributeValues={":root": {"S": f"{board}#{window}#1#"}},
        )["Items"]
        assert len(nodes) == 1
        for held in (item, *nodes):
            assert held.get(names.EXPIRES_AT) == (expires_at and {"N": str(expires_at)})


def test_a_failure_between_windows_names_them_and_a_repeat_completes(
    api: Any, drain: Any, board: str, clock: Clock, client: WatchedClient
) -> None:
    """The answer says what is stored; sent again everything is, and nothing twice."""
    clock("2026-11-30T12:00")
    api.make_board(board, windows=["all", "daily", "weekly"])
    path = f"/api/leaderboards/{board}/scores"
    body = {"player_id": "ada", "score": 5, "achieved_at": ms("2026-11-30T11:00")}
    for nth in (1, 2, 3):
        player = body | {"player_id": f"p{nth}"}
        writes = [0]

        def is_nth(call: Any, nth: int = nth, writes: list[int] = writes) -> bool:
            writes[0] += call.operation == "update_item" and call.answer is None
            return call.operation == "update_item" and writes[0] == nth

        client.fail(THROTTLED["ThrottlingException"], is_nth)
        status, answer = api.call("POST", path, player)
        assert (status, answer["code"]) == (429, "throttled")
        stored = ["all", "d2026-11-30", "w2026-W49"][: nth - 1]
        missing = ["all", "d2026-11-30", "w2026-W49"][nth - 1 :]
        if stored:
            assert f"Stored already: {', '.join(stored)}." in answer["detail"]
            assert [one["field"] for one in answer["errors"]] == [f"windows.{w}" for w in missing]
        client.restart()
        status, again = api.call("POST", path, player)
        assert (status, set(outcomes(again).values())) == (200, {"new"})
    drain()
    for window in ("all", "daily", "weekly"):
        assert get(api, board, "/distribution", window=window)["population"] == 3


@pytest.mark.parametrize(
    ("before", "after", "days"),
    [
        ("2026-03-28T22:59:59.999", "2026-03-28T23:00", ("d2026-03-28", "d2026-03-29")),
        ("2026-03-29T21:59:59.999", "2026-03-29T22:00", ("d2026-03-29", "d2026-03-30")),
        ("2026-10-24T21:59:59.999", "2026-10-24T22:00", ("d2026-10-24", "d2026-10-25")),
        ("2026-10-25T22:59:59.999", "2026-10-25T23:00", ("d2026-10-25", "d2026-10-26")),
    ],
)
def test_days_of_23_and_25_hours(
    api: Any, board: str, clock: Clock, before: str, after: str, days: tuple[str, str]
) -> None:
    """Both clock changes in Berlin: the day changes at local midnight, to the millisecond."""
    api.make_board(board, windows=["daily"], time_zone="Europe/Berlin")
    for time, day in zip((before, after), days, strict=True):
        clock(time)
        assert [*api.submit(board, f"at {time}", 5)["windows"]] == [day]


def test_retention_takes_items_away_without_a_wrong_count(
    api: Any,
    drain: Any,
    board: str,
    clock: Clock,
    handlers: Any,
    reader: Any,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """TTL removes items one by one, and not one count moves until the counters go themselves."""
    clock("2026-11-30T12:00")
    api.make_board(board, windows=["daily", "all"], retention_days=1)
    players = {f"p{i}": 10 * i for i in range(12)}
    api.submit_all(board, players)
    drain()
    before = get(api, board, "/distribution", window="d2026-11-30")
    for player in players:
        key = {names.PK: {"S": f"{board}#d2026-11-30#{player}"}}
        dynamodb_client.delete_item(TableName=table_names.scores, Key=key)
        records = [one | {"userIdentity": TTL_SERVICE} for one in reader.new_records()]
        assert [one["eventName"] for one in records] == ["REMOVE"]
        handlers[names.COUNT].handler(stream_event(records, SHARD, state={}), Context())
        clock("2026-12-01T12:00")
        assert get(api, board, "/distribution", window="d2026-11-30") == before
    assert get(api, board, "/distribution", window="all")["population"] == 12
    clock("2026-12-02T00:00")
    assert problem(api, f"{board}/top", window="d2026-11-30")[:2] == (404, "window_not_found")
