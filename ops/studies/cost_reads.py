"""Read units of a rank, by the real read on boards laid down for it; and of a plain count."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.counting import NodeKey
from lambdas.domain.windows import ALL
from lambdas.logic.rank import rank_of_player
from lambdas.logic.tables import Tables
from lambdas.store import keys
from lambdas.store.counters import Counters
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.rank_index import RankIndex
from ops.bench.article_way import ArticleWay
from ops.bench.fixtures import TABLES, Fixture, make_board, stream_shards, write_players
from ops.bench.measured import percentile
from ops.bench.sampling import Answer, Question, Reading, sample
from ops.studies.cost_boards import Crowd, lay_nodes, marks_by_shard, nodes_of
from ops.studies.study import Step

WHOLE: Final = "whole board"
FIRST: Final = "first 2,000"


# Stream shards and counter shards, fewer of the latter first: items of more replace theirs.
SHARDS: Final = ((4, 1), (4, 4), (64, 4), (4, 16), (4, 32), (64, 32))
_BASE: Final = (4, 4)
_LEVELS: Final = (1, 2, 3, 4)
_SHARDED_LEVELS: Final = (2, 3)
_TOP: Final = 2_001  # beyond what any rank counts from the top
_COUNTED: Final = (1_000, 2_000, 4_000, 8_000)


class Asked(NamedTuple):
    """A board laid down for a sample of its players.

    Attributes:
        places: by player, how many are ahead.
    """

    board: Board
    crowd: Crowd
    places: dict[str, int]

    @property
    def halved(self) -> "Asked":
        """Every other one of the sample."""
        return self._replace(places=dict(list(self.places.items())[::2]))

    @property
    def fixture(self) -> Fixture:
        """The sample, as the benchmarks ask about it."""
        return Fixture(self.board, tuple(self.crowd.entry(at) for at in self.places.values()))


def run(
    client: DynamoDBClient, crowds: Sequence[Crowd], samples: int, seed: int, step: Step
) -> dict[str, Any]:
    """Every figure about reads.

    Args:
        crowds: the large board with many players a score, the one with few, and smaller ones.
        samples: ranks behind a figure.
    """
    reads: list[dict[str, Any]] = []
    ways: dict[str, Any] = {}
    for number, crowd in enumerate(crowds):
        step(f"ranks, {crowd.name}, {crowd.players:,}")
        is_main = number == 1
        top = _COUNTED[-1] + 1 if is_main else _TOP
        # The board's id lies twice in an index entry: one of 8 bytes makes entries of 153.
        asked = lay(client, f"cost-rd{number}", crowd, samples, seed, top)
        for shards in SHARDS if is_main else (_BASE,):
            reads += _at(client, asked, shards)
        if is_main:
            ways["capped"] = [{"asked": who} | capped(client, one) for who, one in asked.items()]
            counted = [min(ahead, crowd.players - 1) for ahead in _COUNTED]
            ways["uncapped"] = [uncapped(client, asked[WHOLE], ahead) for ahead in counted]
    return {"reads": reads, **ways}


def _at(
    client: DynamoDBClient, asked: Mapping[str, Asked], shards: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    levels = _LEVELS if shards == _BASE else _SHARDED_LEVELS
    for who, one in asked.items():
        if shards != _BASE:
            if who != WHOLE:
                continue
            one = one.halved  # wide items take long to lay
        laid = lay_counters(client, one, shards, max(levels))
        for depth in levels:
            yield {
                "distribution": one.crowd.name,
                "players": one.crowd.players,
                "asked": who,
                "stream_shards": shards[0],
                "counter_shards": shards[1],
            } | ranks(client, laid, depth)


def lay(
    client: DynamoDBClient, name: str, crowd: Crowd, samples: int, seed: int, top: int
) -> dict[str, Asked]:
    """Lays a board down for ranks of so many players of the whole board, and of its first 2,000.

    They are spread evenly, one at random in each stretch of places.

    Args:
        top: how many of the first entries the index holds beside the players' own cells.
    """
    board = make_board(name, levels=max(_LEVELS))
    rng = Random(f"{seed}/{name}")  # noqa: S311 - a sample, not a secret
    first = min(crowd.players, board.config.exact_limit)
    drawn = {
        WHOLE: [int((i + rng.random()) * crowd.players / samples) for i in range(samples)],
        FIRST: [int((i + rng.random()) * first / samples) for i in range(samples)],
    }
    wanted = set(range(min(top, crowd.players)))
    for at in (at for places in drawn.values() for at in places):
        wanted |= {at, *_neighbours(board, crowd, at)}
    write_players(client, board, map(crowd.entry, sorted(wanted)))
    return {
        which: Asked(board, crowd, {crowd.entry(at).player: at for at in places})
        for which, places in drawn.items()
    }


def lay_counters(
    client: DynamoDBClient, asked: Asked, shards: tuple[int, int], levels: int
) -> Asked:
    """Lays down the nodes that the sample's walks read, over those of fewer counter shards."""
    streams, counter_shards = shards
    layout = replace(asked.board.written_layout, counter_shards=counter_shards)
    board = replace(asked.board, layouts=(layout,))
    cells = board.cells(layout)
    wanted = [
        (node, shard)
        for at in asked.places.values()
        for node in nodes_of(cells.path(asked.crowd.entry(at).score))[:levels]
        for shard in range(counter_shards)
    ]
    marks = marks_by_shard(stream_shards(streams), counter_shards)
    lay_nodes(client, board, asked.crowd, wanted, marks)
    return asked._replace(board=board)


def ranks(client: DynamoDBClient, asked: Asked, levels: int) -> dict[str, Any]:
    """Ranks the sample at so many levels, the root cached and nothing else.

    Raises:
        RuntimeError: an answer is wrong, so that nothing here means anything.
    """
    layout = replace(asked.board.written_layout, levels=levels)
    board = replace(asked.board, layouts=(layout,))
    fixture = replace(asked.fixture, board=board)

    players = iter(asked.places)

    def ask(tables: Tables, *_: Any) -> Answer:
        player = next(players)
        found = rank_of_player(tables, board, ALL, player, consistent=False).standing
        if not (found.first or 0) <= asked.places[player] + 1 <= (found.last or 0):
            raise RuntimeError(f"{player} has {asked.places[player]} ahead, not {found}")
        return Answer("rank", found.kind == "exact")

    return {"levels": levels} | _summary(
        sample(client, fixture, Question(ask, len(asked.places))), _root_units(client, board)
    )


def _summary(found: Sequence[Reading], root_units: float) -> dict[str, Any]:
    units = [one.units_with_empty_queries for one in found]
    return {
        "samples": len(found),
        "mean_units": fmean(units),
        "p99_units": percentile(units, 99),
        "most_units": max(units),
        "root_units": root_units,
        "exact_percent": 100 * fmean(one.is_exact for one in found),
    }


def _root_units(client: DynamoDBClient, board: Board) -> float:
    meter = Meter()
    root = NodeKey(board.id, ALL, board.written_layout.number, "")
    Counters(Dynamo(client, meter), TABLES.counters).read(root)
    return meter.read_units


def _neighbours(board: Board, crowd: Crowd, at: int) -> Iterator[int]:
    """Everyone in the widest cell around a place that a read would count out."""
    cells = board.cells(board.written_layout)
    path = cells.path(crowd.entry(at).score)
    for end in range(CODE_LENGTH, len(path) + 1, CODE_LENGTH):
        places = crowd.places(cells.bounds(path[:end]))
        if len(places) <= board.config.count_limit:
            return iter(places)
    return iter(())


def capped(client: DynamoDBClient, asked: Asked) -> dict[str, Any]:
    """Ranks the sample the histogram article's way: a count that is abandoned at 2,000."""
    meter = Meter()
    way = ArticleWay(Dynamo(client, meter), asked.board)
    way.store_buckets(asked.crowd.children(asked.board, ""))
    before = meter.read_units
    kinds = [way.rank(player)["kind"] for player in asked.places]
    return {
        "samples": len(kinds),
        "mean_units": (meter.read_units - before) / len(kinds),
        "exact_percent": 100 * kinds.count("exact") / len(kinds),
    }


def uncapped(client: DynamoDBClient, asked: Asked, ahead: int) -> dict[str, Any]:
    """Counts all who are ahead of a place in the index, however many pages it takes."""
    meter = Meter()
    board = asked.board
    index = RankIndex(Dynamo(client, meter), TABLES.scores, board, ALL, board.written_layout)
    found = index.count_all("0", keys.entry_key(board.order, asked.crowd.entry(ahead)))
    if found != ahead:
        raise RuntimeError(f"{found} counted, not {ahead}")
    return {"ahead": ahead, "requests": meter.requests, "read_units": meter.read_units}
