"""Nodes, read once a second a container, and served stale while DynamoDB does not serve them."""

from dataclasses import replace
from typing import Final

from lambdas.domain.boards import Board, Layout
from lambdas.domain.counting import NodeKey
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.walk import Node
from lambdas.store.caches import Cache
from lambdas.store.counters import Counters

NODE_LIFETIME_SECONDS: Final = 1.0
CACHED_NODES: Final = 2_000  # at most some 10 KB each

NodeCache = Cache[NodeKey, Node]


class CachedNodes:
    """The nodes of one window under one layout, read through a cache; one a call of a function.

    Attributes:
        seen: the nodes that were read here, by cell path. Each serves until the call ends, so that
            all parts of an answer rest on one set of nodes.
    """

    def __init__(
        self, counters: Counters, cache: NodeCache, board: Board, window: str, layout: Layout
    ) -> None:
        self._counters = counters
        self._cache = cache
        self._root = NodeKey(board.id, window, layout.number, "")
        self.seen: dict[str, Node] = {}

    def read(self, path: str) -> Node:
        """The node at a cell path.

        Raises:
            ThrottledError, UnavailableError: DynamoDB did not serve it, nor was it ever read.
        """
        if path not in self.seen:
            self.seen[path] = self._read(path)
        return self.seen[path]

    def _read(self, path: str) -> Node:
        key = self._root._replace(path=path)
        cached = self._cache.get(key)
        if cached and cached.fresh:
            return replace(cached.value, cached=True)
        try:
            node = self._counters.read(key)
        except (ThrottledError, UnavailableError):
            if cached is None:
                raise
            return replace(cached.value, cached=True, stale=True)
        self._cache.put(key, node)
        return node
