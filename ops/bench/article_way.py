"""A rank read the histogram article's way: count what is ahead, up to a cap, then the histogram.

It makes the requests that the article describes, with this store's keys and the least code around
them: the player's item, a count of at most 2,000 index entries, and where that meets its cap, the
board's one item that holds all counters.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.windows import ALL
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, integer_of, number, string
from lambdas.store.rank_index import RankIndex
from lambdas.store.score_items import entry_of
from lambdas.store.scores import Scores
from ops.bench.fixtures import TABLES, Fixture

CAP: Final = 2_000
_BUCKET: Final = "bucket"


class ArticleWay:
    """Answers a board's ranks as a function behind the rig's front."""

    def __init__(self, dynamo: Dynamo, board: Board) -> None:
        self._dynamo = dynamo
        self._board = board
        self._cells = board.cells(board.written_layout)
        self._index = RankIndex(dynamo, TABLES.scores, board, ALL, board.written_layout)
        self._scores = Scores(dynamo, TABLES.scores)

    def store_histogram(self, fixture: Fixture) -> None:
        """Writes the item of counters that follows from a board's players."""
        paths = (self._cells.path(entry.score) for entry in fixture.entries)
        self.store_buckets(Counter(path[:CODE_LENGTH] for path in paths))

    def store_buckets(self, players: Mapping[str, int]) -> None:
        """Writes the item of counters, given the players by the buckets' codes."""
        buckets = {_BUCKET + code: number(count) for code, count in players.items()}
        self._dynamo.call("put_item", TableName=TABLES.boards, Item=self._key() | buckets)

    def handler(self, event: dict[str, Any], _: Any) -> dict[str, Any]:
        """Answers one HTTP API event for a player's rank."""
        player = event["rawPath"].split("/")[-2]
        return {
            "statusCode": 200,
            "headers": {"Content-Type": "application/json"},
            "body": json.dumps(self.rank(player)),
        }

    def rank(self, player: str) -> dict[str, Any]:
        """An exact rank below the cap, past it the range of the player's bucket."""
        item = self._scores.get(self._board, ALL, player, now_ms=0, consistent=False)
        if item is None:
            return {"kind": "unranked"}
        entry = entry_of(item)
        ahead = self._index.count_before(keys.entry_key(self._board.order, entry), CAP).entries
        if ahead < CAP:
            return {"kind": "exact", "rank": ahead + 1}
        first, last, population = self._bucket_range(self._bucket_of(entry.score))
        return {
            "kind": "estimated",
            "rank": None,
            "rank_range": (first, last),
            "percentile_range": (100 * first / population, 100 * last / population),
        }

    def _bucket_range(self, own: str) -> tuple[int, int, int]:
        item = self._dynamo.call("get_item", TableName=TABLES.boards, Key=self._key())["Item"]
        counts = {name: integer_of(item, name) for name in item if name.startswith(_BUCKET)}
        ahead = sum(count for name, count in counts.items() if name > own)
        return ahead + 1, ahead + counts[own], sum(counts.values())

    def _bucket_of(self, score: int) -> str:
        return _BUCKET + self._cells.path(score)[:CODE_LENGTH]

    def _key(self) -> dict[str, Any]:
        return {PK: string(f"meta#{self._board.id}"), SK: string("meta")}
