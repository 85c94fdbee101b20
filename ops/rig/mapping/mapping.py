"""An event source mapping of our own: records in, calls of a function out, as AWS documents it.

It runs over whatever records it is given and makes its calls in the caller's thread. With a
virtual clock hours of retries, windows and ages pass in no time. The contract, clause by clause,
is in `docs/event-source-mapping.md`.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ops.rig.mapping.clock import Clock, VirtualClock
from ops.rig.mapping.poller import Delivery, Poller
from ops.rig.mapping.records import Record, arrive
from ops.rig.mapping.settings import MappingSettings
from ops.rig.mapping.shards import StreamShard, StreamShards

Handler = Callable[[dict[str, Any], Any], Any]
"""A Lambda handler: event and context to answer."""


class EventSourceMapping:
    """One mapping between one stream and one function.

    Example:
        mapping = EventSourceMapping(count.handler, context=lambda: Context(), stream_shards=4)
        mapping.put(reader.new_records())
        mapping.drain()

    Attributes:
        shards: the stream's shards.
        deliveries: the calls made, oldest first, the last `history` of them.
        discarded: the bodies of the messages sent to the failure destination.
    """

    def __init__(
        self,
        handler: Handler,
        *,
        context: Callable[[], Any] = lambda: None,
        settings: MappingSettings | None = None,
        clock: Clock | None = None,
        stream_shards: int = 1,
        parents_first: bool = True,
        on_failure: Callable[[dict[str, Any]], None] | None = None,
        history: int | None = None,
    ) -> None:
        """Makes a mapping over an empty stream.

        Args:
            handler: The function.
            context: Makes the context of each call.
            settings: What the mapping is told.
            clock: A virtual one if none is given.
            stream_shards: How many shards the stream starts with.
            parents_first: False to misbehave: successors are read before their parent is done.
            on_failure: The failure destination, handed each message's body.
            history: How many deliveries to remember; all if None, which is for tests.
        """
        self._handler = handler
        self._context = context
        self._settings = settings or MappingSettings()
        self.clock = clock or VirtualClock()
        self.shards = StreamShards(stream_shards)
        self._parents_first = parents_first
        self._on_failure = on_failure
        self.deliveries: deque[Delivery] = deque(maxlen=history)
        self.discarded: list[dict[str, Any]] = []
        self._pollers: dict[str, Poller] = {}

    def put(self, records: Iterable[Record], *, created: float | None = None) -> None:
        """Writes records to the stream, each to the open shard of its item, in the order given.

        Args:
            records: In the shape that a function is handed.
            created: When they were written, seconds since 1970, in place of what they say: for
                virtual time, and for engines that tell it to the minute only.
        """
        now = self.clock.now()
        for record in records:
            poller = self._poller(self.shards.of(record))
            poller.put([arrive(record, now, created)])

    def replace(self, shard: StreamShard | None = None, successors: int = 1) -> list[StreamShard]:
        """Closes an open stream shard, or all of them, in favour of one successor each, or two."""
        replaced = [shard] if shard else self.shards.open()
        return [child for one in replaced for child in self.shards.replace(one, successors)]

    def rewind(self, records: int) -> None:
        """Misbehaves: the last records done of each stream shard come again, before new ones.

        They may share a batch with records that were never delivered: an overlapping one.
        """
        for poller in self._all():
            poller.rewind(records)

    def step(self) -> int:
        """Makes every call that is due now; returns how many times anything was done."""
        steps = 0
        while done := sum(poller.step() for poller in self._readable()):
            steps += done
        return steps

    def due(self) -> float | None:
        """When the next call is to be made, seconds since 1970; None if nothing is waiting."""
        moments = [due for one in self._readable() if (due := one.due()) is not None]
        return min(moments, default=None)

    def run_until(self, moment: float) -> None:
        """Lets time pass up to a moment, making each call when it is due."""
        self.step()
        while (due := self.due()) is not None and due <= moment:
            self.clock.wait_until(due)
            self.step()
        self.clock.wait_until(moment)

    def drain(self, *, close_windows: bool = False, most_steps: int = 100_000) -> None:
        """Lets time pass until every record is done or discarded.

        Args:
            close_windows: Wait also for the final calls of the windows.
            most_steps: Calls after which to give up.

        Raises:
            RuntimeError: still not drained after so many calls.
        """
        steps = 0
        while not all(one.idle if close_windows else one.drained for one in self._all()):
            due = self.due()
            if due is None or steps >= most_steps:
                raise RuntimeError(f"the mapping is not drained after {steps} steps")
            self.clock.wait_until(due)
            steps += self.step()

    @property
    def drained(self) -> bool:
        """Whether every record is done or discarded."""
        return all(poller.drained for poller in self._all())

    def _all(self) -> list[Poller]:
        return [self._poller(shard) for shard in self.shards]

    def _readable(self) -> list[Poller]:
        """The consumers that may run: a successor's only once its parent is drained."""
        return [self._poller(one) for one in self.shards if self._may_read(one)]

    def _may_read(self, shard: StreamShard) -> bool:
        if not self._parents_first or shard.parent is None:
            return True
        return self._poller(shard.parent).drained and self._may_read(shard.parent)

    def _poller(self, shard: StreamShard) -> Poller:
        if shard.id not in self._pollers:
            self._pollers[shard.id] = Poller(
                shard.id,
                settings=self._settings,
                clock=self.clock,
                call=lambda event: self._handler(event, self._context()),
                on_delivery=self.deliveries.append,
                on_failure=self._discard,
            )
        return self._pollers[shard.id]

    def _discard(self, message: dict[str, Any]) -> None:
        self.discarded.append(message)
        if self._on_failure:
            self._on_failure(message)
