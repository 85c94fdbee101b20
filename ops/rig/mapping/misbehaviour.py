"""Redelivery on demand: what a mapping that promises "at least once" may do to a function.

Each is a handler around the handler, or an event made of what was delivered, so that they can
be put together at will.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

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
