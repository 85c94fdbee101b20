"""What the read function does with its time besides waiting for DynamoDB.

Ranks are read twice through the handler. The first time the engine answers, which says how
long calls to it take. Then its answers are played back: what is left is CPU of the handler alone,
and a timer looks at what it is spent on.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote

import boto3
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, LayoutSpec
from lambdas.domain.windows import ALL
from lambdas.logic.views import view_of
from lambdas.store.dynamo import CLIENT_CONFIG
from ops.bench import parts, populations, watched_client
from ops.bench.fixtures import load
from ops.bench.read_function import connect, read_function, store_board
from ops.bench.watched_client import WatchedClient
from ops.rig.events import Context, http_event

CALLS: Final = 1_000
ROUNDS: Final = 5  # of the played back ones: they are quick
LEVELS: Final = 3
_PLAYERS: Final = 20_000
_DISTRIBUTION: Final = "lognormal(8,1)"
DYNAMODB: Final = "calls to DynamoDB, boto3 included"
OUTSIDE: Final = "all else"


class Took(NamedTuple):
    """Seconds of the handler: in its client's calls, and outside them."""

    in_client: float
    outside: float


class PlayedBack:
    """A client that answers as another one did to the very same call."""

    def __init__(self, client: DynamoDBClient) -> None:
        self._client = client
        self._answers: dict[str, Any] = {}

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**parameters: Any) -> Any:
            asked = f"{operation} {parameters}"
            if asked not in self._answers:
                self._answers[asked] = getattr(self._client, operation)(**parameters)
            return self._answers[asked]

        return call


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for the calls to DynamoDB, one for all else, and one for each part of that."""
    config = populations.config_of(_DISTRIBUTION)
    board = store_board(client, "profile", config, LayoutSpec(levels=LEVELS))
    fixture = load(client, board, populations.players(_DISTRIBUTION, _PLAYERS))
    rng = random.Random(populations.SEED)  # noqa: S311 - a sample, not a secret
    players = [entry.player for entry in rng.choices(fixture.entries, k=CALLS)]
    with read_function(client) as function:
        engine = boto3.client("dynamodb", config=CLIENT_CONFIG)
        in_client = _Reader(function, engine, time.perf_counter).read(board, players).in_client
        seconds, seen = _played_back(function, engine, board, players)
    return [
        _row(DYNAMODB, in_client * 1000 / CALLS, None),
        *rows_of(seconds * 1000 / CALLS / ROUNDS, seen),
    ]


def rows_of(ms: float, seen: Counter[str]) -> list[dict[str, Any]]:
    """The time outside of DynamoDB, then its parts, the largest first."""
    looks = seen.total()
    parts_of_it = [_row(part, ms * n / looks, n / looks) for part, n in seen.most_common()]
    return [_row(OUTSIDE, ms, 1.0), *parts_of_it]


def _row(part: str, ms: float, share: float | None) -> dict[str, Any]:
    return {"part": part, "ms_a_call": ms, "share_of_all_else": share}


class _Reader:
    """Reads ranks through the handler, each as a container would that holds the root alone."""

    def __init__(
        self, function: ModuleType, client: DynamoDBClient, clock: Callable[[], float]
    ) -> None:
        self._function = function
        self._clock = clock
        self._watched = WatchedClient(client, clock)
        kept: DynamoDBClient = cast(DynamoDBClient, self._watched)
        self._connection = connect(function, kept, clock=lambda: 0.0)

    def read(self, board: Board, players: Sequence[str]) -> Took:
        """Reads every player's rank."""
        whole = in_client = 0.0
        for player in players:
            self._warm_root_alone(board)
            self._watched.forget()
            whole += self._rank(board, player)
            in_client += self._watched.seconds
        return Took(in_client, whole - in_client)

    def _warm_root_alone(self, board: Board) -> None:
        self._connection.forget()
        tables = self._connection.tables()
        tables.board(board.id)
        view_of(tables, board, ALL).nodes.read("")

    def _rank(self, board: Board, player: str) -> float:
        path = f"/api/leaderboards/{board.id}/players/{quote(player)}/rank"
        event, context = http_event("GET", path), Context()
        started = self._clock()
        self._function.handler(event, context)
        return self._clock() - started


def _played_back(
    function: ModuleType, engine: DynamoDBClient, board: Board, players: Sequence[str]
) -> tuple[float, Counter[str]]:
    """Seconds of CPU outside the client, and how often each part was seen."""
    reader = _Reader(function, cast(DynamoDBClient, PlayedBack(engine)), time.thread_time)
    reader.read(board, players)  # what is played back from now on
    looker = parts.Looker(within=str(function.__file__), without=watched_client.__file__)
    with looker.looking():
        took = [reader.read(board, players) for _ in range(ROUNDS)]
    return sum(one.outside for one in took), looker.seen
