"""One stream shard's consumer: cuts batches, calls the function, retries, closes windows.

It makes one call at a time and goes on only when that batch is done or discarded, so the first
delivery of a shard's records is in order and a batch that fails holds up its own shard alone.
"""

import json
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Final

from ops.rig.mapping.answers import done_records, has_failed, state_in
from ops.rig.mapping.batches import Batch, fitting
from ops.rig.mapping.clock import Clock
from ops.rig.mapping.destination import RETRIES_EXHAUSTED, TOO_OLD, failure_record
from ops.rig.mapping.records import Arrived
from ops.rig.mapping.settings import MappingSettings
from ops.rig.mapping.windows import Window, held_by, window_of

_REWINDABLE: Final = 10_000  # records; what a mapping could lose its place by in one batch


class WorkerDiedError(BaseException):
    """The function's process ended in mid-call; no code of the function may catch it."""


@dataclass(frozen=True)
class Delivery:
    """One call of the function.

    Attributes:
        at: when it was made, seconds since 1970.
        event: what it was handed.
        error: what it raised; None if it answered.
        failed: whether it counts as failed, be it by an error or by its answer.
    """

    at: float
    event: dict[str, Any]
    answer: Any
    error: BaseException | None
    failed: bool


class Poller:
    """The consumer of one stream shard."""

    def __init__(
        self,
        shard_id: str,
        *,
        settings: MappingSettings,
        clock: Clock,
        call: Callable[[dict[str, Any]], Any],
        on_delivery: Callable[[Delivery], None],
        on_failure: Callable[[dict[str, Any]], None],
    ) -> None:
        self.shard_id = shard_id
        self._settings = settings
        self._clock = clock
        self._call = call
        self._on_delivery = on_delivery
        self._on_failure = on_failure
        self._queue: deque[Arrived] = deque()
        self._done: deque[Arrived] = deque(maxlen=_REWINDABLE)
        self._work: deque[Batch] = deque()
        self._window: Window | None = None
        self._gathering_since = clock.now()
        self._arn = ""

    @property
    def drained(self) -> bool:
        """Whether every record is done or discarded; a window may still wait for its end."""
        return not self._queue and not any(batch.records for batch in self._work)

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do, however long one waits."""
        return not self._queue and not self._work and self._window is None

    def put(self, records: Sequence[Arrived]) -> None:
        """Appends records to the shard."""
        self._queue.extend(records)

    def rewind(self, records: int) -> None:
        """Misbehaves: loses its place, so that the last records done come again before new ones."""
        again = [self._done.pop() for _ in range(min(records, len(self._done)))]
        self._queue.extendleft(again)

    def due(self) -> float | None:
        """When the next call is to be made, seconds since 1970; None if nothing is waiting."""
        if self._work:
            return self._work[0].not_before
        if self._window and (self._window.terminated_early or self._has_left_window()):
            return self._clock.now()
        moments = []
        if self._queue:
            moments.append(self._gathered_at())
        elif self._window:
            moments.append(float(self._window.end))
        return min(moments, default=None)

    def step(self) -> bool:
        """Makes the next call if it is due; says whether it did anything."""
        due = self.due()
        if due is None or due > self._clock.now():
            return False
        if self._discard_aged():
            return True
        if not self._work:
            self._work.append(self._cut())
        self._deliver(self._work[0])
        return True

    # --- Which records a call is handed ------------------------------------------------------

    def _has_left_window(self) -> bool:
        return bool(self._window and self._queue and not self._window.holds(self._queue[0]))

    def _gathered_at(self) -> float:
        """When the records that wait are to be handed over: when a batch is full, or in time."""
        waiting, full = self._next_records()
        window = self._settings.batching_window_seconds
        if full or not window:
            return waiting[-1].arrived
        # A window that ends with nothing gathered is followed by the next one.
        passed = max(0, math.ceil((waiting[0].arrived - self._gathering_since) / window))
        return self._gathering_since + max(1, passed) * window

    def _next_records(self) -> tuple[list[Arrived], bool]:
        """The next batch as far as it is there, and whether it can grow no more."""
        some = list(islice(self._queue, self._settings.batch_size + 1))
        count = fitting(some, self._settings.batch_size, self._settings.payload_bytes)
        if self._settings.tumbling_window_seconds:
            count = min(count, held_by(self._window_for(some[0]), some))
        return some[:count], count < len(some) or count == self._settings.batch_size

    def _window_for(self, one: Arrived) -> Window:
        return self._window or window_of(one, self._settings.tumbling_window_seconds)

    def _cut(self) -> Batch:
        window = self._window
        if window and (window.terminated_early or self._has_left_window() or not self._queue):
            return Batch([], final=True)
        records, _ = self._next_records()
        for _ in records:
            self._queue.popleft()
        if not self._settings.tumbling_window_seconds:
            return Batch(records)
        self._window = self._window_for(records[0])
        over = self._has_left_window() if self._queue else self._clock.now() >= self._window.end
        return Batch(records, final=over and self._settings.final_calls_with_records)

    # --- Calls and what becomes of them ------------------------------------------------------

    def _deliver(self, batch: Batch) -> None:
        event, at = self._event(batch), self._clock.now()
        answer, error = None, None
        try:
            answer = self._call(event)
        except (Exception, WorkerDiedError) as raised:  # noqa: BLE001 - the function's, whatever it is
            error = raised
        batch.calls += 1
        done = None
        if error is None and not has_failed(answer, self._settings):
            done = done_records(answer, batch.records, self._settings)
        self._on_delivery(Delivery(at, event, answer, error, done is None))
        if done is None:
            self._fail(batch)
        else:
            self._advance(batch, done, answer)

    def _event(self, batch: Batch) -> dict[str, Any]:
        event: dict[str, Any] = {"Records": [one.record for one in batch.records]}
        if batch.records:
            self._arn = str(batch.records[0].record.get("eventSourceARN", ""))
        if self._window:
            event |= self._window.fields(final=batch.final)
            event |= {"shardId": self.shard_id, "eventSourceARN": self._arn}
        return event

    def _advance(self, batch: Batch, done: int, answer: Any) -> None:
        self._work.popleft()
        self._done.extend(batch.records[:done])
        self._gathering_since = self._clock.now()
        if self._window:
            self._window.state = state_in(answer)
            size = len(json.dumps(self._window.state, default=str).encode())
            self._window.terminated_early = size > self._settings.state_bytes
        if done < len(batch.records):
            self._retry(batch.after(done))
        elif batch.final:
            self._window = None

    def _fail(self, batch: Batch) -> None:
        self._work.popleft()
        if self._settings.bisect_batch_on_function_error and len(batch.records) > 1:
            self._work.extendleft(reversed(batch.halves()))
            self._back_off(1)
        else:
            batch.retries += 1
            self._retry(batch)

    def _retry(self, batch: Batch) -> None:
        limit = self._settings.maximum_retry_attempts
        # A final call without records is never given up: the shard waits until it succeeds.
        if batch.records and 0 <= limit < batch.retries:
            self._discard(batch.records, RETRIES_EXHAUSTED, batch.calls)
        else:
            self._work.appendleft(batch)
            self._back_off(batch.retries)

    def _back_off(self, failures: int) -> None:
        wait = self._settings.backoff_seconds(failures)
        self._work[0].not_before = self._clock.now() + wait

    # --- Records given up --------------------------------------------------------------------

    def _discard_aged(self) -> bool:
        """Gives up what is too old of the next batch, or of what waits; says if anything was."""
        limit = self._settings.maximum_record_age_seconds
        too_old = self._clock.now() - limit
        waiting = self._work[0].records if self._work else self._queue
        aged = list(takewhile(lambda one: one.created < too_old, waiting)) if limit >= 0 else []
        if not aged:
            return False
        if not self._work:
            aged = aged[: self._settings.batch_size]
            for _ in aged:
                self._queue.popleft()
            self._discard(aged, TOO_OLD, 0)
            return True
        batch = self._work[0]
        self._discard(aged, TOO_OLD, batch.calls)
        batch.records = batch.records[len(aged) :]
        if not batch.records:
            self._work.popleft()
        return True

    def _discard(self, records: Sequence[Arrived], condition: str, calls: int) -> None:
        self._on_failure(
            failure_record(
                condition=condition,
                shard_id=self.shard_id,
                batch=records,
                calls=calls,
                now=self._clock.now(),
            )
        )
