"""Failed calls: order kept, batches repeated, halved, or done in part."""

from typing import Any

import pytest

from ops.rig.mapping import VirtualClock, WorkerDiedError
from tests.unit.rig.conftest import START, Make, Recorder, record


def failures(*sequences: int) -> dict[str, Any]:
    """An answer that says these records failed."""
    items = [{"itemIdentifier": f"{sequence:021d}"} for sequence in sequences]
    return {"state": {}, "batchItemFailures": items}


@pytest.mark.parametrize("error", [RuntimeError("no"), WorkerDiedError("gone")])
def test_a_failed_batch_comes_again_before_anything_newer(
    make: Make, recorder: Recorder, error: BaseException
) -> None:
    """A batch whose call failed is handed over again, the very same, and the shard waits for it."""
    recorder.answers = [error, error]
    mapping = make(batch_size=2)
    mapping.put(record(i) for i in range(4))
    mapping.drain()
    assert recorder.batches == [[0, 1], [0, 1], [0, 1], [2, 3]]


def test_retries_are_without_limit_by_default(make: Make, recorder: Recorder) -> None:
    """Without a quota a batch is tried until it goes through."""
    recorder.answers = [RuntimeError("no")] * 500
    mapping = make()
    mapping.put([record(1)])
    mapping.drain()
    assert recorder.batches == [[1]] * 501
    assert mapping.discarded == []


def test_waits_between_retries_double(make: Make, recorder: Recorder, clock: VirtualClock) -> None:
    """Each retry waits twice as long as the one before, up to a limit."""
    recorder.answers = [RuntimeError("no")] * 5
    mapping = make(first_backoff_seconds=1, longest_backoff_seconds=5)
    mapping.put([record(1)])
    mapping.drain()
    times = [delivery.at - START for delivery in mapping.deliveries]
    assert times == [0, 1, 3, 7, 12, 17]
    assert clock.now() == START + 17


def test_a_failing_shard_holds_up_no_other(make: Make, recorder: Recorder) -> None:
    """While one stream shard retries, the others go on."""
    recorder.poison = frozenset({0})
    mapping = make(stream_shards=2, batch_size=1)
    bad, good = (
        next(k for k in map(str, range(100)) if mapping.shards.of(record(0, k)) is shard)
        for shard in mapping.shards
    )
    mapping.put([record(0, bad), record(1, bad), record(2, good), record(3, good)])
    mapping.run_until(START + 60)
    assert [batch for batch in recorder.batches if batch != [0]] == [[2], [3]]


def test_the_first_delivery_is_in_order(make: Make, recorder: Recorder) -> None:
    """Whatever fails on the way, no record is first seen after a newer one of its shard."""
    recorder.answers = [RuntimeError("no") if i % 3 else {"state": {}} for i in range(30)]
    mapping = make(
        stream_shards=3,
        batch_size=4,
        bisect_batch_on_function_error=True,
        tumbling_window_seconds=9,
    )
    mapping.put(record(i, key=f"k{i}", created=START + i) for i in range(60))
    mapping.drain()
    newest: dict[str, int] = {}
    seen: set[int] = set()
    for event, batch in zip(recorder.events, recorder.batches, strict=True):
        for number in (one for one in batch if one not in seen):
            assert number > newest.get(event["shardId"], -1)
            newest[event["shardId"]] = number
            seen.add(number)
    assert seen == set(range(60))


def test_bisecting_isolates_a_bad_record(make: Make, recorder: Recorder) -> None:
    """A failed batch is halved, and its halves are, down to the record that fails."""
    recorder.poison = frozenset({5})
    mapping = make(bisect_batch_on_function_error=True, maximum_retry_attempts=1)
    mapping.put(record(i) for i in range(8))
    mapping.drain()
    assert recorder.batches == [
        list(range(8)),
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [4, 5],
        [4],
        [5],
        [5],
        [6, 7],
    ]
    assert [one["DDBStreamBatchInfo"]["batchSize"] for one in mapping.discarded] == [1]


def test_halving_spends_no_retry(make: Make, recorder: Recorder) -> None:
    """With no retry allowed a batch is still halved down to one record."""
    recorder.poison = frozenset({0})
    mapping = make(bisect_batch_on_function_error=True, maximum_retry_attempts=0)
    mapping.put(record(i) for i in range(4))
    mapping.drain()
    assert recorder.batches == [[0, 1, 2, 3], [0, 1], [0], [1], [2, 3]]


def test_only_the_second_half_closes_the_window(make: Make, recorder: Recorder) -> None:
    """A final call that is halved is final once."""
    recorder.answers = [RuntimeError("no")]
    mapping = make(bisect_batch_on_function_error=True, tumbling_window_seconds=60)
    mapping.put([record(0), record(1), record(2, created=START + 60)])
    mapping.drain()
    said = [event["isFinalInvokeForWindow"] for event in recorder.events]
    assert recorder.batches == [[0, 1], [0], [1], [2]]
    assert said == [True, False, True, False]


def test_a_partial_answer_goes_on_from_the_lowest_failure(make: Make, recorder: Recorder) -> None:
    """All records from the lowest that failed come again, in whatever order they are named."""
    recorder.answers = [failures(3, 1, 2)]
    mapping = make(report_batch_item_failures=True)
    mapping.put(record(i) for i in range(5))
    mapping.drain()
    assert recorder.batches == [[0, 1, 2, 3, 4], [1, 2, 3, 4]]


def test_a_partial_answer_is_not_halved(make: Make, recorder: Recorder) -> None:
    """With both on, a batch is cut where the answer says, not in the middle."""
    recorder.answers = [failures(1), failures(1)]
    mapping = make(report_batch_item_failures=True, bisect_batch_on_function_error=True)
    mapping.put(record(i) for i in range(8))
    mapping.drain()
    assert recorder.batches == [list(range(8)), list(range(1, 8)), list(range(1, 8))]


def test_an_error_is_halved_whatever_is_reported(make: Make, recorder: Recorder) -> None:
    """A call that fails as a whole is halved, also where partial answers are heeded."""
    recorder.answers = [RuntimeError("no")]
    mapping = make(report_batch_item_failures=True, bisect_batch_on_function_error=True)
    mapping.put(record(i) for i in range(4))
    mapping.drain()
    assert recorder.batches == [[0, 1, 2, 3], [0, 1], [2, 3]]


@pytest.mark.parametrize("none", [{"batchItemFailures": []}, {"batchItemFailures": None}, {}, None])
def test_no_failures_named_is_a_success(make: Make, recorder: Recorder, none: Any) -> None:
    """An empty, null or missing list says that all is done."""
    recorder.answers = [none]
    mapping = make(report_batch_item_failures=True)
    mapping.put([record(1)])
    mapping.drain()
    assert recorder.batches == [[1]]


@pytest.mark.parametrize(
    "item", [{"itemIdentifier": ""}, {"itemIdentifier": None}, {"sequence": "1"}, {}, "1"]
)
def test_a_bad_identifier_fails_the_batch(make: Make, recorder: Recorder, item: Any) -> None:
    """An identifier that is empty, null or under another name fails the whole batch."""
    recorder.answers = [{"batchItemFailures": [item, {"itemIdentifier": f"{1:021d}"}]}]
    mapping = make(report_batch_item_failures=True)
    mapping.put([record(0), record(1)])
    mapping.drain()
    assert recorder.batches == [[0, 1], [0, 1]]


def test_partial_answers_must_be_switched_on(make: Make, recorder: Recorder) -> None:
    """A mapping not told to heed `batchItemFailures` takes such an answer for a success."""
    recorder.answers = [failures(0)]
    mapping = make(report_batch_item_failures=False)
    mapping.put([record(0), record(1)])
    mapping.drain()
    assert recorder.batches == [[0, 1]]


def test_a_partial_answer_needs_its_state_too(make: Make, recorder: Recorder) -> None:
    """With a window an answer that names failures but no state fails as a whole."""
    recorder.answers = [{"batchItemFailures": failures(1)["batchItemFailures"]}]
    mapping = make(report_batch_item_failures=True, tumbling_window_seconds=60)
    mapping.put([record(0), record(1)])
    mapping.drain()
    assert recorder.batches == [[0, 1], [0, 1]]
