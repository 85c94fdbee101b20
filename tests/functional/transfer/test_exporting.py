"""Exports, and their way back through an import."""

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from ops.rig.tables import TableNames
from ops.transfer import exporting
from ops.transfer.importing import run_import
from ops.transfer.tables import Tables
from tests.functional.failing import THROTTLED, WatchedClient
from tests.functional.transfer.files import (
    MakeBoard,
    asked,
    entries,
    messy_csv,
    opened,
)

ODD_IDS = [
    *('a "quoted" id', "a,b", "=1+1", " spaces ", "007", "1e5", "'", '"', "-", "TRUE", "@x", "a;b"),
    *("\N{FOX FACE}", "\u2028", "caf\u00e9", "cafe\u0301", "\N{WHITE SMILING FACE}" * 85),
]


@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
@pytest.mark.parametrize("index_shards", [1, 3])
@pytest.mark.parametrize("ties", ["ordinal", "shared"])
def test_an_export_imported_again_is_the_same_standings(
    make_board: MakeBoard,
    tables: Tables,
    tmp_path: Path,
    file_format: Any,
    index_shards: int,
    ties: Any,
) -> None:
    """Odd ids, negative scores, ties and times included; the files are equal to the byte."""
    rng = random.Random(1)
    original, copy = make_board(index_shards, ties=ties), make_board(ties=ties)
    source = tmp_path / "source.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for player in [*ODD_IDS, *(f"p{i}" for i in range(100))]:
            values = {"player_id": player, "score": rng.randrange(-9, 9), "laps": rng.randrange(3)}
            file.write(json.dumps(values | {"achieved_at": rng.randrange(10**12)}) + "\n")
    players = len(ODD_IDS) + 100
    assert run_import(tables, tmp_path, asked(original, source)).counts == {"new": players}
    path = tmp_path / f"exported.{file_format}"
    path.write_bytes(exported(tables, original, file_format))
    assert run_import(tables, tmp_path, asked(copy, path)).counts == {"new": players}
    assert entries(tables, copy) == entries(tables, original)
    assert exported(tables, copy, file_format) == path.read_bytes()


def exported(tables: Tables, board: Board, file_format: Any, **more: Any) -> bytes:
    file = io.BytesIO()
    exporting.export(tables, board, "all", file, file_format, **more)
    return file.getvalue()


def test_an_export_lists_ranks_as_the_board_gives_them(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """Shared where the board shares them; texts quoted, a formula's sign left as it is."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps,achieved_at\n=1+1,5,1,1\nbo,5,1,2\ncy,5,0,3\ndi,1,0,4\n")
    shared, ordinal = make_board(ties="shared"), make_board()
    for board in (shared, ordinal):
        run_import(tables, tmp_path, asked(board, path))
    assert exported(tables, shared, "csv", bom=True).decode("utf-8-sig").splitlines() == [
        '"rank","player_id","score","laps","achieved_at"',
        '1,"cy",5,0,3',
        '2,"=1+1",5,1,1',
        '2,"bo",5,1,2',
        '4,"di",1,0,4',
    ]
    ranks = [json.loads(line)["rank"] for line in exported(tables, ordinal, "jsonl").splitlines()]
    assert ranks == [1, 2, 3, 4]


def test_a_page_that_fails_is_read_again(
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is left out, and nobody is there twice."""
    monkeypatch.setattr(exporting, "PAGE_SIZE", 7)
    board, path = make_board(3), messy_csv(tmp_path / "scores.csv", 300, 6)
    tables = opened(dynamodb_client, table_names)
    run_import(tables, tmp_path, asked(board, path))
    expected = entries(tables, board)
    watched = WatchedClient(dynamodb_client)
    watched.fail(THROTTLED["ThrottlingException"], lambda call: call.number % 5 == 0)
    assert entries(opened(watched, table_names), board) == expected
    assert sum(call.answer is None for call in watched.calls) >= 3
