"""What the count function raises, what it waits out, and what goes to the failure queue."""

import time
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from lambdas import names
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.logic.count import NoStreamShardError
from lambdas.store import keys
from lambdas.store.failures import Failures
from ops.rig.events import Context, stream_event
from ops.rig.mapping import Fault
from tests.functional.counting.boards import SHARD, WINDOW, CountedBoard, Counting

MARGIN_SECONDS = 10  # what the function leaves of its time to report in


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.THROTTLED, ThrottledError),
        (Fault.UNAVAILABLE, UnavailableError),
        (Fault.UNREACHABLE, UnavailableError),
        (Fault.REPLY_LOST, UnavailableError),
    ],
)
def test_what_may_pass_is_raised_only_at_the_deadline(
    counting: Counting, counted: CountedBoard, fault: Fault, error: type[Exception]
) -> None:
    """It is tried again inside the call until its time is up, and the next delivery counts."""
    counted.submit("a", 10)
    records = counted.records()
    counting.client.arm(fault, times=10**6, only="update_item")
    began = time.monotonic()
    with pytest.raises(error):
        counting.count(records, timeout_seconds=MARGIN_SECONDS + 0.6)
    assert 0.2 < time.monotonic() - began < 5
    assert counting.client.calls > 4  # two nodes, each more than twice
    counting.client.arm()
    counting.count(records)
    assert counted.counted() == counted.recounted()
    assert counting.queue.messages == []


def test_what_passes_in_time_is_not_raised(counting: Counting, counted: CountedBoard) -> None:
    """A few throttles cost a wait, and nothing else is seen of them."""
    counted.submit("a", 10)
    counting.client.arm(Fault.THROTTLED, times=4, only="update_item")
    counting.count(counted.records())
    assert counted.counted() == counted.recounted()


def test_a_board_that_cannot_be_looked_up_is_waited_for(
    counting: Counting, counted: CountedBoard
) -> None:
    """Before its first node a batch waits for its config; nothing is dropped meanwhile."""
    counted.submit("a", 10)
    records = counted.records()
    counting.module.board_cache.clear()
    counting.client.arm(Fault.UNAVAILABLE, times=10**6, only="get_item")
    with pytest.raises(UnavailableError):
        counting.count(records, timeout_seconds=MARGIN_SECONDS + 0.2)
    counting.client.arm()
    counting.count(records)
    assert counted.counted() == counted.recounted()


def test_what_dynamodb_refuses_goes_to_the_queue(counting: Counting, counted: CountedBoard) -> None:
    """A refused node's records are reported, once each and with their keys; others are counted."""
    counted.submit("a", 10)
    counted.submit("b", 10)
    counting.client.arm(Fault.REFUSED, times=10**6, only="update_item")
    counting.count(counted.records())
    assert [one["key"] for one in counting.queue.messages] == [
        keys.score_pk(counted.board.id, WINDOW, player) for player in "ab"
    ]
    assert all("root (ValidationException)" in one["reason"] for one in counting.queue.messages)
    counting.client.arm()
    counted.submit("c", 10)
    counting.count(counted.records())
    assert sum(counted.counted()[""].values()) == 1


def test_a_counter_that_is_no_number_blocks_nothing(
    counting: Counting, counted: CountedBoard
) -> None:
    """A count edited by hand into text makes DynamoDB refuse its node alone."""
    counted.submit("a", 10)
    counting.count(counted.records())
    code = counted.board.cells(counted.board.written_layout).path(10)[:2]
    (root,) = counted.items()
    counting.engine.update_item(
        TableName=counting.tables.counters,
        Key={"pk": root["pk"], "sk": root["sk"]},  # type: ignore[dict-item]
        UpdateExpression="SET #code = :text",
        ExpressionAttributeNames={"#code": code},
        ExpressionAttributeValues={":text": {"S": "many"}},
    )
    counted.submit("b", 10)
    counting.count(counted.records())
    (message,) = counting.queue.messages
    assert message["key"] == keys.score_pk(counted.board.id, WINDOW, "b")
    inner = counted.items(code)[0]
    assert inner["as_of"]


@pytest.mark.parametrize("records", [None, [], ["some"]])
def test_an_event_without_a_stream_shard_is_refused(
    counting: Counting, counted: CountedBoard, records: Any
) -> None:
    """Outside the stage `local` counting blindly would lose records, so the call fails."""
    counted.submit("a", 10)
    event = stream_event(counted.records() if records else [], None)
    if records is None:
        del event["Records"]
    with pytest.raises(NoStreamShardError):
        counting.handler(event, Context())
    assert counted.items() == []


def test_in_the_local_stage_the_stream_stands_for_its_shard(
    counting: Counting, counted: CountedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emulators name no stream shard: there a batch counts once all the same."""
    local = type(counting.module.settings)(
        **{**vars(counting.module.settings), "stage": names.STAGE_LOCAL}
    )
    monkeypatch.setattr(counting.module, "settings", local)
    counted.submit("a", 10)
    event = stream_event(counted.records(), None)
    for _ in range(2):
        counting.handler(event, Context())
    assert counted.counted() == counted.recounted()


@pytest.mark.parametrize("extra", [{}, {"Records": None}, {"Records": []}])
def test_a_window_s_final_call_may_hold_nothing(counting: Counting, extra: dict[str, Any]) -> None:
    """A final call without records hands its state back, and changes nothing."""
    event = {"shardId": SHARD, "state": {"kept": 1}, "isFinalInvokeForWindow": True, **extra}
    answer = counting.handler(event, Context())
    assert answer == {"state": {"kept": 1}, "batchItemFailures": []}


@pytest.fixture
def sqs() -> Iterator[Any]:
    """A queue as SQS keeps one."""
    with mock_aws():
        yield boto3.client("sqs", region_name="us-east-1")


def test_skipped_records_arrive_in_the_queue(sqs: Any) -> None:
    """More messages than one call takes arrive all, as JSON."""
    url = sqs.create_queue(QueueName="failures")["QueueUrl"]
    messages = [{"key": f"b#all#{i}", "reason": "ünreadable"} for i in range(23)]
    assert Failures(sqs, url).send(messages) == 0
    received: list[str] = []
    while batch := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        received += [one["Body"] for one in batch]
    assert len(received) == 23


def test_a_queue_that_fails_stops_nothing(
    sqs: Any, counting: Counting, counted: CountedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the queue is gone the batch is counted, and after one failed call no more is tried."""
    calls: list[Any] = []
    real = sqs.send_message_batch
    monkeypatch.setattr(sqs, "send_message_batch", lambda **p: (calls.append(p), real(**p))[1])
    gone = Failures(sqs, "https://sqs.us-east-1.amazonaws.com/123456789012/gone")
    monkeypatch.setattr(counting.module, "failures", gone)
    counted.submit("a", 10)
    counting.count([*counted.records(), *({} for _ in range(25))])
    assert counted.counted() == counted.recounted()
    assert len(calls) == 1
    assert gone.send([{"key": str(i)} for i in range(25)]) == 25


def test_a_queue_that_hangs_costs_less_than_the_margin(counting: Counting) -> None:
    """The queue's client gives up before the time that is left to report in has passed."""
    config = counting.module._QUEUE_CONFIG
    attempts = config.retries["total_max_attempts"]
    assert attempts * (config.connect_timeout + config.read_timeout) < MARGIN_SECONDS
    assert counting.module._MARGIN_SECONDS == MARGIN_SECONDS
