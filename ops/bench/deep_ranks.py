"""What a deep rank reads: levels 3, one index shard, a warm root, whatever the population."""

import random
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.windows import ALL
from lambdas.logic.rank import rank_of_player
from lambdas.logic.tables import Connection
from lambdas.names import STAGE_RIG
from lambdas.settings import HttpSettings
from lambdas.store.cached_nodes import CachedNodes
from ops.bench import populations
from ops.bench.fixtures import TABLES, Fixture, load, make_board
from ops.bench.measured import summary

POPULATIONS: Final = (1_000, 100_000)
SAMPLES: Final = 500


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """Read units and requests of a rank, by distribution and population."""
    return [
        _row(client, distribution, population)
        for distribution in populations.DISTRIBUTIONS
        for population in POPULATIONS
    ]


def connect(client: DynamoDBClient) -> Connection:
    """The tables as the read function sees them; what it caches never lapses by itself."""
    settings = HttpSettings(STAGE_RIG, TABLES.scores, TABLES.counters, TABLES.boards)
    return Connection(client, settings, clock=lambda: 0.0)


def _row(client: DynamoDBClient, distribution: str, population: int) -> dict[str, Any]:
    board = make_board(f"deep-{population}-{len(distribution)}", levels=3)
    fixture = load(client, board, populations.players(distribution, population))
    reads = _reads(connect(client), fixture)
    return {
        "distribution": distribution,
        "population": population,
        "samples": SAMPLES,
        "read_units": summary([units for units, _, _ in reads]),
        "requests": summary([requests for _, requests, _ in reads]),
        "exact_share": sum(kind == "exact" for _, _, kind in reads) / len(reads),
    }


def _reads(connection: Connection, fixture: Fixture) -> list[tuple[float, int, str]]:
    """Units, requests and kind of the rank of players drawn from the whole board."""
    board = fixture.board
    rng = random.Random(populations.SEED)  # noqa: S311 - a sample, not a secret
    reads: list[tuple[float, int, str]] = []
    for entry in rng.choices(fixture.entries, k=SAMPLES):
        warm = connection.tables()
        warm.nodes.clear()
        CachedNodes(warm.counters, warm.nodes, board, ALL, board.written_layout).read("")
        tables = connection.tables()
        ranked = rank_of_player(tables, board, ALL, entry.player, consistent=False)
        reads.append((tables.meter.read_units, tables.meter.requests, ranked.standing.kind))
    return reads
