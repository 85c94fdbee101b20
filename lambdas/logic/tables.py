"""The tables as one call of a function sees them: metered, over caches that outlive the call."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lambdas.domain.boards import Board, board_named
from lambdas.domain.errors import InvalidFieldsError, WindowNotFoundError
from lambdas.domain.lives import CONFIG_LIFETIME_SECONDS
from lambdas.domain.segments import SEPARATOR, Segment, segment_of, split_name
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
from lambdas.store.segments import (
    CACHED_SEGMENTS,
    SEGMENT_LIFETIME_SECONDS,
    CachedSegments,
    SegmentCache,
    Segments,
)
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
    segments: CachedSegments
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

        self._segments: SegmentCache = Cache(
            size=CACHED_SEGMENTS, lifetime_seconds=SEGMENT_LIFETIME_SECONDS, clock=clock
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
            segments=CachedSegments(Segments(dynamo, settings.boards_table), self._segments),
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
        self._segments.clear()


def window_of(board: Board, window: str | None, now_ms: int, segment: str | None = None) -> str:
    """The name of the window that a read names, by name or as the current one of a kind.

    None is the board's first. A segment of it is named beside it, or as part of its name.

    Raises:
        WindowNotFoundError: the board has no such window, or none that is still kept.
        InvalidFieldsError: the segment is of no dimension of the board, or named twice.
    """
    part = _segment_of(board, window, segment)
    schedule = board.schedule
    if window is None:
        found = schedule.first(now_ms)
    else:
        whole, own = split_name(window)
        found = schedule.of_kind(whole, now_ms) or schedule.named(whole)
        if not schedule.is_retained(found, now_ms) or (own and not _has(board, own)):
            raise WindowNotFoundError(window)
        part = part or own
    return part.of(found).name if part else found.name


def _segment_of(board: Board, window: str | None, text: str | None) -> Segment | None:
    if text is None:
        return None
    if window and SEPARATOR in window:
        raise InvalidFieldsError.of("segment", "The window names a segment already.")
    segment = segment_of(text)
    if segment is None or not _has(board, segment):
        known = ", ".join(board.config.dimensions) or "none"
        raise InvalidFieldsError.of(
            "segment",
            f"Must be a dimension of the board and a value, as region:eu; it has: {known}.",
        )
    return segment


def _has(board: Board, segment: Segment) -> bool:
    return segment.dimension in board.config.dimensions
