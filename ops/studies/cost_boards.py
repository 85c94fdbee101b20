"""Boards of any size on DynamoDB Local, laid down only where a question looks.

Who stands where follows from the population. So forty million players need no forty million items:
the entries and counter items that the real code will read or write are put in place as a whole
board would hold them, and it cannot tell the difference.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.cells import CODE_LENGTH, Span
from lambdas.domain.counting import NodeKey
from lambdas.domain.entries import Entry
from lambdas.domain.hashing import shard_of
from lambdas.domain.windows import ALL
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.counters import AS_OF
from lambdas.store.dynamo import number, string
from ops.bench.fixtures import TABLES, generations, marks_for, write_all
from ops.studies.populations import Population

STARTED_MS: Final = 1_764_460_800_000
_SPREADS: Final = 0x9E3779B97F4A7C15F39CC0605CEDC835  # odd, so that no two ids are the same

Marks = Mapping[int, Mapping[str, Any]]
"""The marks in a counter item, as attributes, by counter shard."""


class Crowd:
    """Who stands where on a board that ranks descending; players are made when asked for."""

    def __init__(self, population: Population) -> None:
        self.name = population.name
        self._scores = population.scores
        self._below = np.concatenate(([0], np.cumsum(population.holders)))

    @property
    def players(self) -> int:
        """How many there are."""
        return int(self._below[-1])

    def entry(self, at: int) -> Entry:
        """The player with so many ahead."""
        score = int(np.searchsorted(self._below, self.players - 1 - at, side="right")) - 1
        ahead = self.players - int(self._below[score + 1])
        player = str(uuid.UUID(int=(at + 1) * _SPREADS % 2**128))
        return Entry(player, int(self._scores[score]), STARTED_MS + at - ahead)

    def places(self, span: Span) -> range:
        """Those who hold these scores, each by how many are ahead."""
        low, high = np.searchsorted(self._scores, [span.low, span.high + 1])
        return range(self.players - int(self._below[high]), self.players - int(self._below[low]))

    def children(self, board: Board, path: str) -> dict[str, int]:
        """How many players each child of a cell holds, those without any left out."""
        codes, spans = zip(*board.cells(board.written_layout).children(path), strict=True)
        lows = np.searchsorted(self._scores, [span.low for span in spans])
        highs = np.searchsorted(self._scores, [span.high + 1 for span in spans])
        counts = self._below[highs] - self._below[lows]
        return {code: int(n) for code, n in zip(codes, counts, strict=True) if n}


def marks_by_shard(stream_shards: Iterable[str], counter_shards: int) -> Marks:
    """The marks of 30 hours, of stream shards and those before them, where a hash puts them."""
    held: dict[int, list[str]] = defaultdict(list)
    for name in (name for shard in stream_shards for name in generations(shard)):
        held[shard_of(name, counter_shards)].append(name)
    return {shard: marks_for(names) for shard, names in held.items()}


def nodes_of(path: str) -> list[str]:
    """The nodes on a cell path, the root first."""
    return [path[:end] for end in range(0, len(path), CODE_LENGTH)]


def lay_nodes(
    client: DynamoDBClient,
    board: Board,
    crowd: Crowd,
    wanted: Iterable[tuple[str, int]],
    marks: Marks,
) -> None:
    """Writes counter items, each a node's path and a counter shard, as the crowd fills them."""
    write_all(client, TABLES.counters, _counter_items(board, crowd, wanted, marks))


def _counter_items(
    board: Board, crowd: Crowd, wanted: Iterable[tuple[str, int]], marks: Marks
) -> Iterator[dict[str, Any]]:
    layout, children = board.written_layout, dict[str, dict[str, int]]()
    for path, shard in sorted(set(wanted)):
        if path not in children:
            children[path] = crowd.children(board, path)
        counts = {
            # Evenly, what is left over going to another shard for each child.
            code: (players + (shard + i) % layout.counter_shards) // layout.counter_shards
            for i, (code, players) in enumerate(children[path].items())
        }
        yield {
            PK: string(keys.counter_pk(NodeKey(board.id, ALL, layout.number, path))),
            SK: string(keys.counter_sk(shard)),
            AS_OF: number(STARTED_MS),
            **{code: number(players) for code, players in counts.items() if players},
            **marks.get(shard, {}),
        }
