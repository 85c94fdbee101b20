"""A mapping run live: a thread of its own polls a source and makes the calls."""

from collections.abc import Callable, Iterable
from threading import Event, RLock, Thread
from typing import Final, Self

from ops.rig.mapping.mapping import EventSourceMapping
from ops.rig.mapping.records import Record
from ops.rig.mapping.shards import StreamShard

POLL_SECONDS: Final = 0.25  # AWS polls a stream shard four times a second


class LiveMapping:
    """Runs a mapping with a system clock until it is stopped; a context manager.

    The calls of all stream shards are made one after the other, in its one thread.

    Attributes:
        error: what ended the thread, if anything but `stop` did: a bug, or a source that failed.
    """

    def __init__(self, mapping: EventSourceMapping, source: Callable[[], Iterable[Record]]) -> None:
        """Prepares to run.

        Args:
            mapping: With a `SystemClock`, and a `history` that does not grow without end.
            source: The records that are new, e.g. `StreamReader.new_records`.
        """
        self._mapping = mapping
        self._source = source
        self._stop = Event()
        self._lock = RLock()
        self._thread = Thread(target=self._run, name="event-source-mapping", daemon=True)
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        """Starts polling."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Stops polling."""
        self.stop()

    def stop(self) -> None:
        """Stops after the calls that are due; records not delivered stay in the stream."""
        self._stop.set()
        self._thread.join()

    def replace(self, shard: StreamShard | None = None, successors: int = 1) -> None:
        """Replaces stream shards between two polls, see `EventSourceMapping.replace`."""
        with self._lock:
            self._mapping.replace(shard, successors)

    def wait_drained(self, seconds: float) -> bool:
        """Waits until all that was written so far is done; says whether it is, in that time."""
        pause, waited = Event(), 0.0
        while waited < seconds:
            with self._lock:
                records = list(self._source())
                self._mapping.put(records)
                if self._mapping.drained:
                    return True
            pause.wait(POLL_SECONDS / 5)
            waited += POLL_SECONDS / 5
            if self.error is not None:
                return False
        return False

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                with self._lock:
                    self._mapping.put(self._source())
                    self._mapping.step()
                self._stop.wait(POLL_SECONDS)
        except BaseException as error:
            self.error = error
            raise
