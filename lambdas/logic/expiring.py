"""Expiring: entries that are older than their board keeps them are removed, the oldest first.

First every partition of the expiry index is asked for its oldest entry, then those that hold any
take turns, a page each, so that no board waits for another's to end. What a call leaves, the next
one finds again: nothing is kept between them. Two at once do each other no harm.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from lambdas.domain.boards import Board
from lambdas.domain.errors import StoreError, ThrottledError, UnavailableError
from lambdas.logic.removing import PAGE_SIZE, Pace, each
from lambdas.logic.retrying import Retrying
from lambdas.store import keys
from lambdas.store.expired_entries import ExpiredEntries, Waiting

STUB_MARGIN_SECONDS: Final = 86_400  # clocks differ, and a removal may wait its turn

R = TypeVar("R")


@dataclass
class Queue:
    """What waits in one partition of the expiry index, and what became of it.

    Attributes:
        cutoff: what was achieved up to then, included, has expired; ms since 1970.
        keep_until: when all has that was submitted by now, in seconds since 1970.
        lag_ms: for how long the oldest had when the call began; None where none was found.
        after: the last entry that was looked at.
        removed: entries removed.
        is_done: none is left that had expired when the call began.
        error: why DynamoDB did not let it end.
    """

    board: str
    partition: str
    cutoff: int
    keep_until: int
    lag_ms: int | None = None
    after: Waiting | None = None
    removed: int = 0
    is_done: bool = False
    error: StoreError | None = None


@dataclass
class Expiring:
    """Removes expired entries, at a rate.

    Attributes:
        retrying: makes what repeats a request that DynamoDB does not serve.
        has_time: whether the call may begin something.
    """

    entries: ExpiredEntries
    retrying: Callable[[], Retrying]
    pace: Pace
    has_time: Callable[[], bool]

    def run(self, boards: Iterable[Board], now_ms: int) -> list[Queue]:
        """Removes what has expired by now from all boards, until nothing is left or time is up.

        A queue that DynamoDB does not serve is left with its error, and the others go on.

        Cost: half a read unit an index shard of each board whose entries expire; where there are
        any, what finding and removing them costs (`store/expired_entries.py`).
        """
        queues = [queue for board in boards for queue in _queues(board, now_ms)]
        each(self._look, queues)
        left = sorted((one for one in queues if one.lag_ms is not None), key=_longest_lag_first)
        while left and self.has_time():
            for queue in left:
                if self.has_time():
                    self._remove_page(queue)
            left = [one for one in left if not (one.is_done or one.error)]
        return queues

    def _look(self, queue: Queue) -> None:
        """Finds the oldest entry, without which there is none."""
        if not self.has_time():
            return
        page = self._ask(
            queue, lambda: self.entries.page(queue.partition, queue.cutoff, None, limit=1)
        )
        if page is None:
            return
        queue.is_done = not page.entries
        if page.entries:
            queue.lag_ms = queue.cutoff - page.entries[0].achieved_at

    def _remove_page(self, queue: Queue) -> None:
        page = self._ask(
            queue,
            lambda: self.entries.page(queue.partition, queue.cutoff, queue.after, PAGE_SIZE),
        )
        if page is None:
            return
        queue.removed += sum(each(lambda one: self._remove(queue, one), page.entries))
        self.pace.spend(len(page.entries))
        queue.after = page.entries[-1] if page.entries else queue.after
        queue.is_done = page.is_last and queue.error is None

    def _remove(self, queue: Queue, one: Waiting) -> bool:
        if queue.error:
            return False
        partition, cutoff, until = queue.partition, queue.cutoff, queue.keep_until
        removed = self._ask(queue, lambda: self.entries.remove(one.pk, partition, cutoff, until))
        return bool(removed)

    def _ask(self, queue: Queue, call: Callable[[], R]) -> R | None:
        """Asks until it goes through; notes with the queue why it did not."""
        try:
            return self.retrying().run(call)
        except (ThrottledError, UnavailableError) as error:
            queue.error = error
            return None


def _longest_lag_first(queue: Queue) -> int:
    return -(queue.lag_ms or 0)


def _queues(board: Board, now_ms: int) -> Iterator[Queue]:
    """The partitions that a board's entries can be in, under any of its layouts."""
    cutoff = board.cutoff(now_ms)
    if cutoff is None:
        return
    keep_until = (2 * now_ms - cutoff) // 1_000 + STUB_MARGIN_SECONDS
    for shard in range(max(layout.index_shards for layout in board.layouts)):
        yield Queue(board.id, keys.expiry_partition(board.id, shard), cutoff, keep_until)
