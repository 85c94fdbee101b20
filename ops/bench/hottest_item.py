"""The hottest counter item's share of all write units, beside the histogram article's way.

Ours: submits through the real store, their stream cut into batches of one second, counted by the
real counting code. The article's: each submit one transaction over the player's item and the one
item that holds all counters. Both send the same new players; units are the engine's own count.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, cast

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry, place
from lambdas.domain.submissions import Submission, accept
from lambdas.domain.windows import ALL, ALL_TIME
from lambdas.names import PK, SK
from lambdas.store.counters import Counters
from lambdas.store.dynamo import Dynamo, number, string
from lambdas.store.meter import Meter
from lambdas.store.score_items import item_of
from lambdas.store.scores import Scores
from ops.bench import counter_units, populations
from ops.bench.fixtures import TABLES, load, make_board, stream_shards

RATES: Final = (50, 100, 1_000)
LEVELS: Final = 2
STREAM_SHARDS: Final = 4
SUBMITS: Final = 1_000
OURS: Final = "streamed counters"
ARTICLE_SHARE: Final = 0.291  # 2 of 6.868 write units a submit, by the article's own inference
_PLAYERS: Final = 5_000
_DISTRIBUTION: Final = "lognormal(8,1)"


class ItemUnits:
    """A client that notes the write units of each item that `update_item` touches."""

    def __init__(self, client: DynamoDBClient) -> None:
        self._client = client
        self.units: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def update_item(self, **parameters: Any) -> Any:
        """Passes the call on."""
        answer = self._client.update_item(**parameters)
        key = "/".join(value["S"] for value in parameters["Key"].values())
        self.units[key] += cast(int, answer["ConsumedCapacity"]["CapacityUnits"])
        return answer


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for each rate of ours, and one for the article's way, which no rate changes."""
    return [*(_ours(client, rate) for rate in RATES), _article(client)]


def _ours(client: DynamoDBClient, rate: int) -> dict[str, Any]:
    board = make_board(f"share-{rate}", levels=LEVELS, counter_shards=STREAM_SHARDS)
    load(client, board, populations.players(_DISTRIBUTION, _PLAYERS))
    submits = _submit_all(client, board, rate)
    noting = ItemUnits(client)
    counters = Counters(Dynamo(cast(DynamoDBClient, noting), Meter()), TABLES.counters)
    counter_units.count_traffic(counters, board, rate, stream_shards(STREAM_SHARDS), SUBMITS)
    counted = sum(noting.units.values())
    total = submits.write_units + submits.index_write_units + counted
    return {
        "way": OURS,
        "rate": rate,
        "units_a_submit": total / SUBMITS,
        "counters_share": counted / total,
        "hottest_item_share": max(noting.units.values()) / total,
    }


def _submit_all(client: DynamoDBClient, board: Board, rate: int) -> Meter:
    meter = Meter()
    scores = Scores(Dynamo(client, meter), TABLES.scores)
    for entry in populations.players(_DISTRIBUTION, SUBMITS, seed=rate):
        submission = Submission(entry.player, entry.score, achieved_at=entry.achieved_at)
        accepted = accept(board, submission, entry.achieved_at)
        scores.submit(board, ALL_TIME, accepted, entry.achieved_at, hidden=False)
    return meter


def _article(client: DynamoDBClient) -> dict[str, Any]:
    board = make_board("article")
    units: Counter[str] = Counter()
    for entry in populations.players(_DISTRIBUTION, SUBMITS, seed=0):
        answer = client.transact_write_items(
            TransactItems=list(_transaction(board, entry)), ReturnConsumedCapacity="INDEXES"
        )
        for consumed in answer["ConsumedCapacity"]:
            units[consumed["TableName"]] += cast(int, consumed["CapacityUnits"])
    total = sum(units.values())
    return {
        "way": "one transaction, one item",
        "rate": None,
        "units_a_submit": total / SUBMITS,
        "counters_share": units[TABLES.boards] / total,
        "hottest_item_share": units[TABLES.boards] / total,
    }


def _transaction(board: Board, entry: Entry) -> Iterator[Any]:
    """The player's item, and the one item of counters: it lies in a table of its own here, so
    that the engine's count tells the two apart."""
    record = place(board, board.written_layout, entry)
    yield {"Put": {"TableName": TABLES.scores, "Item": item_of(board, ALL, record)}}
    yield {
        "Update": {
            "TableName": TABLES.boards,
            "Key": {PK: string(f"meta#{board.id}"), SK: string("meta")},
            "UpdateExpression": "ADD #bucket :one, players :one",
            "ExpressionAttributeNames": {"#bucket": f"bucket{record.cell[:2]}"},
            "ExpressionAttributeValues": {":one": number(1)},
        }
    }
