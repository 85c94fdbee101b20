"""Stream shards: a stream split by the hash of its items' keys, each shard replaced on demand.

DynamoDB closes a stream shard every few hours, or when its partition splits, and goes on in one
or two successors. All records of one item that are written meanwhile lie in one shard, in order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import Final

from ops.rig.mapping.records import Record, partition_key_of

_SLOTS: Final = 2**16


@dataclass(eq=False)
class StreamShard:
    """One stream shard.

    Attributes:
        id: as DynamoDB spells it: 20 digits, a hyphen, 8 hexadecimal digits.
        slots: the hashes of the keys whose records it holds: [first, last).
        parent: the shard it goes on from.
        closed: nothing more is written to it.
    """

    id: str
    slots: tuple[int, int]
    parent: "StreamShard | None" = None
    closed: bool = False
    children: list["StreamShard"] = field(default_factory=list)


class StreamShards:
    """The shards of one stream, the open ones between them covering every key."""

    def __init__(self, count: int) -> None:
        self._made = 0
        edges = [_SLOTS * i // count for i in range(count + 1)]
        self._shards = [self._make((low, high), None) for low, high in pairwise(edges)]

    def __iter__(self) -> Iterator[StreamShard]:
        """Every shard there ever was, parents before their successors."""
        return iter(self._shards)

    def open(self) -> list[StreamShard]:
        """The shards that are written to."""
        return [shard for shard in self._shards if not shard.closed]

    def of(self, record: Record) -> StreamShard:
        """The open shard that a record of this item is written to."""
        digest = blake2b(partition_key_of(record).encode(), digest_size=2).digest()
        slot = int.from_bytes(digest) % _SLOTS
        return next(one for one in self.open() if one.slots[0] <= slot < one.slots[1])

    def replace(self, shard: StreamShard, successors: int = 1) -> list[StreamShard]:
        """Closes a shard; one successor takes it over, or two halve its keys."""
        if shard.closed or successors not in (1, 2):
            raise ValueError("an open stream shard has one successor or two")
        low, high = shard.slots
        middle = (low + high) // 2 if successors == 2 else high
        ranges = [(low, middle), (middle, high)][:successors]
        shard.closed = True
        shard.children = [self._make(slots, shard) for slots in ranges]
        self._shards += shard.children
        return shard.children

    def _make(self, slots: tuple[int, int], parent: StreamShard | None) -> StreamShard:
        self._made += 1
        shard_id = f"shardId-{1_700_000_000_000 + self._made:020d}-{self._made:08x}"
        return StreamShard(shard_id, slots, parent)
