"""Which segments a board has: an item for each in the `Boards` table, beside the board's config.

A segment's windows follow from no calendar, so whatever goes through all of a board's windows
finds them here. An item is there before the first score item of its segment is, and goes when a
sweep has found nothing left of the lives that had the segment.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from lambdas.domain.boards import Board
from lambdas.domain.errors import ConditionFailedError
from lambdas.domain.segments import Segment
from lambdas.names import PK, SK
from lambdas.store.caches import Cache
from lambdas.store.dynamo import Dynamo, Item, integer_of, number, string, text_of
from lambdas.store.keys import SEGMENT_SK, segment_sk

CACHED_SEGMENTS: Final = 10_000
SEGMENT_LIFETIME_SECONDS: Final = 3_600.0  # one that is removed by hand is back after that
_FIRST: Final = "since_layout"  # the first layout of the first life that had it
_LIFE: Final = "first_layout"  # the first layout of the last life that had it

SegmentCache = Cache[tuple[str, int, Segment], None]


class KnownSegment(NamedTuple):
    """A segment of a board, with the lives that had it.

    Attributes:
        since_layout, first_layout: the first layouts of the first and of the last such life.
    """

    segment: Segment
    since_layout: int
    first_layout: int


class Segments:
    """The items of segments in the `Boards` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def make_known(self, board: Board, segment: Segment) -> None:
        """Notes that this life of a board has a segment; doing it again changes nothing.

        Cost: one conditional `UpdateItem`, 1 write unit.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been noted already.
        """
        # No life begins before the writers of the one before it are gone: one as late has it known.
        self._unless_had_since(
            board.first_layout,
            "update_item",
            Key=_key(board.id, segment),
            UpdateExpression=f"SET {_LIFE} = :life, {_FIRST} = if_not_exists({_FIRST}, :life)",
        )

    def known(self, board: str) -> list[KnownSegment]:
        """The segments of a board and of its former lives, by name.

        Cost: one consistent query, 1 read unit each 4 KB: some 60 segments.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        pages = self._dynamo.pages(
            "query",
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression=f"{PK} = :board AND begins_with({SK}, :segments)",
            ExpressionAttributeValues={":board": string(board), ":segments": string(SEGMENT_SK)},
        )
        return [_known_of(item) for page in pages for item in page["Items"]]

    def windows(self, board: Board, whole: Sequence[str]) -> list[str]:
        """The names of the windows that this life of a board has beside some whole ones.

        Cost: that of `known`, of a board with dimensions; otherwise none.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        if not whole or not board.config.dimensions:
            return []
        ours = [one for one in self.known(board.id) if one.first_layout == board.first_layout]
        return [one.segment.name_in(window) for one in ours for window in whole]

    def forget(self, board: str, segment: Segment, before: int) -> None:
        """Removes the item of a segment that no life from a layout on has; twice is as once.

        Cost: one conditional `DeleteItem`, 1 write unit.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been removed already.
        """
        self._unless_had_since(before, "delete_item", Key=_key(board, segment))

    def _unless_had_since(self, life: int, operation: str, **call: Any) -> None:
        """Calls DynamoDB, and does nothing where a life from a first layout on has the segment."""
        try:
            self._dynamo.call(
                operation,
                TableName=self._table,
                ConditionExpression=f"attribute_not_exists({PK}) OR {_LIFE} < :life",
                ExpressionAttributeValues={":life": number(life)},
                **call,
            )
        except ConditionFailedError:
            return


class CachedSegments:
    """Makes segments known, once in `SEGMENT_LIFETIME_SECONDS` a container."""

    def __init__(self, segments: Segments, cache: SegmentCache) -> None:
        self._segments = segments
        self._cache = cache

    def make_known(self, board: Board, segment: Segment) -> None:
        """Notes that a board has a segment, unless that was done here lately.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        key = board.id, board.first_layout, segment
        cached = self._cache.get(key)
        if cached and cached.fresh:
            return
        self._segments.make_known(board, segment)
        self._cache.put(key, None)


def _key(board: str, segment: Segment) -> dict[str, dict[str, str]]:
    return {PK: string(board), SK: string(segment_sk(segment.text))}


def _known_of(item: Item) -> KnownSegment:
    segment = Segment(*text_of(item, SK).removeprefix(SEGMENT_SK).split(":"))
    return KnownSegment(segment, integer_of(item, _FIRST), integer_of(item, _LIFE))
