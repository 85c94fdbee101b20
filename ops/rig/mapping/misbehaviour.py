"""Redelivery on demand: what a mapping that promises "at least once" may do to a function.

Each is a handler around the handler, or an event made of what was delivered, so that they can
be put together at will.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from ops.rig.mapping.faults import FaultyClient
from ops.rig.mapping.mapping import Handler
from ops.rig.mapping.poller import Delivery, WorkerDiedError
from ops.rig.mapping.records import Record


@dataclass
class Twice:
    """Delivers every batch twice in a row; the second answer counts."""

    handler: Handler

    def __call__(self, event: dict[str, Any], context: Any) -> Any:
        """Calls twice."""
        self.handler(event, context)
        return self.handler(event, context)


@dataclass
class DeadWorkers:
    """Lets calls seem dead to the mapping, which delivers their batch again, and run them later.

    Attributes:
        deaths: how many of the next calls seem to die before they do anything.
        late: the calls that did, in order.
    """

    handler: Handler
    deaths: int = 0
    late: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, event: dict[str, Any], context: Any) -> Any:
        """Calls, or dies."""
        if self.deaths > 0:
            self.deaths -= 1
            self.late.append(event)
            raise WorkerDiedError("the worker went silent")
        return self.handler(event, context)

    def wake(self, context: Any) -> None:
        """Runs the calls that seemed dead; whatever they answer, nobody hears."""
        events, self.late = self.late, []
        for event in events:
            self.handler(event, context)


class FrozenWorkers:
    """Freezes a call in front of one of its store calls until it is thawed.

    The mapping is told that the worker died, delivers the batch again and goes on; the frozen
    call then runs on, beside its successors or after them. The frozen call has a thread of its
    own, and so has each of its store calls that the function makes in threads.
    """

    def __init__(self, handler: Handler, client: FaultyClient) -> None:
        """Stands before a handler whose store calls go through the client."""
        self._handler = handler
        self._client = client
        self._frozen, self._thaw = Event(), Event()
        self._thread: Thread | None = None
        self._armed = False

    def freeze(self, *, at: int) -> None:
        """Lets the next call that gets there freeze before its `at`-th store call."""
        self._armed = True
        self._client.arm(at=at, before=self._wait)

    def thaw(self) -> None:
        """Lets the frozen call, if there is one, run to its end."""
        self._armed = False
        self._thaw.set()
        if self._thread:
            self._thread.join()

    def __call__(self, event: dict[str, Any], context: Any) -> Any:
        """Calls; a call that freezes is given up for dead."""
        if not self._armed:
            return self._handler(event, context)
        answers: list[Any] = []
        worker = Thread(target=self._run, args=(event, context, answers), daemon=True)
        worker.start()
        while worker.is_alive() and not self._frozen.is_set():
            worker.join(0.001)
        if not self._frozen.is_set():
            return answers[0] if answers else self._handler(event, context)
        self._armed, self._thread = False, worker
        raise WorkerDiedError("the worker went silent")

    def _run(self, event: dict[str, Any], context: Any, answers: list[Any]) -> None:
        # What it raises once it is thawed nobody hears, as on AWS.
        with suppress(Exception, WorkerDiedError):
            answers.append(self._handler(event, context))

    def _wait(self) -> None:
        self._frozen.set()
        self._thaw.wait()


def shard_records(deliveries: Iterable[Delivery]) -> dict[str, list[Record]]:
    """The records that were delivered, by stream shard, each once and in the stream's order."""
    found: dict[str, dict[str, Record]] = {}
    for delivery in deliveries:
        shard = found.setdefault(str(delivery.event.get("shardId", "")), {})
        for record in delivery.event["Records"]:
            shard.setdefault(str(record["dynamodb"]["SequenceNumber"]), record)
    return {shard: list(records.values()) for shard, records in found.items()}


def event_again(shard_id: str, records: Iterable[Record]) -> dict[str, Any]:
    """An event that hands records over anew, cut as nothing was cut before: stale, overlapping.

    It is what a mapping sends after it lost its own place: any stretch of a stream shard, in
    order, with an empty state.
    """
    some = list(records)
    arn = str(some[0].get("eventSourceARN", "")) if some else ""
    return {
        "Records": some,
        "shardId": shard_id,
        "eventSourceARN": arn,
        "window": {"start": "2026-11-30T00:00:00Z", "end": "2026-11-30T00:01:00Z"},
        "state": {},
        "isFinalInvokeForWindow": False,
        "isWindowTerminatedEarly": False,
    }
