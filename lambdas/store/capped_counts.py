"""Counts that meet their cap, remembered for a second: whoever ranks behind need not count again.

A count that meets its cap has told more than a number: the entry it stopped at, its fence, has as
many as that ahead of it, and so has everyone behind it. So in a cell that begins within
`exact_limit` and ends past it, one player a second pays for a count that is thrown away, and the
others are told at once that it would be.
"""

from typing import Final, NamedTuple

from lambdas.domain.boards import Board, Layout
from lambdas.store.caches import Cache
from lambdas.store.rank_index import RankIndex

FENCE_LIFETIME_SECONDS: Final = 1.0  # a node's: no answer rests on anything older
CACHED_FENCES: Final = 1_000


class FenceKey(NamedTuple):
    """Which count met which cap."""

    board: str
    window: str
    layout: int
    start: str
    limit: int


FenceCache = Cache[FenceKey, str]


class CappedCounts:
    """Counts in one window's index under one layout; one a call of a function.

    Attributes:
        cached: whether a fence of the cache spared a count.
    """

    def __init__(
        self, index: RankIndex, cache: FenceCache, board: Board, window: str, layout: Layout
    ) -> None:
        self._index = index
        self._cache = cache
        self._window = FenceKey(board.id, window, layout.number, "", 0)
        self.cached = False

    def before(self, rank_key: str, limit: int, start: str = "") -> int:
        """Counts entries before a rank key, from the top or from `start`, at most `limit`.

        Cost: half a read unit for some 27 entries; nothing for who is behind a cached fence. Over
        several index shards no one entry is a fence, and everybody counts.
        """
        key = self._window._replace(start=start, limit=limit)
        fence = self._cache.get(key)
        if fence and fence.fresh and rank_key > fence.value:
            self.cached = True
            return limit
        counted = self._index.count_before(rank_key, limit, start)
        if counted.entries == limit and counted.stopped_at is not None:
            self._cache.put(key, counted.stopped_at)
        return counted.entries
