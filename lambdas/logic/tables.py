"""The tables as one call of a function sees them: metered, over caches that outlive the call."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lambdas.domain.boards import Board, board_named
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.lives import CONFIG_LIFETIME_SECONDS
from lambdas.settings import HttpSettings
from lambdas.store.boards import Boards
from lambdas.store.cached_boards import (
    CACHED_BOARDS,
    BoardCache,
    CachedBoards,
)
from lambdas.store.cached_nodes import CACHED_NODES, NODE_LIFETIME_SECONDS, NodeCache
from lambdas.store.cached_pages import CACHED_PAGES, PAGE_LIFETIME_SECONDS, PageCache
from lambdas.store.caches import Cache
from lambdas.store.capped_counts import CACHED_FENCES, FENCE_LIFETIME_SECONDS, FenceCache
from lambdas.store.counters import Counters
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.scores import Scores
from lambdas.store.visibility import Visibility
from lambdas.store.window_states import WindowStates

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


RETRY_SECONDS: Final = 5.0  # half of what an HTTP function has: the rest is for the last try


@dataclass(frozen=True)
class Tables:
    """The tables for one call.

    Attributes:
        now_ms: when the call began, ms since 1970.
        retry_until: how long it may go on trying again, by `time.monotonic`.
    """

    now_ms: int
    retry_until: float
    dynamo: Dynamo
    scores_table: str
    scores: Scores
    counters: Counters
    boards: CachedBoards
    window_states: WindowStates
    visibility: Visibility
    nodes: NodeCache
    pages: PageCache
    fences: FenceCache

    @property
    def meter(self) -> Meter:
        """What this call consumed so far."""
        return self.dynamo.meter

    def board(self, board: str) -> Board:
        """A board by the id in a path.

        Raises:
            BoardNotFoundError: there is none, or the id can be nobody's.
        """
        return self.boards.get(board_named(board))


class Connection:
    """Kept for a container's life: client, settings and caches."""

    def __init__(
        self,
        client: "DynamoDBClient",
        settings: HttpSettings,
        clock: Callable[[], float] = time.monotonic,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._client = client
        self._now_ms = now_ms
        self._settings = settings
        self._boards: BoardCache = Cache(
            size=CACHED_BOARDS, lifetime_seconds=CONFIG_LIFETIME_SECONDS, clock=clock
        )
        self._nodes: NodeCache = Cache(
            size=CACHED_NODES, lifetime_seconds=NODE_LIFETIME_SECONDS, clock=clock
        )
        self._pages: PageCache = Cache(
            size=CACHED_PAGES, lifetime_seconds=PAGE_LIFETIME_SECONDS, clock=clock
        )
        self._fences: FenceCache = Cache(
            size=CACHED_FENCES, lifetime_seconds=FENCE_LIFETIME_SECONDS, clock=clock
        )

    def tables(self) -> Tables:
        """The tables for one call, with a meter of its own."""
        dynamo = Dynamo(self._client, Meter())
        settings = self._settings
        return Tables(
            now_ms=self._now_ms(),
            retry_until=time.monotonic() + RETRY_SECONDS,
            dynamo=dynamo,
            scores_table=settings.scores_table,
            scores=Scores(dynamo, settings.scores_table),
            counters=Counters(dynamo, settings.counters_table),
            boards=CachedBoards(Boards(dynamo, settings.boards_table), self._boards),
            window_states=WindowStates(dynamo, settings.boards_table),
            visibility=Visibility(dynamo, settings.boards_table),
            nodes=self._nodes,
            pages=self._pages,
            fences=self._fences,
        )

    def forget(self) -> None:
        """Drops every cached value, as a new container would start."""
        self._boards.clear()
        self._nodes.clear()
        self._pages.clear()
        self._fences.clear()


def window_of(board: Board, window: str | None, now_ms: int) -> str:
    """The name of the window that a read names, by name or as the current one of a kind.

    None is the board's first.

    Raises:
        WindowNotFoundError: the board has no such window, or none that is still kept.
    """
    schedule = board.schedule
    if window is None:
        return schedule.first(now_ms).name
    found = schedule.of_kind(window, now_ms) or schedule.named(window)
    if not schedule.is_retained(found, now_ms):
        raise WindowNotFoundError(window)
    return found.name
