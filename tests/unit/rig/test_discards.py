"""Records given up, by age or after their retries, and what their destination is told."""

import json

from ops.rig.mapping import VirtualClock
from tests.unit.rig.conftest import START, Make, Recorder, record


def test_records_are_discarded_after_their_retries(make: Make, recorder: Recorder) -> None:
    """A batch is tried once and as often again as allowed, then the shard goes on without it."""
    recorder.poison = frozenset({1})
    mapping = make(maximum_retry_attempts=2, batch_size=2)
    mapping.put(record(i) for i in range(4))
    mapping.drain()
    assert recorder.batches == [[0, 1], [0, 1], [0, 1], [2, 3]]


def test_the_destination_is_told_where_records_lay(make: Make, recorder: Recorder) -> None:
    """The message names shard, sequence numbers and counts, and holds no record."""
    recorder.poison = frozenset({4})
    mapping = make(maximum_retry_attempts=2)
    mapping.put(record(i, created=START + i, pad=50) for i in range(2, 7))
    mapping.drain()
    message = mapping.discarded[0]
    assert message["DDBStreamBatchInfo"] == {
        "shardId": next(iter(mapping.shards)).id,
        "startSequenceNumber": f"{2:021d}",
        "endSequenceNumber": f"{6:021d}",
        "approximateArrivalOfFirstRecord": "2027-01-15T08:00:02Z",
        "approximateArrivalOfLastRecord": "2027-01-15T08:00:06Z",
        "batchSize": 5,
        "streamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Scores/stream/now",
    }
    assert message["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert message["requestContext"]["approximateInvokeCount"] == 3
    assert message["responseContext"]["functionError"] == "Unhandled"
    assert "xxx" not in json.dumps(message)


def test_what_a_partial_answer_did_is_not_in_the_message(make: Make, recorder: Recorder) -> None:
    """Records done before the one that fails are done; the message is about the rest."""
    failed = {"batchItemFailures": [{"itemIdentifier": f"{2:021d}"}]}
    recorder.answers = [failed, failed, failed]
    mapping = make(maximum_retry_attempts=2, report_batch_item_failures=True)
    mapping.put(record(i) for i in range(5))
    mapping.drain()
    info = mapping.discarded[0]["DDBStreamBatchInfo"]
    assert recorder.batches == [[0, 1, 2, 3, 4], [2, 3, 4], [2, 3, 4]]
    assert (info["startSequenceNumber"], info["batchSize"]) == (f"{2:021d}", 3)


def test_a_batch_too_old_is_given_up_between_retries(
    make: Make, recorder: Recorder, clock: VirtualClock
) -> None:
    """Retries without limit end when the records reach the maximum age."""
    recorder.poison = frozenset({1})
    mapping = make(maximum_record_age_seconds=3600)
    mapping.put([record(1)])
    mapping.drain()
    assert len(recorder.batches) > 50
    assert START + 3600 < clock.now() < START + 3600 + 61
    assert mapping.discarded[0]["requestContext"]["condition"] == "EventAgeExceeded"
    assert mapping.discarded[0]["requestContext"]["approximateInvokeCount"] == len(recorder.batches)


def test_only_the_records_too_old_are_given_up(
    make: Make, recorder: Recorder, clock: VirtualClock
) -> None:
    """The younger records of the same batch are still handed over."""
    mapping = make(maximum_record_age_seconds=3600, batching_window_seconds=1)
    mapping.put(record(i, created=START + 1000 * i) for i in range(4))
    clock.advance(5000)
    mapping.drain()
    assert recorder.batches == [[2, 3]]
    info = mapping.discarded[0]["DDBStreamBatchInfo"]
    assert (info["startSequenceNumber"], info["endSequenceNumber"]) == (f"{0:021d}", f"{1:021d}")
    assert "responseContext" not in mapping.discarded[0]


def test_age_is_without_limit_by_default(
    make: Make, recorder: Recorder, clock: VirtualClock
) -> None:
    """Without a maximum age a record of any age is handed over."""
    mapping = make()
    mapping.put([record(1)])
    clock.advance(10**7)
    mapping.drain()
    assert recorder.batches == [[1]]


def test_a_window_whose_last_records_were_given_up_still_ends(
    make: Make, recorder: Recorder
) -> None:
    """A final call that was given up for its records is made without them."""
    recorder.poison = frozenset({1})
    mapping = make(maximum_retry_attempts=0, tumbling_window_seconds=60, batch_size=1)
    mapping.put([record(0), record(1), record(2, created=START + 60)])
    mapping.drain()
    assert recorder.batches == [[0], [1], [], [2]]
    assert [event["isFinalInvokeForWindow"] for event in recorder.events] == [
        False,
        True,
        True,
        False,
    ]
