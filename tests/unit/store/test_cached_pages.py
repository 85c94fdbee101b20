"""Pages of a list through a cache with a clock of the test's own."""

from collections.abc import Iterator
from typing import Any, cast

from lambdas.domain.boards import Board, BoardConfig, Layout
from lambdas.domain.entries import Entry
from lambdas.store.cached_pages import CachedPages, PageCache
from lambdas.store.caches import Cache
from lambdas.store.rank_index import RankIndex

LAYOUT = Layout(number=3)


class Index:
    """An index of endless entries that notes how often it is read."""

    def __init__(self) -> None:
        self.reads: list[tuple[int | None, str | None]] = []

    def entries(self, page_size: int | None = None, after: str | None = None) -> Iterator[Entry]:
        """Entries without an end."""
        self.reads.append((page_size, after))
        number = 0
        while True:
            yield Entry(f"p{number}", 5, len(self.reads))
            number += 1


def pages(index: Index, cache: PageCache, board: str = "arena", **key: Any) -> CachedPages:
    """The pages of a board, as a new call sees them."""
    layout = key.get("layout", LAYOUT)
    whole = Board(board, BoardConfig(), 3, (layout,))
    return CachedPages(cast(RankIndex, index), cache, whole, key.get("window", "all"), layout)


def test_a_page_is_read_once_in_its_lifetime() -> None:
    """The next call gets the same page, marked as cached; a second later it is read again."""
    now = [0.0]
    cache: PageCache = Cache(size=3, lifetime_seconds=1.0, clock=lambda: now[0])
    index = Index()
    first = pages(index, cache)
    page = first.read(None, 2)
    assert [entry.player for entry in page] == ["p0", "p1"]
    assert not first.cached
    now[0] = 0.999
    second = pages(index, cache)
    assert second.read(None, 2) is page
    assert second.cached
    now[0] = 1.0
    third = pages(index, cache)
    assert third.read(None, 2) != page
    assert not third.cached
    assert index.reads == [(2, None), (2, None)]


def test_no_page_serves_for_another() -> None:
    """Board, window, layout, start and size each make a page of its own."""
    cache: PageCache = Cache(size=9, lifetime_seconds=1.0, clock=lambda: 0.0)
    index = Index()
    pages(index, cache).read(None, 2)
    pages(index, cache).read("k", 2)
    pages(index, cache).read(None, 3)
    pages(index, cache, board="other").read(None, 2)
    pages(index, cache, window="d2026-11-30").read(None, 2)
    pages(index, cache, layout=Layout(number=4)).read(None, 2)
    assert len(index.reads) == 6
