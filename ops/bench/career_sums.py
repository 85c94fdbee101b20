"""Careers from seasons: every line of the baseball data added up, and what a sum submit consumes.

The lines come in a shuffled order, every tenth one twice under its id, to boards of one to four
windows; submissions run side by side and meet one another as they may. Of a transaction the engine
reports four times the units of one item a table, however many it writes there: so the units are
those of the very same writes made one by one.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import mean
from typing import Any, Final, cast

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, BoardConfig
from lambdas.domain.cells import Span
from lambdas.domain.schedules import Schedule
from lambdas.domain.submissions import Submission
from lambdas.domain.windows import ALL_TIME, WindowKind
from lambdas.logic.submit import submit
from lambdas.logic.tables import Connection
from lambdas.logic.views import view_of
from lambdas.store.meter import Meter
from lambdas.store.player_items import PlayerItems
from ops.bench.fixtures import TABLES, make_board
from ops.bench.populations import SEED
from ops.bench.sampling import connect
from ops.demo_data import SeasonLine, careers, in_some_order, season_lines

WINDOWS: Final[tuple[WindowKind, ...]] = ("all", "daily", "weekly", "monthly")
AWS_FACTOR: Final = 2  # units of a write in a transaction to those of the write alone
_THREADS: Final = 4


class OneByOne:
    """A client that makes the writes of a transaction one after the other."""

    def __init__(self, client: DynamoDBClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def transact_write_items(self, *, TransactItems: Any, **parameters: Any) -> Any:  # noqa: N803
        """Makes each write, as it stands in the transaction."""
        calls: dict[str, Any] = {"Put": self._client.put_item, "Update": self._client.update_item}
        writes = [one for item in TransactItems for one in item.items()]
        answers = [calls[kind](**write, **parameters) for kind, write in writes]
        return {"ConsumedCapacity": [answer["ConsumedCapacity"] for answer in answers]}


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """A row for each number of windows: all lines with one, and a tenth of them with more."""
    lines = season_lines()
    return [
        _row(client, WINDOWS[:count], lines if count == 1 else lines[::10])
        for count in range(1, len(WINDOWS) + 1)
    ]


def _row(
    client: DynamoDBClient, windows: tuple[WindowKind, ...], lines: Sequence[SeasonLine]
) -> dict[str, Any]:
    board, connection = _board("careers", windows), connect(client)
    sent = in_some_order(lines, SEED)
    with ThreadPoolExecutor(_THREADS) as pool:
        calls = list(pool.map(lambda line: _submit(connection, board, line), sent))
    added = [meter for is_repeat, meter in calls if not is_repeat]
    right = careers(lines)
    return {
        "windows": len(windows),
        "lines": len(lines),
        "repeats": len(calls) - len(added),
        "players": len(right),
        "right": _right(connection, board, right),
        "requests": mean(meter.requests for meter in added),
        "read_units": mean(meter.read_units for meter in added),
        **_write_units(client, windows),
        "engine_in_transaction": mean(m.write_units + m.index_write_units for m in added),
    }


def _write_units(client: DynamoDBClient, windows: tuple[WindowKind, ...]) -> dict[str, float]:
    """The units of a submit that is no repeat, of a sample of the lines."""
    board = _board("alone", windows)
    connection = connect(cast(DynamoDBClient, OneByOne(client)))
    meters = [_submit(connection, board, line)[1] for line in season_lines()[::20]]
    in_tables = mean(meter.write_units for meter in meters)
    return {
        "table_units": in_tables,
        "index_units": mean(meter.index_write_units for meter in meters),
        "table_units_on_aws": AWS_FACTOR * in_tables,
    }


def _board(name: str, windows: tuple[WindowKind, ...]) -> Board:
    config = BoardConfig("sum", score_range=Span(0, 1_000), schedule=Schedule(windows))
    return make_board(f"{name}-{len(windows)}", config)


def _submit(connection: Connection, board: Board, line: SeasonLine) -> tuple[bool, Meter]:
    """Sends one line; whether it was a repeat, and what it consumed."""
    tables = connection.tables()
    items = PlayerItems(tables.dynamo, TABLES.scores, TABLES.boards, TABLES.submissions)
    one = Submission(line.player_id, line.home_runs, submission_id=line.submission_id)
    submitted = submit(tables, items, board, one, rank=False)
    return submitted.is_duplicate, tables.meter


def _right(connection: Connection, board: Board, right: dict[str, int]) -> int:
    """How many players have the sum that the data give."""
    index = view_of(connection.tables(), board, ALL_TIME.name).index
    found = {entry.player: entry.score for entry in index.entries()}
    return sum(found.get(player) == score for player, score in right.items())
