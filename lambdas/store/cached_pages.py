"""Pages of a list, read once in `PAGE_LIFETIME_SECONDS` a container: everybody looks at the top."""

from itertools import islice
from typing import Final, NamedTuple

from lambdas.domain.boards import Board, Layout
from lambdas.domain.entries import Entry
from lambdas.store.caches import Cache
from lambdas.store.rank_index import RankIndex

PAGE_LIFETIME_SECONDS: Final = 1.0
CACHED_PAGES: Final = 64  # at most some 300 KB each


class PageKey(NamedTuple):
    """What a page is known by; a layout's number is never used twice, so neither is a life's."""

    board: str
    window: str
    layout: int
    after: str | None
    size: int


PageCache = Cache[PageKey, tuple[Entry, ...]]


class CachedPages:
    """The pages of one window's list under one layout; one a call of a function.

    Attributes:
        cached: whether a page came from the cache.
    """

    def __init__(
        self, index: RankIndex, cache: PageCache, board: Board, window: str, layout: Layout
    ) -> None:
        self._index = index
        self._cache = cache
        self._list = PageKey(board.id, window, layout.number, None, 0)
        self.cached = False

    def read(self, after: str | None, size: int) -> tuple[Entry, ...]:
        """The first `size` entries behind a key, or of the whole list.

        Raises:
            ThrottledError, UnavailableError: the index was not served; a page past its lifetime
                is never handed out, since nothing in it says how old it is.
        """
        key = self._list._replace(after=after, size=size)
        cached = self._cache.get(key)
        if cached and cached.fresh:
            self.cached = True
            return cached.value
        page = tuple(islice(self._index.entries(size, after=after), size))
        self._cache.put(key, page)
        return page
