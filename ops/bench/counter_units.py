"""What counting one submit consumes, by rate, levels and stream shards.

Batches are cut in virtual time, as the event source mapping cuts them: each stream shard's window
of one second opens with its first record. The real counting code then writes them, and DynamoDB
counts the units. The board holds players already, and its counter items the marks of 30 hours.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.counting import Change, Place, group_by_node
from lambdas.domain.hashing import shard_of
from lambdas.domain.windows import ALL
from lambdas.store.counters import Counters, Writer
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.bench import populations
from ops.bench.fixtures import FIRST_SEQUENCE, TABLES, load, make_board, stream_shards

RATES: Final = (1, 10, 100, 1_000)  # submits a second
LEVELS: Final = (1, 2, 3)
STREAM_SHARDS: Final = (4, 20)
PLAYERS: Final = 20_000
SUBMITS: Final = 2_000  # of each row; at 1,000 a second that is two seconds of traffic
MODEL: Final = {(100, 2, 4): 0.6, (100, 3, 4): 1.5}  # units a submit, by the design's model
_WINDOW_SECONDS: Final = 1.0
_BATCH_SIZE: Final = 1_000
_HOUR: Final = 490_004
_DISTRIBUTION: Final = "lognormal(8,1)"


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """Units, updates and batches, a row for each rate, levels and stream shards."""
    return [
        row
        for shards in STREAM_SHARDS
        for levels in LEVELS
        for row in _rows(client, levels, shards)
    ]


def _rows(client: DynamoDBClient, levels: int, shards: int) -> Iterator[dict[str, Any]]:
    board = make_board(f"units-{levels}-{shards}", levels=levels, counter_shards=shards)
    load(client, board, populations.players(_DISTRIBUTION, PLAYERS))
    sequences = count(FIRST_SEQUENCE)
    for rate in RATES:
        meter = Meter()
        counters = Counters(Dynamo(client, meter), TABLES.counters)
        batches, updates = count_traffic(
            counters, board, rate, stream_shards(shards), SUBMITS, sequences
        )
        yield {
            "rate": rate,
            "levels": levels,
            "stream_shards": shards,
            "batches": batches,
            "node_updates_a_submit": updates / SUBMITS,
            "units_a_update": meter.write_units / updates,
            "units_a_submit": meter.write_units / SUBMITS,
            "model": MODEL.get((rate, levels, shards)),
        }


def count_traffic(
    counters: Counters,
    board: Board,
    rate: int,
    shards: Sequence[str],
    submits: int,
    sequences: Iterator[int] | None = None,
) -> tuple[int, int]:
    """Counts new players arriving at a rate; the batches and the node updates it took."""
    arriving = _batches(board, rate, shards, submits, sequences or count(FIRST_SEQUENCE))
    updates = [count_batch(counters, board, shard, batch) for shard, batch in arriving]
    return len(updates), sum(updates)


def count_batch(
    counters: Counters, board: Board, stream_shard: str, batch: Sequence[Change]
) -> int:
    """Counts one batch of a stream shard; the node updates it took."""
    writer = Writer(stream_shard, _HOUR)
    nodes = group_by_node(batch)
    counter_shard = shard_of(stream_shard, board.written_layout.counter_shards)
    for node, steps in nodes.items():
        counters.count(node, counter_shard, steps, writer)
    return len(nodes)


def _batches(
    board: Board, rate: int, shards: Sequence[str], submits: int, sequences: Iterator[int]
) -> Iterator[tuple[str, list[Change]]]:
    """New players arriving at random at a rate, cut into batches a stream shard."""
    rng = random.Random(f"{board.id}/{rate}")  # noqa: S311 - a sample, not a secret
    entries = populations.players(_DISTRIBUTION, submits, seed=rate)
    paths = (board.cells(board.written_layout).path(entry.score) for entry in entries)
    places = (Place(board.id, ALL, board.written_layout.number, path) for path in paths)
    return cut(((None, place) for place in places), rate, shards, rng, sequences)


def cut(
    moves: Iterable[tuple[Place | None, Place | None] | None],
    rate: float,
    shards: Sequence[str],
    rng: random.Random,
    sequences: Iterator[int],
) -> Iterator[tuple[str, list[Change]]]:
    """Submits arriving at random at a rate, as batches and the stream shards they come from.

    Args:
        moves: where each submit takes its player from and to; None for one that leaves no record.
    """
    open_batches: dict[str, tuple[float, list[Change]]] = {}
    now = 0.0
    for move in moves:
        now += rng.expovariate(rate)
        for shard, (opened, batch) in list(open_batches.items()):
            if now - opened >= _WINDOW_SECONDS or len(batch) >= _BATCH_SIZE:
                yield shard, open_batches.pop(shard)[1]
        shard = rng.choice(shards)
        if move is not None:
            change = Change(next(sequences), int(now * 1000), *move)
            open_batches.setdefault(shard, (now, []))[1].append(change)
    for shard, (_, batch) in open_batches.items():
        yield shard, batch
