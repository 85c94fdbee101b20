"""How much one stream shard's consumer carries: records and node updates a second, and CPU.

The engine shares this machine's cores, so records a second are those of this machine and a ratio
between levels at best; CPU time is that of the consumer's process alone.
"""

import time
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry, place
from lambdas.domain.windows import ALL
from lambdas.logic.count import Counter
from lambdas.logic.retrying import Retrying
from lambdas.store.boards import Boards
from lambdas.store.cached_boards import CachedBoards
from lambdas.store.caches import Cache
from lambdas.store.counters import Counters, Writer
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.score_items import item_of
from ops.bench import populations
from ops.bench.fixtures import FIRST_SEQUENCE, TABLES, load, make_board, stream_shards

LEVELS: Final = (1, 2, 3)
BATCHES: Final = 5
RECORDS: Final = 1_000
_PLAYERS: Final = 20_000


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for each number of levels."""
    return [_row(client, levels) for levels in LEVELS]


def _row(client: DynamoDBClient, levels: int) -> dict[str, Any]:
    distribution = "lognormal(8,1)"
    board = make_board(f"consumer-{levels}", levels=levels)
    load(client, board, populations.players(distribution, _PLAYERS))
    new = list(populations.players(distribution, BATCHES * RECORDS, seed=levels))
    records = [_record(board, entry, number) for number, entry in enumerate(new)]
    counter, meter = _counter(client, board)
    started, cpu_started, nodes = time.perf_counter(), time.process_time(), 0
    for start in range(0, len(records), RECORDS):
        nodes += counter.count(records[start : start + RECORDS]).nodes
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    return {
        "levels": levels,
        "records": len(records),
        "node_updates": nodes,
        "records_a_second": len(records) / seconds,
        "node_updates_a_second": nodes / seconds,
        "cpu_ms_a_record": cpu * 1000 / len(records),
        "cpu_ms_a_update": cpu * 1000 / nodes,
        "records_a_cpu_second": len(records) / cpu,
        "write_units_a_record": meter.write_units / len(records),
    }


def _counter(client: DynamoDBClient, board: Board) -> tuple[Counter, Meter]:
    meter = Meter()
    dynamo = Dynamo(client, meter)
    cache: Cache[str, Board] = Cache(size=1, lifetime_seconds=1, clock=lambda: 0.0)
    cache.put(board.id, board)
    boards = CachedBoards(Boards(dynamo, TABLES.boards), cache)
    retrying = Retrying(deadline=time.monotonic() + 600)
    writer = Writer(stream_shards(board.written_layout.counter_shards)[0], hour=490_004)
    return Counter(Counters(dynamo, TABLES.counters), boards, retrying, writer), meter


def _record(board: Board, entry: Entry, number: int) -> dict[str, Any]:
    """The stream record that a new player's submit leaves."""
    item = item_of(board, ALL, place(board, board.written_layout, entry))
    return {
        "eventName": "INSERT",
        "dynamodb": {
            "SequenceNumber": str(FIRST_SEQUENCE + number),
            "ApproximateCreationDateTime": 1_764_460_800,
            "Keys": {"pk": item["pk"]},
            "NewImage": item,
        },
    }
