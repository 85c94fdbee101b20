"""Segments when calls fail, get lost or meet: a player is in one of each dimension."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.api.resolver import TallyResolver
from lambdas.domain.segments import Segment
from lambdas.logic import tables as tables_of_a_call
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.segments import Segments
from ops.rig.tables import TableNames
from ops.rig.threads import serve_in_threads
from tests.functional.conftest import Api, MovingClock
from tests.functional.failing import THROTTLED, UNAVAILABLE, UNEXPECTED, WatchedClient, cancelled
from tests.functional.reads import get
from tests.functional.segments import check_reads, stored, submit

POLICIES = ("best", "latest", "sum")
CANCELLED = {
    "conflict": cancelled("None", "TransactionConflict", "None"),
    "condition": cancelled("ConditionalCheckFailed", "None", "None"),
}
ERRORS = {**THROTTLED, **UNAVAILABLE, **UNEXPECTED, **CANCELLED}
# DynamoDB answers the others for what it has not done: those never fail after taking effect.
CASES = [*((name, False) for name in ERRORS), *((name, True) for name in UNAVAILABLE)]
WRITE = 5  # the calls of a submission: board, items, a note for each of two segments, transaction


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a call give up at its first failure."""
    monkeypatch.setattr(tables_of_a_call, "RETRY_SECONDS", 0.0)


def send(api: Api, board: str, score: int, segments: Any, **more: Any) -> tuple[int, Any]:
    """Submits a score of player `p`."""
    body = {"player_id": "p", "score": score, "segments": segments, **more}
    path = f"/api/leaderboards/{board}/scores"
    return api.call("POST", path, body, query={"rank": "false"})


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("name", "after"), CASES)
def test_whatever_call_fails_a_repeat_makes_it_whole(
    api: Api,
    board: str,
    drain: Callable[[], None],
    client: WatchedClient,
    moving_clock: MovingClock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
    name: str,
    after: bool,
) -> None:
    """Each call failed before or after it took effect: all windows are as they were, or as they
    will be, and the repeat answers as the first call would have."""
    api.make_board(board, policy=policy, dimensions=["region", "mode"])
    assert send(api, board, 1, {"region": "r0", "mode": "duo"}, submission_id="0")[0] == 200
    changed = {"best": "improved", "latest": "replaced", "sum": "added"}[policy]
    for number in range(1, WRITE + 2):
        api.handlers[names.SUBMIT].connection.forget()
        moving_clock.advance(seconds=1)
        segments = {"region": f"r{number}", "mode": f"m{number}"}
        more = {"submission_id": str(number)}
        before = stored(dynamodb_client, table_names, board)
        client.fail(ERRORS[name], lambda call, n=number: call.number == n, after=after)
        status, answer = send(api, board, number + 1, segments, **more)
        client.restart()
        is_stored = number > WRITE or (number == WRITE and after)
        assert (status == 200) == (number > WRITE), answer
        standing = stored(dynamodb_client, table_names, board)
        assert (standing == before) == (not is_stored)
        moving_clock.advance(seconds=1)
        repeated_status, repeated = send(api, board, number + 1, segments, **more)
        assert repeated_status == 200
        outcomes = {window: one["outcome"] for window, one in repeated["windows"].items()}
        assert outcomes == {
            "all": changed,
            f"all@region:r{number}": "new",
            f"all@mode:m{number}": "new",
        }
        standing = stored(dynamodb_client, table_names, board)
        assert set(standing) == {"all", f"all@region:r{number}", f"all@mode:m{number}"}
        assert standing[f"all@region:r{number}"] == {"p": number + 1}
        assert standing[f"all@mode:m{number}"] == {"p": number + 1}
    drain()
    regions = [f"all@region:r{number}" for number in range(WRITE + 2)]
    check_reads(api, board, standing, [*standing, *regions])


@pytest.mark.parametrize("policy", POLICIES)
def test_a_crash_leaves_a_segment_known_and_empty(
    api: Api,
    board: str,
    client: WatchedClient,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
) -> None:
    """Between the note of a segment and its first item: it is empty, and the repeat fills it."""
    api.make_board(board, policy=policy, dimensions=["region"])
    client.fail(KeyboardInterrupt(), lambda call: call.operation == "transact_write_items")  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        send(api, board, 5, {"region": "eu"}, submission_id="a")
    client.restart()
    known = Segments(Dynamo(dynamodb_client, Meter()), table_names.boards).known(board)
    assert known == [(Segment("region", "eu"), 1, 1)]
    assert stored(dynamodb_client, table_names, board) == {}
    assert get(api, board, "/top", segment="region:eu")["entries"] == []
    again = send(api, board, 5, {"region": "eu"}, submission_id="a")[1]["windows"]
    assert {one["outcome"] for one in again.values()} == {"new"}


def test_a_segment_is_noted_once_a_container(
    api: Api, board: str, client: WatchedClient, table_names: TableNames
) -> None:
    """Before its first item; another container notes it again and changes nothing."""
    api.make_board(board, dimensions=["region"])
    client.restart()
    for score in (1, 2):
        submit(api, board, f"p{score}", score, segments={"region": "eu"})
    assert client.operations() == [
        "get_item",
        "batch_get_item",
        "update_item",
        "transact_write_items",
        "batch_get_item",
        "transact_write_items",
    ]
    assert client.calls[2].parameters["TableName"] == table_names.boards
    api.handlers[names.SUBMIT].connection.forget()
    client.restart()
    submit(api, board, "p3", 3, segments={"region": "eu"})
    assert client.operations()[2:] == ["update_item", "transact_write_items"]
    assert client.calls[2].answer is None, "the condition failed: it is known"


@pytest.mark.parametrize("name", [*THROTTLED, *CANCELLED])
def test_what_passes_is_tried_again_inside_the_call(
    api: Api, board: str, client: WatchedClient, name: str
) -> None:
    """Two failures of the read, the note or the transaction are no matter for the caller."""
    api.make_board(board, dimensions=["region"])
    operations = ["transact_write_items"]
    operations += ["batch_get_item", "update_item"] * (name in THROTTLED)
    for number, operation in enumerate(operations):
        failed: list[int] = []

        def fails(call: Any, operation: str = operation, failed: list[int] = failed) -> bool:
            if call.operation != operation or len(failed) == 2:
                return False
            failed.append(call.number)
            return True

        client.fail(ERRORS[name], fails)
        status, answer = send(api, board, number, {"region": f"r{number}"})
        assert (status, len(failed)) == (200, 2), answer


# --- Many at once ----------------------------------------------------------------------------


@pytest.fixture
def in_threads(api: Api) -> Iterator[Api]:
    """The API, for calls side by side."""
    app = api.handlers[names.SUBMIT].app
    serve_in_threads(app)
    yield api
    app.__class__ = TallyResolver


def until_taken(call: Callable[[], tuple[int, Any]]) -> Any:
    """Repeats as a game server does: on 429 and 503, after a moment."""
    while True:
        status, answer = call()
        if status not in (429, 503):
            assert status == 200, answer
            return answer
        time.sleep(0.05)


@pytest.mark.parametrize("policy", POLICIES)
def test_values_at_once_leave_exactly_one(
    in_threads: Api,
    board: str,
    drain: Callable[[], None],
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
) -> None:
    """Round by round one player is sent to many segments side by side, and without any."""
    in_threads.make_board(board, policy=policy, dimensions=["region", "mode"])
    named: list[dict[str, str]] = [
        {"region": "eu"},
        {"region": "us", "mode": "duo"},
        {"region": "asia", "mode": "solo"},
        {"mode": "duo"},
        {},
        {"region": "us"},
    ]
    with ThreadPoolExecutor(len(named)) as pool:
        for number in range(25):
            calls = [
                pool.submit(
                    until_taken,
                    lambda place=place, segments=segments, number=number: send(
                        in_threads,
                        board,
                        (number * 7 + place * 5) % 60,
                        segments,
                        submission_id=f"{number}-{place}",
                    ),
                )
                for place, segments in enumerate(named)
            ]
            for call in calls:
                call.result()
            standing = stored(dynamodb_client, table_names, board)
            assert sum(name.startswith("all@region:") for name in standing) == 1
            assert sum(name.startswith("all@mode:") for name in standing) == 1
    drain()
    everywhere = [f"all@{one}" for one in ("region:eu", "region:us", "region:asia", "mode:duo")]
    check_reads(in_threads, board, standing, [*standing, *everywhere])
    if policy == "sum":
        total = sum((n * 7 + place * 5) % 60 for n in range(25) for place in range(len(named)))
        assert standing["all"] == {"p": total}
