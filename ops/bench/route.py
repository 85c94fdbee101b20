"""A rank over HTTP at the histogram article's size, beside the same read done the article's way.

Both are served by the rig's front in this process and asked by the signing client, in turns, about
the same players. The engine is on the same machine.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple, cast

import boto3
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, LayoutSpec
from lambdas.names import READ, STAGE_RIG
from lambdas.store import keys
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.meter import Meter
from ops.bench import populations
from ops.bench.article_way import CAP, ArticleWay
from ops.bench.fixtures import TABLES, Fixture, load
from ops.bench.measured import percentile, summary
from ops.bench.read_function import connect, read_function, store_board
from ops.bench.watched_client import WatchedClient
from ops.client import Client, Outputs
from ops.rig.engine import REGION
from ops.rig.front import Front, Function
from ops.rig.service import KEY_ID, SECRET, serving
from ops.rig.signatures import Verifier

ROWS: Final = 2_501
SAMPLES: Final = 25  # of a round
ROUNDS: Final = 20
ARTICLE_P99_MS: Final = 70.292
_DISTRIBUTION: Final = "lognormal(8,1)"
_WARM_UP: Final = 20


class Took(NamedTuple):
    """One read."""

    ms: float
    read_units: float


@dataclass(frozen=True)
class Way:
    """A way to read a rank over HTTP, and what it asks of DynamoDB.

    Attributes:
        before: called ahead of each read, outside its time.
    """

    client: Client
    watched: WatchedClient
    before: Callable[[], None]

    def read(self, board: Board, player: str) -> Took:
        """Reads one player's rank."""
        self.before()
        self.watched.forget()
        started = time.perf_counter()
        self.client.rank(board.id, player)
        ms = (time.perf_counter() - started) * 1000
        return Took(ms, self.watched.meter.read_units)


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for each sample: from the whole board, and from past the article's cap."""
    config = populations.config_of(_DISTRIBUTION)
    board = store_board(client, "route", config, LayoutSpec())
    fixture = load(client, board, populations.players(_DISTRIBUTION, ROWS))
    ranked = sorted(fixture.entries, key=lambda entry: keys.entry_key(board.order, entry))
    players = [entry.player for entry in ranked]
    asked = {"the whole board": players, f"past rank {CAP:,}": players[CAP:]}
    with _ways(client, fixture) as ways:
        _read(ways, board, players[:_WARM_UP])
        return [{"asked_of": who, **_row(ways, board, some)} for who, some in asked.items()]


def _row(ways: Sequence[Way], board: Board, players: Sequence[str]) -> dict[str, Any]:
    rng = random.Random(populations.SEED)  # noqa: S311 - a sample, not a secret
    ours, uncached, article = _read(ways, board, rng.choices(players, k=ROUNDS * SAMPLES))
    ms = [in_rounds([took.ms for took in way]) for way in (ours, uncached, article)]
    return {
        "rounds": ROUNDS,
        "ours_ms": ms[0],
        "ours_uncached_ms": ms[1],
        "article_ms": ms[2],
        "ours_to_article": {name: ms[0][name] / ms[2][name] for name in ms[0]},
        "ours_units": summary([took.read_units for took in ours]),
        "article_units": summary([took.read_units for took in article]),
    }


def in_rounds(ms: Sequence[float]) -> dict[str, float]:
    """The median, the 99th percentile of a round, and that of all: the middle round counts.

    One round's 99th percentile is its slowest read, which a busy machine makes at will.
    """
    rounds = [ms[start : start + SAMPLES] for start in range(0, len(ms), SAMPLES)]
    return {
        "median": median(ms),
        "p99": median(percentile(some, 99) for some in rounds),
        "p99_of_all": percentile(ms, 99),
    }


def _read(ways: Sequence[Way], board: Board, players: Sequence[str]) -> list[list[Took]]:
    took = [[way.read(board, player) for way in ways] for player in players]
    return [list(of_one_way) for of_one_way in zip(*took, strict=True)]


@contextmanager
def _ways(client: DynamoDBClient, fixture: Fixture) -> Iterator[list[Way]]:
    """Ours as a busy container answers, ours with every cache emptied, and the article's."""
    with read_function(client) as function:
        ours, theirs = (
            WatchedClient(boto3.client("dynamodb", config=CLIENT_CONFIG)) for _ in range(2)
        )
        connection = connect(function, cast(DynamoDBClient, ours))
        article = ArticleWay(Dynamo(cast(DynamoDBClient, theirs), Meter()), fixture.board)
        article.store_histogram(fixture)
        with _served(function.handler) as here, _served(article.handler) as there:
            yield [
                Way(here, ours, before=lambda: None),
                Way(here, ours, before=connection.forget),
                Way(there, theirs, before=lambda: None),
            ]


@contextmanager
def _served(function: Function) -> Iterator[Client]:
    front = Front({READ: function}, Verifier(KEY_ID, SECRET, REGION))
    with serving(front):
        tables = TABLES.scores, TABLES.counters, TABLES.boards, TABLES.submissions
        yield Client(Outputs(STAGE_RIG, front.url, *tables))
