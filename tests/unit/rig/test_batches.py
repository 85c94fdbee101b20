"""Which records one call is handed, and when it is made."""

import pytest

from ops.rig.mapping import MappingSettings, VirtualClock
from tests.unit.rig.conftest import START, Make, Recorder, record


def test_a_batch_holds_at_most_the_batch_size(make: Make, recorder: Recorder) -> None:
    """What waits is cut into batches of the batch size, the last as small as it comes."""
    mapping = make(batch_size=3)
    mapping.put(record(i) for i in range(7))
    mapping.step()
    assert recorder.batches == [[0, 1, 2], [3, 4, 5], [6]]


def test_without_a_window_a_call_is_made_at_once(make: Make, recorder: Recorder) -> None:
    """With a batching window of 0 whatever can be read is handed over as soon as it can be."""
    mapping = make()
    mapping.put([record(1)])
    assert mapping.due() == START
    mapping.step()
    assert recorder.batches == [[1]]


def test_a_window_gathers_records(make: Make, recorder: Recorder, clock: VirtualClock) -> None:
    """Records are gathered until the batching window has passed, then handed over in one call."""
    mapping = make(batching_window_seconds=5)
    for i in range(3):
        mapping.put([record(i)])
        mapping.run_until(clock.now() + 1)
    assert recorder.batches == []
    mapping.run_until(START + 5)
    assert recorder.batches == [[0, 1, 2]]


def test_a_full_batch_does_not_wait_for_its_window(make: Make, recorder: Recorder) -> None:
    """As soon as the batch size is met the call is made, and the rest waits for its own window."""
    mapping = make(batching_window_seconds=300, batch_size=2)
    mapping.put(record(i) for i in range(5))
    mapping.step()
    assert recorder.batches == [[0, 1], [2, 3]]


def test_the_next_window_begins_when_a_call_ends(
    make: Make, recorder: Recorder, clock: VirtualClock
) -> None:
    """A batching window is counted from the end of the call before."""
    mapping = make(batching_window_seconds=10)
    mapping.put([record(1)])
    mapping.run_until(START + 13)  # the call was made at 10
    mapping.put([record(2)])
    mapping.run_until(START + 19)
    assert recorder.batches == [[1]]
    mapping.run_until(START + 20)
    assert recorder.batches == [[1], [2]]
    assert clock.now() == START + 20


def test_windows_without_records_make_no_call(make: Make, recorder: Recorder) -> None:
    """A batching window in which nothing came is followed by the next, with no call."""
    mapping = make(batching_window_seconds=10)
    mapping.run_until(START + 34)
    mapping.put([record(1)])
    mapping.run_until(START + 39)
    assert recorder.batches == []
    mapping.run_until(START + 40)
    assert recorder.batches == [[1]]


def test_an_event_holds_at_most_six_megabytes(make: Make, recorder: Recorder) -> None:
    """A batch ends before the record that would take its event over 6 MB, window or not."""
    mapping = make(batching_window_seconds=300, batch_size=10_000)
    mapping.put(record(i, pad=400_000) for i in range(20))
    mapping.step()
    assert recorder.batches == [list(range(15))]
    mapping.drain()
    assert recorder.batches == [list(range(15)), list(range(15, 20))]


def test_an_event_without_a_window_says_nothing_of_shards(make: Make, recorder: Recorder) -> None:
    """Only with a tumbling window does an event say which stream shard it comes from."""
    mapping = make()
    mapping.put([record(1)])
    mapping.step()
    assert set(recorder.events[0]) == {"Records"}


@pytest.mark.parametrize(
    "setting",
    [
        {"batch_size": 0},
        {"batch_size": 10_001},
        {"batching_window_seconds": 301},
        {"tumbling_window_seconds": 901},
        {"maximum_retry_attempts": 10_001},
        {"maximum_retry_attempts": -2},
        {"maximum_record_age_seconds": 604_801},
    ],
)
def test_settings_that_aws_refuses_are_refused(setting: dict[str, int]) -> None:
    """A setting outside AWS's limits is named."""
    with pytest.raises(ValueError, match=next(iter(setting))):
        MappingSettings(**setting)  # type: ignore[arg-type]
