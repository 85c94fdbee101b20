"""Timing one read: how long the handler took, and how much of that was in DynamoDB's client."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import boto3
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.windows import ALL
from lambdas.logic.tables import Connection
from lambdas.logic.views import view_of
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.meter import Meter
from lambdas.store.scores import Scores
from ops.bench.article_way import ArticleWay
from ops.bench.fixtures import TABLES
from ops.bench.read_function import connect, read_function
from ops.bench.watched_client import WatchedClient
from ops.rig.events import Context
from ops.studies.latency_boards import Loaded

Clock = Callable[[], float]
Handler = Callable[[dict[str, Any], Context], dict[str, Any]]

ROOT_CACHED: Final = "root cached"
NOTHING_CACHED: Final = "nothing cached"
ARTICLE: Final = "the article's way"


class ReadFailedError(Exception):
    """A read did not answer with 200, so its time is that of nothing."""


class Took(NamedTuple):
    """One read, by the study's clock.

    Attributes:
        whole: from the event to the answer.
        in_client: what of it was spent in calls to DynamoDB, boto3 included.
        is_exact: whether the rank is; None for an answer of another kind.
    """

    whole: float
    in_client: float
    requests: int
    is_exact: bool | None

    @property
    def in_handler(self) -> float:
        """What was spent outside of those calls."""
        return self.whole - self.in_client


@dataclass(frozen=True)
class Timer:
    """Asks the read function and the article's way, and times them; for one thread.

    Attributes:
        clock: any unit will do, for only ratios leave this study.
        handlers: by what is cached before a read, or the article's way.
    """

    clock: Clock
    watched: WatchedClient
    connection: Connection
    handlers: Mapping[str, Handler]

    def ask(self, way: str, loaded: Loaded, event: dict[str, Any]) -> Took:
        """Makes one read.

        Raises:
            ReadFailedError: it was not answered with 200.
        """
        self._prepare(way, loaded)
        handler, context = self.handlers[way], Context()
        self.watched.forget()
        started = self.clock()
        answer = handler(event, context)
        whole = self.clock() - started
        if answer["statusCode"] != 200:
            raise ReadFailedError(f"{event['rawPath']}: {answer['body']}")
        kind = json.loads(answer["body"]).get("kind")
        is_exact = None if kind is None else kind == "exact"
        return Took(whole, self.watched.seconds, self.watched.meter.requests, is_exact)

    def get_item(self, loaded: Loaded, share: float) -> float:
        """How long it takes to get one player's score item, without any handler."""
        player = loaded.at(share).player
        scores = Scores(Dynamo(cast(DynamoDBClient, self.watched), Meter()), TABLES.scores)
        self.watched.forget()
        scores.get(loaded.board, ALL, player, now_ms=0, consistent=False)
        return self.watched.seconds

    def _prepare(self, way: str, loaded: Loaded) -> None:
        self.connection.forget()
        if way == ROOT_CACHED:
            tables = self.connection.tables()
            view_of(tables, tables.board(loaded.board.id), ALL).nodes.read("")


@contextmanager
def timing(client: DynamoDBClient, boards: Sequence[Loaded], clock: Clock) -> Iterator[Timer]:
    """A timer over an engine that holds these boards and their histograms."""
    with read_function(client) as function:
        watched = WatchedClient(boto3.client("dynamodb", config=CLIENT_CONFIG), clock)
        kept = cast(DynamoDBClient, watched)
        connection = connect(function, kept, clock=lambda: 0.0)  # what it caches never lapses
        article = _by_board(kept, boards)
        handlers = {ROOT_CACHED: function.handler, NOTHING_CACHED: function.handler}
        yield Timer(clock, watched, connection, handlers | {ARTICLE: article})


def _by_board(client: DynamoDBClient, boards: Sequence[Loaded]) -> Handler:
    ways = {one.board.id: ArticleWay(Dynamo(client, Meter()), one.board) for one in boards}

    def handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
        return ways[event["rawPath"].split("/")[3]].handler(event, context)

    return handler
