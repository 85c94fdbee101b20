"""Redelivery on demand, failing store calls, and a mapping that runs live."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, ReadTimeoutError

from ops.rig.mapping import (
    DeadWorkers,
    EventSourceMapping,
    Fault,
    FaultyClient,
    FrozenWorkers,
    LiveMapping,
    MappingSettings,
    SystemClock,
    Twice,
    WorkerDiedError,
    event_again,
    shard_records,
)
from tests.unit.rig.conftest import Make, Recorder, numbers, record


def test_every_batch_can_come_twice(recorder: Recorder) -> None:
    """Each batch is delivered twice in a row."""
    mapping = EventSourceMapping(Twice(recorder))
    mapping.put([record(1), record(2)])
    mapping.drain()
    assert recorder.batches == [[1, 2], [1, 2]]


def test_a_dead_worker_s_call_can_run_late(recorder: Recorder) -> None:
    """A call that seemed dead runs after its batch, and newer ones, were delivered again."""
    workers = DeadWorkers(recorder, deaths=1)
    mapping = EventSourceMapping(workers)
    mapping.put([record(1)])
    mapping.drain()
    mapping.put([record(2)])
    mapping.drain()
    workers.wake(None)
    assert recorder.batches == [[1], [2], [1]]


def test_any_stretch_of_a_shard_can_come_again(make: Make, recorder: Recorder) -> None:
    """What was delivered can be cut anew: stale, overlapping, whole."""
    mapping = make(batch_size=2, tumbling_window_seconds=60)
    mapping.put(record(i) for i in range(6))
    mapping.drain()
    ((shard, records),) = shard_records(mapping.deliveries).items()
    event = event_again(shard, records[1:5])
    assert numbers(event) == [1, 2, 3, 4]
    assert set(event) == set(recorder.events[0])
    assert event["shardId"] == recorder.events[0]["shardId"]


def test_a_mapping_can_lose_its_place(make: Make, recorder: Recorder) -> None:
    """Rewound, it delivers what was done again, in one batch with what is new."""
    mapping = make(batch_size=4)
    mapping.put(record(i) for i in range(4))
    mapping.drain()
    mapping.put(record(i) for i in range(4, 7))
    mapping.rewind(2)
    mapping.drain()
    assert recorder.batches == [[0, 1, 2, 3], [2, 3, 4, 5], [6]]


class Store:
    """A client of one operation."""

    def __init__(self) -> None:
        self.done: list[int] = []

    def write(self, number: int) -> int:
        """Takes effect."""
        self.done.append(number)
        return number


def attempt(client: FaultyClient, number: int) -> Any:
    """Writes, and hands back the answer or the error."""
    try:
        return client.write(number=number)
    except (Exception, WorkerDiedError) as error:  # noqa: BLE001 - whatever was injected
        return error


def test_a_frozen_worker_goes_on_after_its_successors() -> None:
    """It is given up for dead before its n-th store call, which it makes when it is thawed."""
    store = Store()
    client = FaultyClient(store)

    def write_all(event: dict[str, Any], context: Any) -> Any:
        del context
        for number in numbers(event):
            client.write(number=number)
        return {"state": {}}

    workers = FrozenWorkers(write_all, client)
    mapping = EventSourceMapping(workers, settings=MappingSettings(batch_size=2))
    mapping.put(record(i) for i in range(1, 5))
    workers.freeze(at=2)
    mapping.drain()
    assert store.done == [1, 1, 2, 3, 4]
    workers.thaw()
    assert store.done == [1, 1, 2, 3, 4, 2]


@pytest.mark.parametrize(
    ("fault", "kind", "done"),
    [
        (Fault.THROTTLED, ClientError, [1, 3]),
        (Fault.UNAVAILABLE, ClientError, [1, 3]),
        (Fault.REFUSED, ClientError, [1, 3]),
        (Fault.UNREACHABLE, ConnectTimeoutError, [1, 3]),
        (Fault.REPLY_LOST, ReadTimeoutError, [1, 2, 3]),
        (Fault.DIES_BEFORE, WorkerDiedError, [1]),
        (Fault.DIES_AFTER, WorkerDiedError, [1, 2]),
    ],
)
def test_the_nth_store_call_fails(fault: Fault, kind: type[Exception], done: list[int]) -> None:
    """Only the n-th call fails, as its fault does; after a death none goes through."""
    store = Store()
    client = FaultyClient(store)
    client.arm(fault, at=2)
    answers = [attempt(client, number) for number in (1, 2, 3)]
    assert answers[0] == 1
    assert isinstance(answers[1], kind)
    assert store.done == done
    client.revive()
    assert attempt(client, 4) == 4


def test_something_can_happen_just_before_the_nth_call() -> None:
    """What another worker does meanwhile comes between two calls of this one."""
    store = Store()
    client = FaultyClient(store)
    client.arm(at=2, before=lambda: store.done.append(99))
    assert [attempt(client, number) for number in (1, 2, 3)] == [1, 2, 3]
    assert store.done == [1, 99, 2, 3]


def test_a_live_mapping_delivers_what_its_source_holds(recorder: Recorder) -> None:
    """Run live it polls by itself, and says when all is done."""
    waiting = [[record(1)], [record(2), record(3)]]
    source: Callable[[], list[Any]] = lambda: waiting.pop(0) if waiting else []  # noqa: E731
    mapping = EventSourceMapping(recorder, clock=SystemClock(), history=10)
    with LiveMapping(mapping, source) as live:
        while waiting:
            assert live.wait_drained(seconds=10)
        assert live.wait_drained(seconds=10)
    assert sorted(n for batch in recorder.batches for n in batch) == [1, 2, 3]
    assert live.error is None
