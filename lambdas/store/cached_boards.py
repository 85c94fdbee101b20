"""Board configs, read once in `CONFIG_LIFETIME_SECONDS` a container."""

from typing import Final

from lambdas.domain.boards import Board
from lambdas.domain.errors import BoardNotFoundError, ThrottledError, UnavailableError
from lambdas.store.boards import Boards
from lambdas.store.caches import Cache

CACHED_BOARDS: Final = 1_000

BoardCache = Cache[str, Board]


class CachedBoards:
    """Reads boards through a cache; a stale config serves while DynamoDB does not answer."""

    def __init__(self, boards: Boards, cache: BoardCache) -> None:
        self._boards = boards
        self._cache = cache

    def get(self, board: str) -> Board:
        """A board's config, at most `CONFIG_LIFETIME_SECONDS` old while DynamoDB answers.

        Raises:
            BoardNotFoundError: there is no such board; never remembered, so a new one is found.
        """
        cached = self._cache.get(board)
        if cached and cached.fresh:
            return cached.value
        try:
            return self.refresh(board)
        except (ThrottledError, UnavailableError):
            if cached is None:
                raise
            return cached.value

    def refresh(self, board: str) -> Board:
        """Reads a board's config again, whatever the cache holds."""
        try:
            read = self._boards.get(board)
        except BoardNotFoundError:
            self._cache.drop(board)
            raise
        self._cache.put(board, read)
        return read
