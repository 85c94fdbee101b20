"""`tally import` and `tally export` as operators call them: what they print, how they exit."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from mypy_boto3_dynamodb import DynamoDBClient
from rich.console import Console
from typer.testing import CliRunner, Result

from lambdas.domain.boards import BoardConfig, LayoutSpec
from lambdas.domain.lives import first_life
from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.cli import app
from ops.commands import transfer
from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames
from ops.transfer.importing import Progress
from ops.transfer.refusals import SHOWN
from tests.functional.transfer.stage_files import write_outputs

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def home(
    dynamodb_local: DynamoDBLocal,
    table_names: TableNames,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A state folder in which stage `rig` has the engine's tables."""
    folder = tmp_path / "home"
    folder.mkdir()
    write_outputs(folder, dynamodb_local, table_names)
    monkeypatch.setenv("TALLY_HOME", str(folder))
    monkeypatch.setenv("TALLY_STAGE", "rig")
    return folder


@pytest.fixture
def stored(dynamodb_client: DynamoDBClient, table_names: TableNames, board: str) -> str:
    """A board of the defaults."""
    boards = Boards(Dynamo(dynamodb_client, Meter()), table_names.boards)
    boards.write(first_life(board, BoardConfig(), LayoutSpec(), now_ms=0), over=None)
    return board


def tally(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "120"})


def test_a_file_is_imported_and_exported_again(stored: str, tmp_path: Path) -> None:
    """With exit code 0, and the same lines in rank order."""
    path, copy = tmp_path / "scores.csv", tmp_path / "copy.csv"
    path.write_text("player_id,score,achieved_at\nada,5,1\nbo,7,2\nada,6,3\nbo,1,4\n")
    result = tally("import", stored, path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{stored}, window all: 4 lines in ")
    assert result.stdout.endswith("a second): 2 new, 1 improved, 1 kept, 0 refused\n")
    lines = '"rank","player_id","score","achieved_at"\n1,"bo",7,2\n2,"ada",6,3\n'
    assert tally("export", stored).stdout == lines
    assert tally("export", stored, "--output", copy).stdout == (
        f"{stored}, window all: 2 entries in {copy}\n"
    )
    assert copy.read_bytes() == b"\xef\xbb\xbf" + lines.encode()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy.csv", "home", "scores.csv"]
    again = json.loads(tally("import", stored, copy, "--json").stdout)
    # What stands already is told as it was the first time.
    assert (again["lines"], again["new"], again["improved"]) == (2, 1, 1)


def test_json_is_the_summary_and_nothing_else(stored: str, tmp_path: Path) -> None:
    """Refused lines exit with 1, and are all in the file beside the imported one."""
    path = tmp_path / "scores.jsonl"
    path.write_text('{"player": "ada", "score": 5}\n{"player": "bo", "score": 5.0}\n\n[]\n')
    result = tally("import", stored, path, "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    summary = json.loads(result.stdout)
    assert summary.pop("seconds") > 0
    assert summary.pop("lines_per_second") > 0
    refused = tmp_path / "scores.jsonl.refused.jsonl"
    assert summary == {
        "window": "all",
        "lines": 3,
        "taken": 1,
        "new": 1,
        "improved": 0,
        "kept": 0,
        "refused": 2,
        "refused_file": str(refused),
        "resumed_behind": 0,
        "dry_run": False,
    }
    listed = [json.loads(line) for line in refused.read_text().splitlines()]
    assert listed == [
        {
            "line": 2,
            "reason": "score: '5.0' is no whole number in digits alone.",
            "text": '{"player": "bo", "score": 5.0}',
        },
        {"line": 4, "reason": "Is no JSON object.", "text": "[]"},
    ]


def test_people_see_the_first_refused_lines_and_where_all_are(stored: str, tmp_path: Path) -> None:
    """With the number and the reason of each."""
    path, refused = tmp_path / "scores.csv", tmp_path / "refused"
    path.write_text("player,score\n" + "[b]a/b[/],1\n" * (SHOWN + 3))
    result = tally("import", stored, path, "--refused", refused)
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert lines[1].startswith("  line 2: The player id holds '/'. A player id is 1 to 256 bytes")
    assert lines[-3].startswith(f"  line {SHOWN + 1}: ")
    assert lines[-2:] == ["  and 3 more", f"All refused lines: {refused}"]
    assert len(refused.read_text().splitlines()) == SHOWN + 3


def test_a_dry_run_says_what_would_be_taken(stored: str, tmp_path: Path) -> None:
    """And takes nothing."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score\nada,1\nbo,x\n")
    result = tally("import", stored, path, "--dry-run")
    assert result.exit_code == 1
    assert "1 would be taken, 1 refused" in result.stdout
    assert tally("export", stored, "--format", "jsonl").stdout == ""


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("scores.txt", "player,score\n", []),
        ("absent.csv", None, []),
        ("scores.csv", "player\nada\n", []),
        ("scores.csv", "player,score,clan\nada,1,x\n", []),
        ("scores.csv", "player,score\nada,1\n", ["--refused", "scores.csv"]),
        ("scores.csv", "player,score\nada,1\n", ["--nonsense"]),
    ],
)
def test_wrong_usage_exits_2_and_writes_nothing(
    stored: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str | None,
    options: list[str],
) -> None:
    """Whether the file, its header or an option is wrong."""
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(name).write_text(text)
    assert tally("import", stored, name, *options).exit_code == 2
    assert tally("export", stored, "--format", "jsonl").stdout == ""


def test_what_is_not_there_exits_1_and_is_named(stored: str, tmp_path: Path) -> None:
    """A board or a window, on the way in and out."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score\nada,1\n")
    nobody = f"b-{uuid4().hex[:8]}"
    for command in (["import", nobody, path], ["export", nobody]):
        result = tally(*command)
        assert result.exit_code == 1
        assert f"There is no board '{nobody}'." in result.stderr
    for command in (["import", stored, path], ["export", stored]):
        result = tally(*command, "--window", "d2026-11-30")
        assert result.exit_code == 1
        assert "The board has no window 'd2026-11-30'." in result.stderr
    problem = json.loads(tally("import", nobody, path, "--json").stderr)
    assert problem["code"] == "transfer_failed"


def test_a_stage_that_is_not_there_exits_3(stored: str, tmp_path: Path, home: Path) -> None:
    """Not deployed, or deployed and not running."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score\nada,1\n")
    outputs = (home / "rig.outputs.json").read_text()
    gone = json.loads(outputs)["Rig"] | {"EndpointUrl": "http://127.0.0.1:9"}
    (home / "gone.outputs.json").write_text(json.dumps({"Rig": gone}))
    for command in (["import", stored, path], ["export", stored]):
        assert tally(*command, "--stage", "dev").exit_code == 3
        assert tally(*command, "--stage", "gone").exit_code == 3


def test_a_file_that_cannot_be_written_is_named(stored: str, tmp_path: Path) -> None:
    """And leaves nothing half written behind."""
    output = tmp_path / "none" / "copy.csv"
    result = tally("export", stored, "--output", output)
    assert result.exit_code == 1
    assert f"{output} cannot be written: No such file or directory." in result.stderr


def test_a_terminal_shows_how_far_the_import_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With lines, the rate and the time left, on stderr."""
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=120)
    monkeypatch.setattr(transfer, "err", lambda: console)
    with transfer.bar() as progress:
        for offset in (250, 500):  # a rate needs two
            progress(Progress(offset=offset, size=1_000, lines=offset // 2))
    assert re.search(
        r"50%.* 250 lines, [0-9,]+ a second .*[0-9]:[0-9]{2}:[0-9]{2}", shown.getvalue()
    )


def test_a_reader_of_an_export_may_stop(stored: str, tmp_path: Path) -> None:
    """As `head` does; nothing is printed about it but what was read."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score\n" + "".join(f"p{i},{i}\n" for i in range(3_000)))
    assert tally("import", stored, path).exit_code == 0
    command = [sys.executable, "-m", "ops.cli", "export", stored]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stderr
        assert run.stdout.readline() == b'"rank","player_id","score","achieved_at"\n'
        run.stdout.close()
        assert run.stderr.read() == b""
