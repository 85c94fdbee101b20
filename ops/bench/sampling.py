"""Reads of a board, one by one and metered, each with the root cached and nothing else."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.windows import ALL
from lambdas.logic.tables import Connection, Tables
from lambdas.logic.views import view_of
from lambdas.names import STAGE_RIG
from lambdas.settings import HttpSettings
from ops.bench.fixtures import TABLES, Fixture
from ops.bench.populations import SEED
from ops.bench.watched_client import WatchedClient

EMPTY_QUERY_UNITS: Final = 0.5  # what AWS charges for one, and DynamoDB Local does not


class Answer(NamedTuple):
    """What a read was, and whether its answer is exact."""

    read: str
    is_exact: bool


@dataclass(frozen=True)
class Question:
    """A read to sample.

    Attributes:
        ask: makes the read once, about somebody drawn from the whole board.
        samples: how often it is made.
        asked_before: whether the same was asked within the last second, so that what such a read
            leaves in the caches is there; else the root is, and nothing else.
    """

    ask: Callable[[Tables, Fixture, random.Random], Answer]
    samples: int
    asked_before: bool = False


class Reading(NamedTuple):
    """What one read consumed."""

    read: str
    is_exact: bool
    units: float
    requests: int
    empty_queries: int

    @property
    def units_with_empty_queries(self) -> float:
        """Read units with AWS's charge for queries that found nothing."""
        return self.units + self.empty_queries * EMPTY_QUERY_UNITS


def connect(client: DynamoDBClient) -> Connection:
    """The tables as the read function sees them; what it caches never lapses by itself."""
    settings = HttpSettings(STAGE_RIG, TABLES.scores, TABLES.counters, TABLES.boards)
    return Connection(client, settings, clock=lambda: 0.0)


def sample(client: DynamoDBClient, fixture: Fixture, question: Question) -> list[Reading]:
    """Asks a question of a board, the same ones each time."""
    rng = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    return [_read(client, fixture, question, rng) for _ in range(question.samples)]


def _read(
    client: DynamoDBClient, fixture: Fixture, question: Question, rng: random.Random
) -> Reading:
    watched = WatchedClient(client)
    connection = connect(cast(DynamoDBClient, watched))
    view_of(connection.tables(), fixture.board, ALL).nodes.read("")
    if question.asked_before:
        before = random.Random()  # noqa: S311 - goes on from where `rng` is
        before.setstate(rng.getstate())
        question.ask(connection.tables(), fixture, before)
    watched.forget()
    answer = question.ask(connection.tables(), fixture, rng)
    meter = watched.meter
    return Reading(*answer, meter.read_units, meter.requests, watched.empty_queries)
