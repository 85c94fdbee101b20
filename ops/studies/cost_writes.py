"""Write units of counting, by the real counting code on boards laid down for it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from random import Random
from typing import Any, Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.counting import Change, Place, group_by_node
from lambdas.domain.hashing import shard_of
from lambdas.domain.windows import ALL
from lambdas.store.counters import Counters
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.bench.counter_units import count_batch, cut
from ops.bench.fixtures import FIRST_SEQUENCE, TABLES, make_board, stream_shards
from ops.studies.cost_boards import STARTED_MS, Crowd, lay_nodes, marks_by_shard
from ops.studies.cost_marks import marked_items
from ops.studies.cost_traffic import BETTER, NEW, NEW_WIDE, SHAPES, Move, Played, play
from ops.studies.study import Step

RATES: Final = (1, 10, 100, 1_000)  # submits a second
BASE_RATE: Final = 100
MOST_SUBMITS: Final = 1_000
SHARDS: Final = ((4, 32), (16, 4), (16, 16), (64, 4), (64, 32))  # stream shards, counter shards
STEPS: Final = len(SHAPES) + len(SHARDS) + 1
# Submits behind each figure, enough for two seconds of batches or so; None: counted one by one.
_SUBMITS: Final = {None: 40, 1: 60, 10: 100, 100: 200, 1_000: MOST_SUBMITS}
_BOARD_OF_SUBMITS: Final = "cost-sub"  # eight characters: index entries of 153 bytes

Batches = list[tuple[str, list[Change]]]


class Setting(NamedTuple):
    """What a board is like and how fast it is written.

    Attributes:
        rates: submits a second; None makes each submit a batch of its own.
        has_marks: whether its counter items hold the marks of 30 hours.
    """

    levels: int
    rates: Sequence[int | None]
    stream_shards: int = 4
    counter_shards: int = 4
    has_marks: bool = True


_SETTINGS: Final = {
    NEW: [Setting(levels, RATES) for levels in (1, 2, 3)],
    NEW_WIDE: [Setting(levels, RATES[:3]) for levels in (1, 2, 3, 4)],
}
_OTHER_SETTINGS: Final = [Setting(levels, (BASE_RATE,)) for levels in (1, 2, 3)]


def run(
    client: DynamoDBClient, crowded: Crowd, spread: Crowd, most: int, seed: int, step: Step
) -> dict[str, Any]:
    """Every figure about writes.

    Args:
        crowded: the large board, with many players a score.
        spread: another one, with few.
        most: the most submits behind a figure.
    """
    traffic = _Traffic(client, most, seed)
    writes = []
    for shape in SHAPES:
        step(f"submits, {shape}")
        crowd = spread if shape == NEW_WIDE else crowded
        for setting in _SETTINGS.get(shape, _OTHER_SETTINGS):
            writes += [{"shape": shape} | row for row in traffic.counted(shape, crowd, setting)]
    for shards in SHARDS:
        step(f"submits, {shards[0]} stream shards, {shards[1]} counter shards")
        for levels in (2, 3):
            setting = Setting(levels, (BASE_RATE,), *shards)
            writes += [{"shape": NEW} | row for row in traffic.counted(NEW, crowded, setting)]
    step("submits, each counted by itself")
    tree = [
        {"shape": shape} | row
        for shape in (NEW, BETTER)
        for levels in (1, 2, 3)
        for row in traffic.counted(shape, crowded, Setting(levels, (None,), has_marks=False))
    ]
    return {"writes": writes, "tree": tree, "marks": list(marked_items(client))}


class _Traffic:
    """Plays each shape once and counts it on many boards."""

    def __init__(self, client: DynamoDBClient, most: int, seed: int) -> None:
        self._client, self._most, self._seed = client, most, seed
        self._played: dict[str, Played] = {}
        self._boards = count()

    def counted(self, shape: str, crowd: Crowd, setting: Setting) -> Iterator[dict[str, Any]]:
        if shape not in self._played:
            self._played[shape] = self._play(shape, crowd)
        played, name = self._played[shape], f"cost-{next(self._boards):03d}"
        return _counted(self._client, name, crowd, setting, played, self._submits, self._seed)

    def _play(self, shape: str, crowd: Crowd) -> Played:
        rng = Random(f"{self._seed}/{shape}")  # noqa: S311 - a sample, not a secret
        rates = [rate for one in _SETTINGS.get(shape, _OTHER_SETTINGS) for rate in one.rates]
        submits = SHAPES[shape](crowd, rng, max(map(self._submits, rates)))
        return play(self._client, make_board(_BOARD_OF_SUBMITS), list(submits))

    def _submits(self, rate: int | None) -> int:
        return min(_SUBMITS[rate], self._most)


def _counted(
    client: DynamoDBClient,
    name: str,
    crowd: Crowd,
    setting: Setting,
    played: Played,
    submits: Callable[[int | None], int],
    seed: int,
) -> Iterator[dict[str, Any]]:
    """Counts submits at each of the rates; a row of units a submit for each.

    Args:
        name: of the board, which nobody else has.
        submits: how many of those that were played are counted at a rate.
    """
    board = make_board(name, levels=setting.levels, counter_shards=setting.counter_shards)
    streams, sequences = stream_shards(setting.stream_shards), count(FIRST_SEQUENCE)
    cut_at = {
        rate: _cut(board, played.moves[: submits(rate)], rate, streams, sequences, seed)
        for rate in setting.rates
    }
    marks = marks_by_shard(streams, setting.counter_shards) if setting.has_marks else {}
    lay_nodes(client, board, crowd, _touched(board, chain(*cut_at.values())), marks)
    for rate, batches in cut_at.items():
        meter = Meter()
        counters = Counters(Dynamo(client, meter), TABLES.counters)
        updates = sum(count_batch(counters, board, *batch) for batch in batches)
        sent = len(played.moves[: submits(rate)])
        yield {
            "levels": setting.levels,
            "stream_shards": setting.stream_shards,
            "counter_shards": setting.counter_shards,
            "rate": rate,
            "submits": sent,
            "node_updates_a_submit": updates / sent,
            "units_a_node_update": meter.write_units / updates if updates else None,
            "counter_units_a_submit": meter.write_units / sent,
            "item_units_a_submit": played.item_units,
            "index_units_a_submit": played.index_units,
            "units_a_submit": meter.write_units / sent + played.item_units + played.index_units,
        }


def _cut(
    board: Board,
    moves: Sequence[Move | None],
    rate: int | None,
    streams: Sequence[str],
    sequences: Iterator[int],
    seed: int,
) -> Batches:
    placed = [_placed(board, move) if move else None for move in moves]
    rng = Random(f"{seed}/{board.id}/{rate}")  # noqa: S311 - a sample, not a secret
    if rate is not None:
        return list(cut(placed, rate, streams, rng, sequences))
    alone = (Change(next(sequences), STARTED_MS, *move) for move in placed if move)
    return [(rng.choice(streams), [change]) for change in alone]


def _placed(board: Board, move: Move) -> tuple[Place | None, Place | None]:
    def at(score: int | None) -> Place | None:
        if score is None:
            return None
        layout = board.written_layout
        return Place(board.id, ALL, layout.number, board.cells(layout).path(score))

    return at(move.before), at(move.after)


def _touched(
    board: Board, batches: Iterable[tuple[str, list[Change]]]
) -> Iterator[tuple[str, int]]:
    shards = board.written_layout.counter_shards
    for stream_shard, batch in batches:
        for node in group_by_node(batch):
            yield node.path, shard_of(stream_shard, shards)
