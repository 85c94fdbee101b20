"""What the reads consume over whole boards: by distribution, population and index shards."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from ops.bench import populations
from ops.bench.fixtures import Fixture, load, make_board
from ops.bench.measured import summary
from ops.bench.questions import QUESTIONS
from ops.bench.sampling import Reading, sample

LEVELS: Final = 3


class Case(NamedTuple):
    """A board to read from."""

    distribution: str
    population: int
    index_shards: int = 1


_ALL: Final = tuple(populations.DISTRIBUTIONS)
ONE_SHARD: Final = [Case(name, count) for name in _ALL for count in (1_000, 100_000)]
_TWO: Final = (_ALL[0], _ALL[-1])  # the most even spread over cells, and the least
MANY_SHARDS: Final = [Case(name, 100_000, shards) for name in _TWO for shards in (4, 16)]
MILLION: Final = [Case(name, 1_000_000) for name in _TWO]


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """Up to 100,000 players on one index shard."""
    return _rows(client, ONE_SHARD)


def run_shards(client: DynamoDBClient) -> list[dict[str, Any]]:
    """100,000 players on several index shards."""
    return _rows(client, MANY_SHARDS)


def run_million(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A million players on one index shard."""
    return _rows(client, MILLION)


def _rows(client: DynamoDBClient, cases: Sequence[Case]) -> list[dict[str, Any]]:
    return [row for number, case in enumerate(cases) for row in _case(client, number, case)]


def _case(client: DynamoDBClient, number: int, case: Case) -> Iterator[dict[str, Any]]:
    config = populations.config_of(case.distribution)
    # The board's id lies twice in an index entry: one of 8 bytes makes entries of 153.
    board = make_board(f"reads-{number:02d}", config, levels=LEVELS, index_shards=case.index_shards)
    fixture = load(client, board, populations.players(case.distribution, case.population))
    for reading, found in _by_read(client, fixture):
        yield {**case._asdict(), "read": reading, **_measured(found)}


def _by_read(client: DynamoDBClient, fixture: Fixture) -> Iterator[tuple[str, list[Reading]]]:
    for question in QUESTIONS:
        readings = sorted(sample(client, fixture, question), key=lambda one: one.read)
        for read, found in groupby(readings, key=lambda one: one.read):
            yield read, list(found)


def _measured(readings: Sequence[Reading]) -> dict[str, Any]:
    return {
        "samples": len(readings),
        "read_units": summary([one.units for one in readings]),
        "with_empty_queries": summary([one.units_with_empty_queries for one in readings]),
        "requests": summary([one.requests for one in readings]),
        "exact_share": sum(one.is_exact for one in readings) / len(readings),
    }
