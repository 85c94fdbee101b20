"""An event source mapping of our own, over any records and any handler, in virtual time or real.

What it promises, and what AWS does, is in `docs/event-source-mapping.md`.
"""

from ops.rig.mapping.clock import Clock, SystemClock, VirtualClock
from ops.rig.mapping.faults import Fault, FaultyClient
from ops.rig.mapping.live import LiveMapping
from ops.rig.mapping.mapping import EventSourceMapping, Handler
from ops.rig.mapping.misbehaviour import (
    DeadWorkers,
    FrozenWorkers,
    Twice,
    event_again,
    shard_records,
)
from ops.rig.mapping.poller import Delivery, WorkerDiedError
from ops.rig.mapping.settings import MappingSettings
from ops.rig.mapping.shards import StreamShard, StreamShards

__all__ = [
    "Clock",
    "DeadWorkers",
    "Delivery",
    "EventSourceMapping",
    "Fault",
    "FaultyClient",
    "FrozenWorkers",
    "Handler",
    "LiveMapping",
    "MappingSettings",
    "StreamShard",
    "StreamShards",
    "SystemClock",
    "Twice",
    "VirtualClock",
    "WorkerDiedError",
    "event_again",
    "shard_records",
]
