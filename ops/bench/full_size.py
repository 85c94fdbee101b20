"""Every player of the demo's boards at full size: each exact rank equals the sort, each range
contains it, at levels 1 to 3.

The boards are loaded in bulk and quiet, so nodes are read once and kept; every player is ranked
through the code that the read function runs.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import BoardConfig
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry
from lambdas.domain.errors import PlayerIdError
from lambdas.domain.players import check_player_id
from lambdas.domain.windows import ALL
from lambdas.logic.rank import rank_of_player
from lambdas.logic.tables import Connection
from ops.bench.fixtures import Fixture, load, make_board
from ops.bench.measured import summary
from ops.bench.sampling import connect
from ops.demo_data import DemoBoard, film_board, race_board

LEVELS: Final = (1, 2, 3)
_ALL_FILMS: Final = 100_000  # more than there are
_THREADS: Final = 4


@dataclass(frozen=True)
class Judged:
    """One player's answer held against the sort."""

    kind: str
    is_right: bool
    width: int


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for each board and number of levels."""
    boards = (race_board(), film_board(_ALL_FILMS))
    return [_row(client, demo, levels) for demo in boards for levels in LEVELS]


def _row(client: DynamoDBClient, demo: DemoBoard, levels: int) -> dict[str, Any]:
    entries = [
        Entry(line.player_id, line.score, line.achieved_at)
        for line in demo.in_order(demo.lines)
        if _keeps_the_rule(line.player_id)
    ]
    low, high = demo.config["score_range"]
    config = BoardConfig(order=demo.config["order"], score_range=Span(low, high))
    board = make_board(f"full-{demo.board}-{levels}", config, levels=levels)
    judged = _judge(connect(client), load(client, board, entries), entries)
    kinds = Counter(one.kind for one in judged)
    return {
        "board": demo.board,
        "levels": levels,
        "players": len(entries),
        "refused_by_rule": len(demo.lines) - len(entries),
        "right": sum(one.is_right for one in judged),
        "exact": kinds["exact"],
        "estimated": kinds["estimated"],
        "width": summary([one.width / len(entries) for one in judged]),
    }


def _judge(connection: Connection, fixture: Fixture, ranked: Sequence[Entry]) -> list[Judged]:
    def judge(place_and_entry: tuple[int, Entry]) -> Judged:
        place, entry = place_and_entry
        answer = rank_of_player(
            connection.tables(), fixture.board, ALL, entry.player, consistent=False
        ).standing
        first, last = answer.first or 0, answer.last or 0
        is_right = first <= place <= last and (answer.kind != "exact" or first == last)
        return Judged(answer.kind, is_right, last - first + 1)

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(judge, enumerate(ranked, start=1)))


def _keeps_the_rule(player: str) -> bool:
    try:
        check_player_id(player)
    except PlayerIdError:
        return False
    return True
