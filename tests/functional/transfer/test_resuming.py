"""Imports that are killed, stopped or run again, and files that change meanwhile."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames
from ops.transfer import importing
from ops.transfer.errors import TransferError, TransferStoppedError
from ops.transfer.importing import Progress, run_import
from ops.transfer.tables import Tables
from tests.functional.transfer.files import (
    NOW,
    DyingClient,
    Killed,
    MakeBoard,
    asked,
    entries,
    messy_csv,
    opened,
)
from tests.functional.transfer.stage_files import write_outputs

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("seed", range(3))
def test_an_import_killed_at_random_moments_equals_an_undisturbed_one(
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    """Ten kills, at a later time each: the same standings, times, counts and refused lines."""
    monkeypatch.setattr(importing, "BLOCK_LINES", 7)
    rng = random.Random(seed)
    path = messy_csv(tmp_path / "scores.csv", 600, seed)
    undisturbed, disturbed = make_board(), make_board()
    first = tmp_path / "undisturbed.jsonl"
    whole = run_import(
        opened(dynamodb_client, table_names),
        tmp_path,
        asked(undisturbed, path, refused=first),
    )
    kills, reached = 0, 0
    while kills < 10:
        moment, after = rng.randrange(3, 140), rng.random() < 0.5
        dying = DyingClient(dynamodb_client, moment, Killed(), after=after)
        later = opened(dying, table_names, NOW + kills * 60_000)
        with pytest.raises(Killed):
            run_import(later, tmp_path, asked(disturbed, path))
        kills += 1
        (checkpoint,) = (tmp_path / "imports").glob("*.json")
        held = json.loads(checkpoint.read_text())
        assert held["line"] >= reached
        reached = held["line"]
    assert reached > 0
    tables = opened(dynamodb_client, table_names, NOW + kills * 60_000)
    resumed = run_import(tables, tmp_path, asked(disturbed, path))
    assert resumed.resumed_behind == reached
    assert entries(tables, disturbed) == entries(tables, undisturbed)
    assert (resumed.taken, resumed.refused, resumed.shown) == (
        whole.taken,
        whole.refused,
        whole.shown,
    )
    assert Path(str(resumed.refused_file)).read_bytes() == first.read_bytes()
    assert not list((tmp_path / "imports").glob("*.json"))


def test_an_import_killed_from_outside_goes_on_where_it_was(
    dynamodb_local: DynamoDBLocal,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
) -> None:
    """The command as an operator runs it, killed by SIGKILL three times, then left alone."""
    path = messy_csv(tmp_path / "scores.csv", 2_000, 1)
    undisturbed, disturbed = make_board(), make_board()
    tables = opened(dynamodb_client, table_names)
    run_import(tables, tmp_path / "other", asked(undisturbed, path, refused=tmp_path / "r.jsonl"))
    write_outputs(tmp_path, dynamodb_local, table_names)
    arguments = ["import", disturbed.id, str(path), "--stage", "rig", "--json"]
    environment = {**os.environ, "TALLY_HOME": str(tmp_path)}
    killed = 0
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-m", "ops.cli", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        killed += _kill_after_progress(process, tmp_path / "imports")
    assert killed > 0
    finished = subprocess.run(
        [sys.executable, "-m", "ops.cli", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1, finished.stderr  # some lines were refused
    summary = json.loads(finished.stdout)
    assert summary["lines"] == summary["taken"] + summary["refused"]
    assert standing(entries(tables, disturbed)) == standing(entries(tables, undisturbed))


def standing(found: list[Entry]) -> dict[str, tuple[int, ...]]:
    """Who holds what; two imports at different times differ in the times that no line names."""
    return {entry.player: entry.standing for entry in found}


def _kill_after_progress(process: subprocess.Popen[bytes], imports: Path) -> bool:
    """Kills a process once its checkpoint has moved; whether it was still running."""
    with process:
        before = _checkpoint(imports)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            now = _checkpoint(imports)
            if now != before and json.loads(now or "{}").get("offset"):
                break
            time.sleep(0.01)
        was_running = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return was_running


def _checkpoint(imports: Path) -> str | None:
    return next((one.read_text() for one in imports.glob("*.json")), None)


def test_stopping_says_where_the_import_goes_on(
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An operator's interrupt ends it after the writes that have begun."""
    monkeypatch.setattr(importing, "BLOCK_LINES", 10)
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\n" + "".join(f"p{i},{i},0\n" for i in range(100)))
    dying = DyingClient(dynamodb_client, 66, KeyboardInterrupt(), after=True)
    board = make_board()
    with pytest.raises(TransferStoppedError, match="goes on behind line 31"):
        run_import(opened(dying, table_names), tmp_path, asked(board, path))
    tables = opened(dynamodb_client, table_names)
    assert run_import(tables, tmp_path, asked(board, path)).taken == 100
    assert len(entries(tables, board)) == 100


@pytest.fixture
def halfway(
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Board, Path]:
    """A board, and a file of 100 lines of which 40 are surely imported."""
    monkeypatch.setattr(importing, "BLOCK_LINES", 10)
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\n" + "".join(f"p{i:02},{i},0\n" for i in range(100)))
    board = make_board()
    dying = DyingClient(dynamodb_client, 85, Killed(), after=False)
    with pytest.raises(Killed):
        run_import(opened(dying, table_names), tmp_path, asked(board, path))
    return board, path


def test_restart_forgets_how_far_it_came(
    halfway: tuple[Board, Path], tables: Tables, tmp_path: Path
) -> None:
    """All lines are read again."""
    again = run_import(tables, tmp_path, asked(*halfway, restart=True))
    assert (again.resumed_behind, again.taken) == (0, 100)


def test_an_import_again_changes_nothing(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """Every line is read, and every one that stands is kept."""
    board, path = make_board(), messy_csv(tmp_path / "scores.csv", 100, 5)
    first = run_import(tables, tmp_path, asked(board, path))
    before = entries(tables, board)
    later = replace(tables, now_ms=lambda: NOW + 9_000_000)
    again = run_import(later, tmp_path, asked(board, path))
    assert entries(tables, board) == before
    assert (again.taken, again.refused) == (first.taken, first.refused)
    assert len(before) == first.counts["new"]
    assert again.resumed_behind == 0


# --- A file that changes ---------------------------------------------------------------------


def shorter(path: Path) -> None:
    path.write_text(path.read_text()[:50])


def other_lines(path: Path) -> None:
    path.write_text(path.read_text().replace("p07", "q07"))


def replaced(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_text(path.read_text().replace("p07", "q07"))
    other.replace(path)


@pytest.mark.parametrize("change", [shorter, other_lines, replaced])
def test_what_was_read_must_be_the_same_when_it_goes_on(
    halfway: tuple[Board, Path], tables: Tables, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    """A file that differs in lines that are written is refused, and nothing more is written."""
    board, path = halfway
    before = entries(tables, board)
    change(path)
    with pytest.raises(TransferError, match=r"in the first 41 lines.*--restart"):
        run_import(tables, tmp_path, asked(board, path))
    assert entries(tables, board) == before


def test_lines_may_be_mended_behind_those_that_are_written(
    halfway: tuple[Board, Path], tables: Tables, tmp_path: Path
) -> None:
    """What was not read yet is read as it is now."""
    board, path = halfway
    path.write_text(path.read_text().replace("p99", "q99") + "p100,1,0\n")
    assert run_import(tables, tmp_path, asked(board, path)).taken == 101
    assert {"q99", "p100"} <= {entry.player for entry in entries(tables, board)}


@pytest.mark.parametrize("change", [shorter, other_lines, replaced, Path.touch, Path.unlink])
def test_a_file_that_changes_while_it_is_read_ends_the_import(
    make_board: MakeBoard,
    tables: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
) -> None:
    """Before anything of the changed file is written."""
    monkeypatch.setattr(importing, "BLOCK_LINES", 10)
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\n" + "".join(f"p{i:02},{i},0\n" for i in range(100)))
    board = make_board()
    changed: list[Path] = []

    def after_three(reached: Progress) -> None:
        if reached.lines == 30:
            change(path)
            changed.append(path)

    with pytest.raises(TransferError, match=r"changed or replaced.*behind line 31"):
        run_import(tables, tmp_path, asked(board, path), after_three)
    assert changed
    assert len(entries(tables, board)) == 30


def test_a_checkpoint_of_a_former_life_of_the_board_is_refused(
    halfway: tuple[Board, Path], tables: Tables, tmp_path: Path
) -> None:
    """What it says is written is gone."""
    board, path = halfway
    remade = replace(board, first_layout=2, layouts=(replace(board.layouts[0], number=2),))
    boards = SimpleNamespace(get=lambda _: remade)
    with pytest.raises(TransferError, match="made again"):
        run_import(replace(tables, boards=boards), tmp_path, asked(board, path))


def test_the_same_import_does_not_run_twice_at_once(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """The second one ends, and the first one is not disturbed."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\nada,1,0\n")
    board = make_board()
    seconds: list[str] = []

    def second(_: Progress) -> None:
        with pytest.raises(TransferError) as refused:
            run_import(tables, tmp_path, asked(board, path))
        seconds.append(str(refused.value))

    assert run_import(tables, tmp_path, asked(board, path), second).taken == 1
    assert seconds == ["The same import is running already."]
