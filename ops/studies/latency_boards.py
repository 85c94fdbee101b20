"""The boards whose reads are timed, loaded in bulk side by side in the same tables."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, LayoutSpec
from lambdas.domain.entries import Entry
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.bench import populations
from ops.bench.article_way import ArticleWay
from ops.bench.fixtures import TABLES, Fixture, counter_items, write_all, write_players
from ops.bench.read_function import store_board
from ops.studies.study import Step

DISTRIBUTION: Final = "lognormal(8,1)"
CHUNK: Final = 25_000  # entries written between two steps
KEPT: Final = 2_501  # the whole of the histogram article's fixture


class Loaded(NamedTuple):
    """A board to read from.

    Attributes:
        players: how many it has.
        kept: up to `KEPT` of them, best first, evenly spread over the ranks.
    """

    board: Board
    players: int
    kept: Sequence[Entry]

    def at(self, share: float) -> Entry:
        """Who stands a share of the way down the board, 0 up to 1."""
        return self.kept[int(share * len(self.kept))]


def steps_of(players: int) -> int:
    """How many steps loading a board takes."""
    return -(-players // CHUNK)


def fixture_of(client: DynamoDBClient, players: int, seed: int) -> Fixture:
    """A default board that the read function finds, and its players, not yet written."""
    config = populations.config_of(DISTRIBUTION)
    board = store_board(client, f"n{players:07d}", config, LayoutSpec())
    return Fixture(board, tuple(populations.players(DISTRIBUTION, players, seed)))


def write(client: DynamoDBClient, fixture: Fixture, step: Step) -> Loaded:
    """Writes a board's items, its counters and the article's; a million take some minutes."""
    board, entries = fixture.board, fixture.entries
    for start in range(0, len(entries), CHUNK):
        step(f"loading {len(entries):,} players")
        write_players(client, board, entries[start : start + CHUNK])
    write_all(client, TABLES.counters, counter_items(board, entries))
    ArticleWay(Dynamo(client, Meter()), board).store_histogram(fixture)
    ranked = sorted(entries, key=lambda entry: keys.entry_key(board.order, entry))
    spread = min(KEPT, len(ranked))
    return Loaded(board, len(ranked), [ranked[i * len(ranked) // spread] for i in range(spread)])
