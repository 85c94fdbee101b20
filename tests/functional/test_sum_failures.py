"""Boards of sums when calls fail, meet or get lost: what is repeated is counted once."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lambdas import names
from lambdas.api.resolver import TallyResolver
from lambdas.logic import tables as tables_of_a_call
from ops.rig.threads import serve_in_threads
from tests.functional.conftest import Api, MovingClock
from tests.functional.failing import (
    THROTTLED,
    UNAVAILABLE,
    UNEXPECTED,
    WatchedClient,
    cancelled,
)
from tests.functional.reads import get

SUM = {"policy": "sum", "windows": ["daily", "all"]}
CANCELLED = {
    "conflict": cancelled("None", "TransactionConflict", "None"),
    "condition": cancelled("ConditionalCheckFailed", "None", "None"),
    "throttled": cancelled("None", "ThrottlingError", "ThrottlingError"),
    "capacity": cancelled("ProvisionedThroughputExceeded", "None", "None"),
}
ERRORS = {**THROTTLED, **UNAVAILABLE, **UNEXPECTED, **CANCELLED}
RETRIED = [*THROTTLED, *CANCELLED]
# DynamoDB answers the others for what it has not done: those never fail after taking effect.
CASES = [*((name, False) for name in ERRORS), *((name, True) for name in UNAVAILABLE)]
BOARD, READ, WRITE = 1, 2, 3  # the calls of a submit; ranks follow


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a call give up at its first failure."""
    monkeypatch.setattr(tables_of_a_call, "RETRY_SECONDS", 0.0)


def send(api: Api, board: str, submission_id: str, score: int) -> tuple[int, Any]:
    """Submits a score of player `p`."""
    body = {"player_id": "p", "score": score, "submission_id": submission_id}
    return api.call("POST", f"/api/leaderboards/{board}/scores", body)


def outcomes(answer: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """What an answer says of its windows, without ranks."""
    return {w: (one["outcome"], one["score"]) for w, one in answer["windows"].items()}


def check_sums(api: Api, board: str, total: int) -> None:
    """The player's sum in both windows."""
    api.handlers[names.READ].connection.forget()
    for window in ("all", "daily"):
        entries = get(api, board, "/top", window=window)["entries"]
        assert [one["score"] for one in entries] == ([total] if total else [])


# --- One call fails --------------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("name", "after"), CASES)
def test_whatever_call_fails_a_repeat_makes_it_exact(
    api: Api, board: str, client: WatchedClient, moving_clock: MovingClock, name: str, after: bool
) -> None:
    """Each call failed before or after it took effect, then the whole repeated a day later."""
    api.make_board(board, **SUM)
    total = 0
    for number in range(BOARD, 8):
        if number > 1:
            total += 1
            send(api, board, f"between-{number}", 1)
        api.handlers[names.SUBMIT].connection.forget()
        client.fail(ERRORS[name], lambda call, n=number: call.number == n, after=after)
        status, answer = send(api, board, f"id-{number}", 10)
        stored = number > WRITE or (number == WRITE and after)
        assert (status == 200) == (number > WRITE and name not in UNEXPECTED), answer
        client.restart()
        day = moving_clock.now_ms
        repeated_status, repeated = send(api, board, f"id-{number}", 10)
        total += 10
        assert repeated_status == 200
        assert (repeated["outcome"] == "duplicate") == stored
        if status == 200:
            assert outcomes(repeated) == outcomes(answer)
        outcome = "new" if number == 1 else "added"
        assert outcomes(repeated)["all"] == (outcome, total)
        moving_clock.advance(days=1)
        assert outcomes(send(api, board, f"id-{number}", 10)[1]) == outcomes(repeated)
        moving_clock.now_ms = day
        check_sums(api, board, total)


@pytest.mark.parametrize("name", UNAVAILABLE)
def test_a_lost_reply_crosses_midnight(
    api: Api, board: str, client: WatchedClient, moving_clock: MovingClock, name: str
) -> None:
    """Stored just before midnight and repeated just after, it feeds the old day alone."""
    api.make_board(board, **SUM)
    moving_clock.advance(hours=11, minutes=59, seconds=59)
    client.fail(ERRORS[name], lambda call: call.operation == "transact_write_items", after=True)
    assert send(api, board, "one", 10)[0] == 503
    client.restart()
    moving_clock.advance(seconds=2)
    status, answer = send(api, board, "one", 10)
    assert (status, answer["outcome"]) == (200, "duplicate")
    assert outcomes(answer) == {"d2026-11-30": ("new", 10), "all": ("new", 10)}
    assert get(api, board, "/top", window="daily")["entries"] == []


@pytest.mark.parametrize("name", RETRIED)
def test_what_passes_is_tried_again_inside_the_call(
    api: Api, board: str, client: WatchedClient, name: str
) -> None:
    """Two failures of the read and of the transaction are met by waiting, not by the caller."""
    api.make_board(board, **SUM)
    operations = ["transact_write_items"] + ["batch_get_item"] * (name in THROTTLED)
    for operation in operations:
        failed: list[int] = []

        def fails(call: Any, operation: str = operation, failed: list[int] = failed) -> bool:
            if call.operation != operation or len(failed) == 2:
                return False
            failed.append(call.number)
            return True

        client.fail(ERRORS[name], fails)
        status, answer = send(api, board, operation, 10)
        assert (status, answer["outcome"]) in ((200, "new"), (200, "added"))
        assert len(failed) == 2
    client.restart()
    check_sums(api, board, 10 * len(operations))


@pytest.mark.parametrize("name", RETRIED)
def test_what_does_not_pass_is_refused_in_time(
    api: Api, board: str, client: WatchedClient, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """429 with `Retry-After` after some tries, well inside the function's ten seconds."""
    monkeypatch.setattr(tables_of_a_call, "RETRY_SECONDS", 0.5)
    api.make_board(board, **SUM)
    client.fail(ERRORS[name], lambda call: call.operation == "transact_write_items")
    started = time.monotonic()
    status, answer = send(api, board, "one", 10)
    assert time.monotonic() - started < 2
    codes = {"conflict": "conflict", "condition": "conflict"}
    assert (status, answer["code"]) == (429, codes.get(name, "throttled"))
    assert client.operations().count("transact_write_items") > 2
    client.restart()
    check_sums(api, board, 0)


# --- Keys left unread ------------------------------------------------------------------------


class Sparing:
    """A client whose `batch_get_item` reads so many keys of each request, and leaves the rest."""

    def __init__(self, client: Any, keys: int) -> None:
        self._client = client
        self._keys = keys

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def batch_get_item(self, **parameters: Any) -> Any:
        """Reads the first keys of a request."""
        asked = [
            (table, key) for table, one in parameters["RequestItems"].items() for key in one["Keys"]
        ]
        read, left = asked[: self._keys], asked[self._keys :]
        answer = (
            self._client.batch_get_item(**{**parameters, "RequestItems": _requests(read)})
            if (read)
            else {"Responses": {}, "ConsumedCapacity": []}
        )
        return {**answer, "UnprocessedKeys": _requests(left)}


def _requests(keys: list[tuple[str, Any]]) -> dict[str, Any]:
    tables = {table for table, _ in keys}
    return {
        table: {"Keys": [key for its, key in keys if its == table], "ConsistentRead": True}
        for table in tables
    }


def test_keys_left_unread_are_asked_for_again(
    api: Api, board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One key an answer is slow, and right."""
    api.make_board(board, **SUM)
    connection = api.handlers[names.SUBMIT].connection
    monkeypatch.setattr(connection, "_client", Sparing(connection._client, 1))
    for number in range(3):
        assert send(api, board, f"id-{number}", 10)[1]["score"] == 10 * (number + 1)
    assert send(api, board, "id-0", 10)[1]["outcome"] == "duplicate"
    check_sums(api, board, 30)


@pytest.mark.usefixtures("impatient")
def test_nothing_read_is_throttling(api: Api, board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no key at all is read, the caller is told to come back."""
    api.make_board(board, **SUM)
    connection = api.handlers[names.SUBMIT].connection
    with monkeypatch.context() as patch:
        patch.setattr(connection, "_client", Sparing(connection._client, 0))
        status, answer = send(api, board, "one", 10)
    assert (status, answer["code"]) == (429, "throttled")
    check_sums(api, board, 0)


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


def test_sixty_four_at_once_add_up(in_threads: Api, board: str) -> None:
    """Increments of one player side by side, a third of them sent twice, add up exactly."""
    in_threads.make_board(board, **SUM)
    sent = [(f"id-{n}", n + 1) for n in range(64)]
    sent += sent[::3]
    started = time.monotonic()
    with ThreadPoolExecutor(64) as pool:
        calls = [
            pool.submit(until_taken, lambda one=one: send(in_threads, board, *one)) for one in sent
        ]
        answers = [call.result() for call in calls]
    elapsed = time.monotonic() - started
    check_sums(in_threads, board, 64 * 65 // 2)
    found = [answer["outcome"] for answer in answers]
    assert (found.count("new"), found.count("duplicate")) == (1, len(sent) - 64)
    # Each sum was reached by one submission alone, whatever the order.
    reached = {answer["score"] for answer in answers if answer["outcome"] != "duplicate"}
    assert len(reached) == 64
    assert max(reached) == 64 * 65 // 2
    assert elapsed < 30, "a few seconds on an idle machine"


def test_one_submission_sent_many_times_at_once_counts_once(in_threads: Api, board: str) -> None:
    """One of the calls adds it; every other one is told that it is a duplicate."""
    in_threads.make_board(board, **SUM)
    with ThreadPoolExecutor(16) as pool:
        calls = [
            pool.submit(until_taken, lambda: send(in_threads, board, "one", 10)) for _ in range(32)
        ]
        answers = [call.result() for call in calls]
    assert sorted({answer["outcome"] for answer in answers}) == ["duplicate", "new"]
    assert [answer["outcome"] for answer in answers].count("new") == 1
    assert {answer["score"] for answer in answers} == {10}
    check_sums(in_threads, board, 10)
