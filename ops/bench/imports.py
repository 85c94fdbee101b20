"""What an import carries, beside the bare `UpdateItem` of the same machine and process.

The bare calls are a submit's own, their parameters made beforehand: what remains of them is boto3
and the engine. They run before and after the import, with as many in flight; tables have a stream,
as in a deployment, and are made before the first write (see `ops/rig/engine.py`).
"""

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, cast

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec
from lambdas.domain.lives import first_life
from lambdas.domain.submissions import Submission, accept
from lambdas.domain.windows import ALL_TIME
from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.scores import Scores
from ops.bench import populations
from ops.rig.tables import TableNames, create_tables
from ops.transfer.importing import run_import
from ops.transfer.starting import Asked
from ops.transfer.tables import tables_over
from ops.transfer.writing import IN_FLIGHT

LINES: Final = 100_000
BARE: Final = 10_000  # before, and again after
_TABLES: Final = TableNames(scores="ImportScores", counters="ImportCounters", boards="ImportBoards")
_DISTRIBUTION: Final = "lognormal(8,1)"


class _Noting:
    """A client that notes the parameters of `update_item` and writes nothing."""

    def __init__(self) -> None:
        self.noted: list[dict[str, Any]] = []

    def update_item(self, **parameters: Any) -> dict[str, Any]:
        """Notes a call; the answer is that of a new player."""
        self.noted.append(parameters)
        return {"ConsumedCapacity": {"TableName": _TABLES.scores, "CapacityUnits": 2.0}}


def run(client: DynamoDBClient) -> list[dict[str, Any]]:
    """Calls a second, bare and of an import, and the ratio."""
    create_tables(client, _TABLES)
    board = first_life("imports", BoardConfig(), LayoutSpec(), now_ms=0)
    Boards(Dynamo(client, Meter()), _TABLES.boards).write(board, over=None)
    before = _bare(client, board, seed=1)
    imported = _imported(client, board)
    after = _bare(client, board, seed=2)
    bare = 2 / (1 / before + 1 / after)
    return [
        {
            "lines": LINES,
            "in_flight": IN_FLIGHT,
            "bare_a_second": bare,
            "imported_a_second": imported,
            "ratio": bare / imported,
        }
    ]


def _imported(client: DynamoDBClient, board: Board) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        _write_file(path)
        tables = tables_over(client, _TABLES.scores, _TABLES.boards)
        return run_import(tables, Path(folder), Asked(board.id, path, "csv")).lines_per_second


def _write_file(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("player_id,score,achieved_at\n")
        for entry in populations.players(_DISTRIBUTION, LINES):
            file.write(f"{entry.player},{entry.score},{entry.achieved_at}\n")


def _bare(client: DynamoDBClient, board: Board, seed: int) -> float:
    calls = _calls(board, seed)
    began = time.monotonic()
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        list(pool.map(lambda call: client.update_item(**call), calls))
    return len(calls) / (time.monotonic() - began)


def _calls(board: Board, seed: int) -> Sequence[dict[str, Any]]:
    """The writes of new players, as a submit makes them."""
    noting = _Noting()
    scores = Scores(Dynamo(cast(DynamoDBClient, noting), Meter()), _TABLES.scores)
    for entry in populations.players(_DISTRIBUTION, BARE, seed=seed):
        submission = Submission(entry.player, entry.score, achieved_at=entry.achieved_at)
        accepted = accept(board, submission, entry.achieved_at)
        scores.submit(board, ALL_TIME, accepted, entry.achieved_at, hidden=False)
    return noting.noted
