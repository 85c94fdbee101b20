"""The rank index: a window's entries in rank order, spread over index shards.

It projects keys only; an entry is decoded from its key. Reads are eventually consistent, as an
index's always are, and cost one query an index shard and half a read unit each 4 KB read: some
27 entries with ids of 36 bytes, counted or fetched alike.
"""

from collections.abc import Iterator
from heapq import merge
from typing import Any, NamedTuple

from lambdas.domain.boards import Board, Layout
from lambdas.domain.entries import Entry
from lambdas.names import RANK_INDEX, RANK_KEY, RANK_PARTITION
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, Item, string, text_of


class Counted(NamedTuple):
    """A count of entries, and the rank key of the last one if it met its cap and that is known."""

    entries: int
    stopped_at: str | None


class RankIndex:
    """The index entries of one window under one layout.

    Attributes:
        passed: entries that were counted or fetched here.
    """

    def __init__(
        self, dynamo: Dynamo, table: str, board: Board, window: str, layout: Layout
    ) -> None:
        self._dynamo = dynamo
        self._table = table
        self._board = board
        self.passed = 0
        self._partitions = [
            keys.rank_partition(board.id, window, layout.number, shard)
            for shard in range(layout.index_shards)
        ]

    def entries(self, page_size: int | None = None, after: str | None = None) -> Iterator[Entry]:
        """Every entry in rank order, or those after a key; a page is read when it is needed."""
        condition = f"{RANK_KEY} > :after" if after is not None else None
        values = {":after": string(after)} if after is not None else {}
        streams = [
            self._rank_keys(self._query(partition, condition, values), page_size)
            for partition in self._partitions
        ]
        return (keys.parse_rank_key(key, self._board.order) for key in merge(*streams))

    def entries_before(self, rank_key: str, page_size: int) -> Iterator[Entry]:
        """The entries ahead of a rank key, the nearest one first."""
        condition, values = f"{RANK_KEY} < :end", {":end": string(rank_key)}
        streams = [
            self._rank_keys(
                self._query(partition, condition, values) | {"ScanIndexForward": False}, page_size
            )
            for partition in self._partitions
        ]
        merged = merge(*streams, reverse=True)
        return (keys.parse_rank_key(key, self._board.order) for key in merged)

    def count_before(self, rank_key: str, limit: int, start: str = "") -> Counted:
        """Counts entries before a rank key, from the top or from `start`, at most `limit`."""
        counted, stopped_at = 0, None
        for partition in self._partitions:
            if counted == limit:
                break
            entries, stopped_at = self._count(partition, rank_key, limit - counted, start)
            counted += entries
        return Counted(counted, stopped_at if len(self._partitions) == 1 else None)

    def count_all(self, start: str, end: str) -> int:
        """Counts every entry from a key on and before another, however many pages that takes."""
        condition = f"{RANK_KEY} BETWEEN :start AND :end"
        values = {":start": string(start), ":end": string(keys.just_before(end))}
        return sum(
            page["Count"]
            for partition in self._partitions
            for page in self._dynamo.pages(
                "query", **self._query(partition, condition, values), Select="COUNT"
            )
        )

    def count_score(self, score: int, limit: int) -> int | None:
        """How many entries hold a score; None if more than `limit` do."""
        score_key = self._board.order.key(score)
        counted = self.count_before(keys.after_score(score_key), limit + 1, score_key).entries
        return counted if counted <= limit else None

    def count_tied_ahead(self, entry: Entry, limit: int) -> int | None:
        """How many entries tied with an entry are ahead of it; None if more than `limit`."""
        order = self._board.order
        tie = order.key(entry.score, entry.tie_breakers)
        ahead = self.count_before(keys.entry_key(order, entry), limit + 1, tie).entries
        return ahead if ahead <= limit else None

    def _count(self, partition: str, rank_key: str, limit: int, start: str) -> Counted:
        condition, values = f"{RANK_KEY} < :end", {":end": string(rank_key)}
        if start:
            condition = f"{RANK_KEY} BETWEEN :start AND :end"
            values = {":start": string(start), ":end": string(keys.just_before(rank_key))}
        query = self._query(partition, condition, values)
        counted = 0
        for page in self._dynamo.pages("query", **query, Select="COUNT", Limit=limit):
            self.passed += page["Count"]
            counted += page["Count"]
            if counted >= limit:
                last: Item = page.get("LastEvaluatedKey", {})
                return Counted(limit, text_of(last, RANK_KEY) if last else None)
        return Counted(counted, None)

    def _rank_keys(self, query: dict[str, Any], page_size: int | None) -> Iterator[str]:
        if page_size is not None:
            query["Limit"] = page_size
        for page in self._dynamo.pages("query", **query):
            self.passed += page["Count"]
            for item in page["Items"]:
                yield text_of(item, RANK_KEY)

    def _query(
        self, partition: str, condition: str | None, values: dict[str, Any]
    ) -> dict[str, Any]:
        in_partition = f"{RANK_PARTITION} = :partition"
        return {
            "TableName": self._table,
            "IndexName": RANK_INDEX,
            "KeyConditionExpression": f"{in_partition} AND {condition}"
            if condition
            else in_partition,
            "ExpressionAttributeValues": {":partition": string(partition), **values},
        }
