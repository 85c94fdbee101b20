"""Boards of any size, loaded in bulk: tables without a stream, counters made from the same data.

A stream would slow the engine to some 500 writes a second. What the stream would have counted is
written by the domain's own code instead: each player as if counted through one of the stream
shards, with the marks that 30 hours of stream shards of 4 hours leave in an item.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain import marks
from lambdas.domain.boards import Board, BoardConfig, Layout
from lambdas.domain.cells import CODE_LENGTH, Cells
from lambdas.domain.counting import NodeKey
from lambdas.domain.entries import Entry, place
from lambdas.domain.hashing import shard_of
from lambdas.domain.marks import Mark
from lambdas.domain.windows import ALL
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.counters import AS_OF
from lambdas.store.dynamo import binary, number, string
from lambdas.store.score_items import item_of
from ops.rig.tables import TableNames, definitions

TABLES: Final = TableNames(
    scores="BenchScores",
    counters="BenchCounters",
    boards="BenchBoards",
    submissions="BenchSubmissions",
)
# A stream shard lives some 4 h and a mark 30 h: a stream shard's place holds this many marks.
MARKS_A_PLACE: Final = 8
_BATCH: Final = 25  # the most that BatchWriteItem takes
_BATCHES_AT_ONCE: Final = 1_000
_WRITERS: Final = 8
# 28 digits, as many as DynamoDB's own examples have.
FIRST_SEQUENCE: Final = 10**27
_HOUR: Final = 490_000  # any hour will do: marks compare with one another


@dataclass(frozen=True)
class Fixture:
    """A loaded board.

    Attributes:
        entries: its players, in the order they were loaded.
    """

    board: Board
    entries: tuple[Entry, ...]

    def sharing_a_cell(self, rank: int) -> int:
        """How many players lie in the innermost cell that holds a rank."""
        score = self._best_first[rank - 1]
        return self._by_cell[self._cells.path(score)]

    @cached_property
    def _best_first(self) -> list[int]:
        return sorted((entry.score for entry in self.entries), key=self.board.order.key)

    @cached_property
    def _by_cell(self) -> Counter[str]:
        return Counter(self._cells.path(score) for score in self._best_first)

    @property
    def _cells(self) -> Cells:
        return self.board.cells(self.board.written_layout)


def create_tables(client: DynamoDBClient) -> None:
    """Makes the tables of the benchmarks, without a stream."""
    for definition in definitions(TABLES):
        plain: Any = {k: v for k, v in definition.items() if k != "StreamSpecification"}
        client.create_table(**plain)


def make_board(board: str, config: BoardConfig | None = None, **layout: Any) -> Board:
    """A board of one layout, without storing it."""
    return Board(board, config or BoardConfig(), 1, (Layout(number=1, **layout),))


def stream_shards(count: int) -> list[str]:
    """Stream shards, each hashed to a counter shard of its own when there are as many."""
    found: dict[int, str] = {}
    candidate = 0
    while len(found) < count:
        name = f"shardId-{candidate:032d}"
        found.setdefault(shard_of(name, count), name)
        candidate += 1
    return [found[shard] for shard in range(count)]


def load(client: DynamoDBClient, board: Board, entries: Iterable[Entry]) -> Fixture:
    """Writes score items and the counters that follow from them."""
    kept = tuple(entries)
    write_players(client, board, kept)
    write_all(client, TABLES.counters, counter_items(board, kept))
    return Fixture(board, kept)


def write_players(client: DynamoDBClient, board: Board, entries: Iterable[Entry]) -> None:
    """Writes score items, and with them their index entries."""
    layout = board.written_layout
    items = (item_of(board, ALL, place(board, layout, entry)) for entry in entries)
    write_all(client, TABLES.scores, items)


def counter_items(board: Board, entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """The counter items of a board that holds just these players."""
    layout = board.written_layout
    cells = board.cells(layout)
    shards = stream_shards(layout.counter_shards)
    counts: dict[tuple[NodeKey, int], Counter[str]] = defaultdict(Counter)
    for entry in entries:
        shard, path = shard_of(entry.player, layout.counter_shards), cells.path(entry.score)
        for end in range(0, len(path), CODE_LENGTH):
            node = NodeKey(board.id, ALL, layout.number, path[:end])
            counts[node, shard][path[end : end + CODE_LENGTH]] += 1
    for (node, shard), children in counts.items():
        yield {
            PK: string(keys.counter_pk(node)),
            SK: string(keys.counter_sk(shard)),
            AS_OF: number(entries[-1].achieved_at),
            **{code: number(count) for code, count in children.items()},
            **marks_of(shards[shard]),
        }


def write_all(client: DynamoDBClient, table: str, items: Iterable[dict[str, Any]]) -> None:
    """Writes items in bulk."""
    iterator = iter(items)
    batches = iter(lambda: list(islice(iterator, _BATCH)), [])
    with ThreadPoolExecutor(_WRITERS) as pool:
        # A pool takes all it is given at once, and a million items would fill the memory.
        while some := list(islice(batches, _BATCHES_AT_ONCE)):
            list(pool.map(lambda batch: _write(client, table, batch), some))


def _write(client: DynamoDBClient, table: str, items: list[dict[str, Any]]) -> None:
    requests: Any = {table: [{"PutRequest": {"Item": item}} for item in items]}
    while requests:
        requests = client.batch_write_item(RequestItems=requests)["UnprocessedItems"]


def marks_of(stream_shard: str) -> dict[str, Any]:
    """The marks of the stream shards that held this place before, and of the one that does."""
    return marks_for(generations(stream_shard))


def generations(stream_shard: str) -> list[str]:
    """The stream shards of 30 hours that held one's place, itself among them."""
    return [stream_shard, *(f"{stream_shard}/{i}" for i in range(1, MARKS_A_PLACE))]


def marks_for(stream_shards: Iterable[str]) -> dict[str, Any]:
    """A mark of each of these stream shards, as an item holds them."""
    mark = binary(marks.pack_mark(Mark(FIRST_SEQUENCE - 1, _HOUR)))
    return {marks.mark_name(name): mark for name in stream_shards}
