"""Boards of sums: every submission counts once, whenever and however often it is sent."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from ops.rig.tables import TableNames
from tests.functional.conftest import Api, MovingClock
from tests.functional.failing import WatchedClient
from tests.functional.reads import get

SUM = {"policy": "sum", "score_range": [-1_000, 1_000]}
INT64 = (-(2**63), 2**63 - 1)
Submit = Callable[..., tuple[int, Any]]


@pytest.fixture
def submit(api: Api, board: str) -> Submit:
    """Submits a score of player `p` under an id, without ranks."""

    def send(submission_id: str, score: int, player: str = "p", **more: Any) -> tuple[int, Any]:
        body = {"player_id": player, "score": score, "submission_id": submission_id, **more}
        return api.call("POST", f"/api/leaderboards/{board}/scores", body, query={"rank": "false"})

    return send


def top(api: Api, board: str, window: str = "all") -> dict[str, int]:
    """The sums of a window's players."""
    entries = get(api, board, "/top", window=window)["entries"]
    return {one["player_id"]: one["score"] for one in entries}


# --- Outcomes --------------------------------------------------------------------------------


def test_scores_are_added_up(api: Api, board: str, submit: Submit) -> None:
    """The first one is new, the next are added, also below nothing; zero makes an entry."""
    api.make_board(board, **SUM)
    for number, (score, total) in enumerate([(10, 10), (-15, -5), (0, -5), (7, 2)]):
        status, answer = submit(f"id-{number}", score)
        assert (status, answer["score"]) == (200, total)
        assert answer["outcome"] == ("added" if number else "new")
        assert answer["windows"] == {"all": {"score": total, "outcome": answer["outcome"]}}
    assert submit("zero", 0, "idle")[1]["outcome"] == "new"
    assert top(api, board) == {"p": 2, "idle": 0}


def test_a_repeat_is_answered_with_what_became_of_the_first(
    api: Api, board: str, submit: Submit
) -> None:
    """The sum and outcome of then, whatever was added since; nothing is added again."""
    api.make_board(board, **SUM)
    assert submit("a", 10)[1]["outcome"] == "new"
    assert submit("b", 5)[1]["outcome"] == "added"
    for submission_id, score, outcome, total in (("a", 10, "new", 10), ("b", 5, "added", 15)):
        status, answer = submit(submission_id, score, metadata={"again": True})
        assert (status, answer["outcome"], answer["score"]) == (200, "duplicate", total)
        assert answer["windows"] == {"all": {"score": total, "outcome": outcome}}
    assert top(api, board) == {"p": 15}


def test_an_id_is_the_players_own(api: Api, board: str, submit: Submit) -> None:
    """Two players may use one id; one player's id on two boards is two submissions."""
    api.make_board(board, **SUM)
    api.make_board(f"{board}-2", **SUM)
    assert submit("one", 1)[1]["outcome"] == submit("one", 2, "q")[1]["outcome"] == "new"
    assert api.submit(f"{board}-2", "p", 5, submission_id="one")["outcome"] == "new"
    assert top(api, board) == {"p": 1, "q": 2}


def test_an_id_with_another_score_is_refused(api: Api, board: str, submit: Submit) -> None:
    """409, and what was stored under the id stands."""
    api.make_board(board, **SUM)
    submit("one", 10)
    status, answer = submit("one", 11)
    assert (status, answer["code"]) == (409, "submission_id_reused")
    assert "one" in answer["detail"]
    assert top(api, board) == {"p": 10}


def test_the_entry_keeps_the_latest_time_and_the_newest_calls_metadata(
    api: Api, board: str, submit: Submit, dynamodb_client: DynamoDBClient, table_names: TableNames
) -> None:
    """Times do not depend on the order of arrival; metadata and id are the last call's."""
    api.make_board(board, **SUM)
    submit("late", 1, achieved_at=9_000, metadata={"run": 1})
    submit("early", 2, achieved_at=1_000, metadata={"run": 2})
    key = {"pk": {"S": f"{board}#all#p"}}
    item = dynamodb_client.get_item(TableName=table_names.scores, Key=key)["Item"]
    assert item["achieved_at"] == {"N": "9000"}
    assert (item["metadata"], item["submission_id"]) == ({"S": '{"run":2}'}, {"S": "early"})


def test_a_repeat_is_ranked_by_what_stands_now(
    api: Api, board: str, drain: Callable[[], None], client: WatchedClient
) -> None:
    """The score is that of then, the rank the player's own of now."""
    api.make_board(board, **SUM)
    api.submit(board, "p", 10, submission_id="one")
    api.submit(board, "q", 20, submission_id="one")
    api.submit(board, "p", 15, submission_id="two")
    drain()
    client.restart()
    answer = api.submit(board, "p", 10, submission_id="one")
    ranked = answer["windows"]["all"]
    assert (answer["outcome"], answer["score"], answer["rank"]) == ("duplicate", 10, 1)
    assert (ranked["score"], ranked["outcome"], ranked["population"]) == (10, "new", 2)
    assert not client.writes()


# --- Windows ---------------------------------------------------------------------------------


def test_a_repeat_feeds_no_new_window(
    api: Api, board: str, submit: Submit, moving_clock: MovingClock
) -> None:
    """Sent again a minute or a day later, past midnight, it goes where it went and nowhere else."""
    api.make_board(board, **SUM, windows=["daily", "all"])
    moving_clock.advance(hours=11, minutes=59, seconds=30)
    first = submit("one", 10)[1]
    today, tomorrow = "d2026-11-30", "d2026-12-01"
    assert list(first["windows"]) == [today, "all"]
    for later in ({"minutes": 1}, {"hours": 20}, {"hours": 27}):
        moving_clock.advance(**later)
        answer = submit("one", 10)[1]
        assert answer == {**first, "outcome": "duplicate"}
    assert top(api, board, today) == top(api, board) == {"p": 10}
    assert top(api, board, tomorrow) == top(api, board, "d2026-12-02") == {}
    assert submit("two", 5)[1]["windows"] == {
        "d2026-12-02": {"score": 5, "outcome": "new"},
        "all": {"score": 15, "outcome": "added"},
    }


def test_a_closed_window_takes_no_part(
    api: Api, board: str, submit: Submit, moving_clock: MovingClock, client: WatchedClient
) -> None:
    """It answers closed, on a repeat too; with nothing open a repeat is answered all the same."""
    hour, now = 3_600_000, moving_clock.now_ms
    seasons = [
        {"season": "past", "start": now - 2 * hour, "end": now - hour},
        {"season": "now", "start": now - hour, "end": now + hour},
    ]
    api.make_board(board, **SUM, windows=seasons)
    client.restart()
    first = submit("one", 10)[1]
    windows = {"s:past": {"outcome": "closed"}, "s:now": {"score": 10, "outcome": "new"}}
    assert first["windows"] == windows
    assert (first["outcome"], first["score"]) == ("closed", None)
    (write,) = client.writes()
    assert len(write.parameters["TransactItems"]) == 2
    moving_clock.advance(hours=2)
    status, answer = submit("one", 10)
    assert (status, answer["outcome"], answer["windows"]) == (200, "duplicate", windows)
    assert submit("one", 11)[1]["code"] == "submission_id_reused"
    assert submit("two", 1)[1]["code"] == "windows_closed"


@pytest.mark.parametrize(("days", "kept_hours"), [(None, 48), (1, 48), (7, 168)])
def test_the_ledger_keeps_a_submission_for_a_time(
    api: Api,
    board: str,
    submit: Submit,
    moving_clock: MovingClock,
    days: int | None,
    kept_hours: int,
) -> None:
    """48 hours or the board's retention; past it the same id counts anew, also before TTL came."""
    api.make_board(board, **SUM, retention_days=days)
    submit("one", 10)
    moving_clock.advance(hours=kept_hours, seconds=-1)
    assert submit("one", 10)[1]["outcome"] == "duplicate"
    moving_clock.advance(seconds=1)
    assert submit("one", 11)[1]["outcome"] == "added"
    assert submit("one", 11)[1]["outcome"] == "duplicate"
    assert top(api, board) == {"p": 21}


def test_a_former_life_counts_for_nothing(
    api: Api, board: str, submit: Submit, remake: Callable[[str], None]
) -> None:
    """Neither the sums nor the ids of a board that was deleted are those of the new one."""
    api.make_board(board, **SUM)
    submit("one", 10)
    submit("two", 10)
    remake(board)
    assert submit("one", 7)[1]["outcome"] == "new"
    assert submit("one", 7)[1]["outcome"] == "duplicate"
    assert submit("two", 1)[1]["outcome"] == "added"
    assert top(api, board) == {"p": 8}


# --- What is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("submission_id", "taken"),
    [
        (None, False),
        ("", False),
        ("x", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("é" * 32, True),
        ("é" * 32 + "x", False),
    ],
)
def test_a_submission_needs_an_id(
    api: Api, board: str, submission_id: str | None, taken: bool
) -> None:
    """1 to 64 bytes of UTF-8, or 422 naming the field."""
    api.make_board(board, **SUM)
    body = {"player_id": "p", "score": 1}
    body |= {} if submission_id is None else {"submission_id": submission_id}
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores", body)
    assert status == (200 if taken else 422)
    if not taken:
        assert [error["field"] for error in answer["errors"]] == ["submission_id"]
    assert len(top(api, board)) == taken


def test_a_sum_must_stay_in_range_in_every_window(
    api: Api, board: str, submit: Submit, moving_clock: MovingClock
) -> None:
    """Else 422 names each window with what it would become, and nothing is written anywhere."""
    api.make_board(board, **SUM, windows=["all", "daily"])
    submit("one", 990)
    moving_clock.advance(days=1)
    status, answer = submit("two", 11)
    assert (status, answer["code"]) == (422, "invalid_fields")
    (error,) = answer["errors"]
    assert error["field"] == "score"
    assert "1001 in all" in error["message"]
    assert top(api, board, "daily") == {}
    for field in [one["field"] for one in submit("three", 2_000)[1]["errors"]]:
        assert field == "score"
    assert submit("two", 10)[1]["windows"] == {  # the id was not spent
        "all": {"score": 1_000, "outcome": "added"},
        "d2026-12-01": {"score": 10, "outcome": "new"},
    }


def test_what_is_added_is_any_integer_of_64_bits(api: Api, board: str, submit: Submit) -> None:
    """More than the range may be added at once, as long as the sum lies in it."""
    low, high = INT64
    api.make_board(board, policy="sum", score_range=[low, high], layout={"levels": 6})
    for score in (low - 1, high + 1):
        status, answer = submit("past", score)
        assert (status, [one["field"] for one in answer["errors"]]) == (422, ["score"])
    assert submit("low", low)[1]["score"] == low
    assert submit("high", high)[1]["score"] == -1
    assert submit("high-2", high)[1]["score"] == high - 1
    status, answer = submit("over", 2)
    assert (status, [one["field"] for one in answer["errors"]]) == (422, ["score"])
    assert str(high + 1) in answer["errors"][0]["message"]
    assert top(api, board) == {"p": high - 1}


def test_a_start_outside_the_range_can_be_left_at_once(
    api: Api, board: str, submit: Submit
) -> None:
    """On a board that does not hold 0 the first sum is what must lie in its range."""
    api.make_board(board, policy="sum", score_range=[100, 200])
    assert submit("one", 99)[0] == 422
    assert submit("two", 100)[1]["score"] == 100


# --- Batches ---------------------------------------------------------------------------------


def test_a_batch_judges_each_on_its_own(api: Api, board: str) -> None:
    """One player's are added in order; a repeat, a reused id and a missing one are told apart."""
    api.make_board(board, **SUM)
    scores: list[dict[str, Any]] = [
        {"player_id": "p", "score": 10, "submission_id": "a"},
        {"player_id": "p", "score": 5, "submission_id": "b"},
        {"player_id": "p", "score": 10, "submission_id": "a"},
        {"player_id": "p", "score": 9, "submission_id": "a"},
        {"player_id": "q", "score": 1},
        {"player_id": "q", "score": 9_999, "submission_id": "c"},
        {"player_id": "q", "score": 3, "submission_id": "c"},
    ]
    path = f"/api/leaderboards/{board}/scores/batch"
    status, answer = api.call("POST", path, {"scores": scores})
    assert status == 200
    results = [(one["status"], one.get("outcome", one.get("code"))) for one in answer["results"]]
    assert results == [
        (200, "new"),
        (200, "added"),
        (200, "duplicate"),
        (409, "submission_id_reused"),
        (422, "invalid_fields"),
        (422, "invalid_fields"),
        (200, "new"),
    ]
    assert top(api, board) == {"p": 15, "q": 3}


# --- Requests --------------------------------------------------------------------------------


@pytest.mark.parametrize("windows", [["all"], ["all", "daily", "weekly", "monthly"]])
def test_what_a_submit_asks_for(
    api: Api,
    board: str,
    submit: Submit,
    client: WatchedClient,
    table_names: TableNames,
    windows: list[str],
) -> None:
    """One consistent read of all the items, one transaction over them; a repeat reads alone."""
    api.make_board(board, **SUM, windows=windows)
    submit("warm", 1)
    client.restart()
    submit("one", 1)
    submit("one", 1)
    assert client.operations() == ["batch_get_item", "transact_write_items", "batch_get_item"]
    read, write, _ = client.calls
    asked = read.parameters["RequestItems"]
    assert {table: len(one["Keys"]) for table, one in asked.items()} == {
        table_names.submissions: 1,
        table_names.boards: 1,  # the player's flag
        table_names.scores: len(windows),
    }
    assert all(one["ConsistentRead"] for one in asked.values())
    puts = [one["Put"] for one in write.parameters["TransactItems"] if "Put" in one]
    updates = [one["Update"] for one in write.parameters["TransactItems"] if "Update" in one]
    assert [one["TableName"] for one in puts] == [table_names.submissions]
    assert [one["TableName"] for one in updates] == [table_names.scores] * len(windows)
    assert all("ConditionExpression" in one for one in (*puts, *updates))
    assert all(one["Key"]["pk"]["S"].endswith("#p") for one in updates)


def test_the_ledgers_units_are_a_metric_of_their_own(
    api: Api, board: str, submit: Submit, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a submit writes is told apart: score items, their index, and the ledger."""
    api.make_board(board, **SUM)
    capsys.readouterr()
    found = []
    for _ in range(2):
        submit("one", 1)
        found.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    names_of_units = ("ScoreWriteUnits", "IndexWriteUnits", "LedgerWriteUnits")
    assert all(found[0][name][0] > 0 for name in names_of_units)
    assert all(found[1][name] == [0.0] for name in names_of_units)  # a repeat writes nothing
