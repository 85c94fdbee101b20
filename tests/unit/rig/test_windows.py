"""Tumbling windows: what events say of them, what they pass on, and how they end."""

from typing import Any

import pytest

from ops.rig.mapping import VirtualClock
from tests.unit.rig.conftest import START, Make, Recorder, numbers, record


def finals(recorder: Recorder) -> list[list[int]]:
    """The sequence numbers of each final call."""
    return [numbers(event) for event in recorder.events if event["isFinalInvokeForWindow"]]


def test_an_event_names_its_shard_and_window(make: Make, recorder: Recorder) -> None:
    """With a window an event carries shard, window, state and both flags."""
    mapping = make(tumbling_window_seconds=60)
    mapping.put([record(1, created=START + 7)])
    mapping.step()
    event = recorder.events[0]
    assert {name: event[name] for name in event if name != "Records"} == {
        "shardId": next(iter(mapping.shards)).id,
        "eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/Scores/stream/now",
        "window": {"start": "2027-01-15T08:00:00Z", "end": "2027-01-15T08:01:00Z"},
        "state": {},
        "isFinalInvokeForWindow": False,
        "isWindowTerminatedEarly": False,
    }


def test_state_is_passed_on_within_a_window(make: Make, recorder: Recorder) -> None:
    """A call is handed what the call before answered as state; the first one of a window {}."""
    recorder.answers = [{"state": {"n": 1}}, {"state": {"n": 2}}]
    mapping = make(tumbling_window_seconds=60)
    for i in range(3):
        mapping.put([record(i)])
        mapping.step()
    assert [event["state"] for event in recorder.events] == [{}, {"n": 1}, {"n": 2}]


def test_state_belongs_to_one_shard(make: Make, recorder: Recorder) -> None:
    """Two stream shards in the same window have a state each."""

    def count(event: dict[str, Any], context: Any) -> Any:
        recorder(event, context)
        return {"state": {"seen": event["state"].get("seen", 0) + len(event["Records"])}}

    mapping = make(tumbling_window_seconds=60, stream_shards=2)
    mapping._handler = count
    for _ in range(2):
        mapping.put(record(i, key=f"k{i}") for i in range(20))
        mapping.step()
    per_shard: dict[str, int] = {}
    for event in recorder.events:
        assert event["state"].get("seen", 0) == per_shard.get(event["shardId"], 0)
        per_shard[event["shardId"]] = per_shard.get(event["shardId"], 0) + len(event["Records"])
    assert len(per_shard) == 2


def test_state_is_dropped_with_its_window(
    make: Make, recorder: Recorder, clock: VirtualClock
) -> None:
    """The next window begins with an empty state."""
    recorder.answers = [{"state": {"n": 1}}, {"state": {"n": 2}}]
    mapping = make(tumbling_window_seconds=60)
    mapping.put([record(1)])
    mapping.run_until(START + 60)
    mapping.put([record(2, created=clock.now())])
    mapping.step()
    assert [event["state"] for event in recorder.events] == [{}, {"n": 1}, {}]


def test_a_window_ends_with_a_call_without_records(make: Make, recorder: Recorder) -> None:
    """When a window is over and nothing of it waits, its final call has no records."""
    mapping = make(tumbling_window_seconds=60)
    mapping.put([record(1)])
    mapping.run_until(START + 59)
    assert recorder.batches == [[1]]
    mapping.run_until(START + 60)
    assert recorder.batches == [[1], []]
    assert finals(recorder) == [[]]


def test_a_window_that_is_over_ends_with_its_last_records(make: Make, recorder: Recorder) -> None:
    """Where the stream has gone on to the next window, the last batch may be the final call."""
    mapping = make(tumbling_window_seconds=60, batch_size=2)
    mapping.put([*(record(i) for i in range(3)), record(3, created=START + 61)])
    mapping.step()
    assert recorder.batches == [[0, 1], [2], [3]]
    assert finals(recorder) == [[2]]


def test_final_calls_can_be_kept_apart(make: Make, recorder: Recorder) -> None:
    """Told to, a mapping makes every final call without records, before the next window's."""
    mapping = make(tumbling_window_seconds=60, final_calls_with_records=False)
    mapping.put([record(1), record(2, created=START + 61)])
    mapping.step()
    assert recorder.batches == [[1], [], [2]]
    assert finals(recorder) == [[]]


def test_a_batch_lies_in_one_window(make: Make, recorder: Recorder) -> None:
    """A batch never holds records of two windows, however many it has room for."""
    mapping = make(tumbling_window_seconds=60, batch_size=100)
    mapping.put(record(i, created=START + 25 * i) for i in range(8))
    mapping.drain()
    assert [batch for batch in recorder.batches if batch] == [[0, 1, 2], [3, 4], [5, 6, 7]]


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": []}, "state", []])
def test_an_answer_without_state_fails(make: Make, recorder: Recorder, answer: Any) -> None:
    """With a window an answer that lacks `state` is a failed call, and its batch comes again."""
    recorder.answers = [answer]
    mapping = make(tumbling_window_seconds=60)
    mapping.put([record(1)])
    mapping.drain()
    assert recorder.batches == [[1], [1]]
    assert [delivery.failed for delivery in mapping.deliveries] == [True, False]


@pytest.mark.parametrize("answer", [None, {}, "anything"])
def test_without_a_window_no_state_is_asked_for(
    make: Make, recorder: Recorder, answer: Any
) -> None:
    """Without a window any answer is a success."""
    recorder.answers = [answer]
    mapping = make()
    mapping.put([record(1)])
    mapping.drain()
    assert recorder.batches == [[1]]


def test_a_retry_is_handed_the_same_state(make: Make, recorder: Recorder) -> None:
    """A call that failed changes no state, whatever it answered."""
    recorder.answers = [{"state": {"n": 1}}, RuntimeError("no"), {"state": {"n": 2}}]
    mapping = make(tumbling_window_seconds=60)
    for i in range(3):
        mapping.put([record(i)])
        mapping.drain()
    assert [event["state"] for event in recorder.events] == [{}, {"n": 1}, {"n": 1}, {"n": 2}]


def test_a_state_that_outgrows_its_limit_ends_the_window(make: Make, recorder: Recorder) -> None:
    """Above 1 MB of state the window's next call is its final one, said to be early."""
    recorder.answers = [{"state": {"much": "x" * 1024 * 1024}}]
    mapping = make(tumbling_window_seconds=60)
    mapping.put([record(1)])
    mapping.step()
    mapping.put([record(2)])
    mapping.step()
    assert recorder.batches == [[1], [], [2]]
    flags = [(e["isFinalInvokeForWindow"], e["isWindowTerminatedEarly"]) for e in recorder.events]
    assert flags == [(False, False), (True, True), (False, False)]
    assert recorder.events[2]["state"] == {}


def test_a_failing_final_call_holds_up_its_shard(make: Make, recorder: Recorder) -> None:
    """A final call is repeated until it succeeds, past any quota, and nothing goes by it."""
    recorder.answers = [{"state": {}}, *(RuntimeError("no") for _ in range(5))]
    mapping = make(
        tumbling_window_seconds=60, maximum_retry_attempts=0, final_calls_with_records=False
    )
    mapping.put([record(1), record(2, created=START + 61)])
    mapping.drain()
    assert recorder.batches == [[1], [], [], [], [], [], [], [2]]
    assert mapping.discarded == []


def test_a_window_without_records_is_never_called_for(make: Make, recorder: Recorder) -> None:
    """Windows that no record fell into make no call."""
    mapping = make(tumbling_window_seconds=60)
    mapping.run_until(START + 600)
    assert recorder.events == []
