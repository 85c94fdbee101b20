"""Import and export over DynamoDB Local: killed and resumed, closed, changed, there and back."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec, TieBreaker
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.schedules import Schedule, Season
from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames
from ops.transfer import exporting, importing, writing
from ops.transfer.errors import TransferError, TransferStoppedError, TransferUsageError
from ops.transfer.importing import Progress, run_import
from ops.transfer.starting import Asked
from ops.transfer.tables import Tables, tables_over
from tests.functional.failing import THROTTLED, WatchedClient
from tests.functional.stage_files import write_outputs
from tests.instants import ms

NOW = ms("2026-11-30T12:00:00Z")
ROOT = Path(__file__).parents[2]
ODD_IDS = [
    *('a "quoted" id', "a,b", "=1+1", " spaces ", "007", "1e5", "'", '"', "-", "TRUE", "@x", "a;b"),
    *("\N{FOX FACE}", "\u2028", "caf\u00e9", "cafe\u0301", "\N{WHITE SMILING FACE}" * 85),
]
MakeBoard = Callable[..., Board]


@pytest.fixture
def tables(dynamodb_client: DynamoDBClient, table_names: TableNames) -> Tables:
    return opened(dynamodb_client, table_names)


def opened(client: Any, names: TableNames, now_ms: int = NOW) -> Tables:
    """The tables over a client, at a time."""
    return tables_over(client, names.scores, names.boards, lambda: now_ms)


@pytest.fixture
def make_board(dynamodb_client: DynamoDBClient, table_names: TableNames) -> MakeBoard:
    """Makes boards of scores -1,000 to 1,000 that rank ties by laps, fewer first."""

    def make(index_shards: int = 1, **config: Any) -> Board:
        laps = TieBreaker("laps", "asc", Span(0, 9))
        shape = {"score_range": Span(-1_000, 1_000), "tie_breakers": (laps,)} | config
        boards = Boards(Dynamo(dynamodb_client, Meter()), table_names.boards)
        spec = LayoutSpec(spacing="linear", index_shards=index_shards)
        return boards.create(f"b-{uuid4().hex[:12]}", BoardConfig(**shape), spec)[0]

    return make


def entries(tables: Tables, board: Board, window: str = "all") -> list[Entry]:
    return list(exporting.entries(tables, board, window))


def asked(board: Board, path: Path, **more: Any) -> Asked:
    file_format: Any = path.suffix[1:]
    return Asked(board.id, path, file_format, **more)


def messy_csv(path: Path, lines: int, seed: int) -> Path:
    """A file of few players with many lines each, blank and refused ones and long cells."""
    rng = random.Random(seed)
    rows = ["player_id,score,laps,metadata,achieved_at"]
    for _ in range(lines):
        player, score = f"p{rng.randrange(lines // 4)}", rng.randrange(-1_010, 1_010)
        metadata = rng.choice(["", '"{\n""run"": 1}"'])
        at = rng.choice(["", str(rng.randrange(10**12))])
        rows.append(f"{player},{score},{rng.randrange(11)},{metadata},{at}")
        if rng.random() < 0.05:
            rows.append(rng.choice(["", '"stray', "a/b,1,1,,", "\ufffd,x,1,,"]))
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


# --- Killed and resumed ----------------------------------------------------------------------


class Killed(BaseException):
    """What stands for a kill inside the process: nothing catches it."""


class DyingClient:
    """A client that works up to some call, and is dead from then on."""

    def __init__(self, client: Any, last: int, error: BaseException, *, after: bool) -> None:
        self._client, self._last, self._error, self._after = client, last, error, after
        self._calls = count(1)

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """The operation; the last one may be done, and its answer lost."""

        def call(**parameters: Any) -> Any:
            number = next(self._calls)
            if number < self._last or (number == self._last and self._after):
                answer = getattr(self._client, operation)(**parameters)
            if number >= self._last:
                raise self._error
            return answer

        return call


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
        moment, after = rng.randrange(3, 70), rng.random() < 0.5
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
    dying = DyingClient(dynamodb_client, 36, KeyboardInterrupt(), after=True)
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
    dying = DyingClient(dynamodb_client, 45, Killed(), after=False)
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


# --- Windows ---------------------------------------------------------------------------------


def test_an_import_writes_the_window_it_names_and_no_other(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """Whenever its results were achieved; its items go with the window."""
    board = make_board(schedule=Schedule(("all", "daily", "weekly"), retention_days=3))
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps,achieved_at\nada,1,0,7\n")
    imported = run_import(tables, tmp_path, asked(board, path, window="d2026-11-30"))
    assert imported.window == "d2026-11-30"
    assert entries(tables, board, "d2026-11-30") == [Entry("ada", 1, 7, (0,))]
    assert entries(tables, board) == entries(tables, board, "w2026-W49") == []
    pk = f"{board.id}#d2026-11-30#ada"
    item = tables.client.get_item(TableName=tables.scores_table, Key={"pk": {"S": pk}})["Item"]
    assert int(item["expires_at"]["N"]) * 1_000 > NOW


SEASONS = (Season("past", 1, NOW - 1), Season("next", NOW + 1, NOW + 2))


@pytest.mark.parametrize(
    ("window", "reason"),
    [
        ("d2026-11-29", "closed"),
        ("s:past", "closed"),
        ("s:next", "has not begun"),
        ("d2026-12-01", "has not begun"),
    ],
)
def test_a_window_that_takes_nothing_is_refused_before_anything_is_written(
    make_board: MakeBoard, tables: Tables, tmp_path: Path, window: str, reason: str
) -> None:
    """Closed for good, or not begun."""
    board = make_board(schedule=Schedule(("daily", *SEASONS)))
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\nada,1,0\n")
    with pytest.raises(TransferError, match=reason):
        run_import(tables, tmp_path, asked(board, path, window=window))
    assert entries(tables, board, window) == []
    assert not (tmp_path / "imports").exists()


def test_a_window_in_its_grace_period_is_written(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """As late results are."""
    board = make_board(schedule=Schedule(("daily",), grace_seconds=86_400))
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\nada,1,0\n")
    assert run_import(tables, tmp_path, asked(board, path, window="d2026-11-29")).taken == 1


@pytest.mark.parametrize("window", ["daily", "d2026-11-31", "s:none", "all"])
def test_a_window_that_the_board_has_not_is_refused(
    make_board: MakeBoard, tables: Tables, tmp_path: Path, window: str
) -> None:
    """A kind is none: tomorrow it would mean another window."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\nada,1,0\n")
    board = make_board(schedule=Schedule(("daily",)))
    with pytest.raises(WindowNotFoundError):
        run_import(tables, tmp_path, asked(board, path, window=window))


def test_without_a_window_all_is_written_or_none(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """A board without `all` needs a name, and is told those that are open."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\nada,1,0\n")
    board = make_board(schedule=Schedule(("daily", "all")))
    assert run_import(tables, tmp_path, asked(board, path)).window == "all"
    board = make_board(schedule=Schedule(("daily",)))
    with pytest.raises(TransferUsageError, match="Open now: d2026-11-30"):
        run_import(tables, tmp_path, asked(board, path))


def test_a_window_that_closes_meanwhile_takes_no_more(
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each write looks at the clock before it begins."""
    monkeypatch.setattr(importing, "BLOCK_LINES", 10)
    times = [NOW, NOW + 86_400_000]
    tables = replace(opened(dynamodb_client, table_names), now_ms=lambda: times[0])
    board = make_board(schedule=Schedule(("daily",)))
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\n" + "".join(f"p{i},{i},0\n" for i in range(30)))
    window = "d2026-11-30"
    with pytest.raises(TransferError, match=r"closed.*behind line 11"):
        run_import(tables, tmp_path, asked(board, path, window=window), lambda _: times.reverse())
    assert len(entries(tables, board, window)) == 10


def test_a_board_that_adds_scores_up_is_refused(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """Written again, a line would count again."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score\nada,1\n")
    board = make_board(policy="sum", tie_breakers=())
    with pytest.raises(TransferError, match="adds scores up"):
        run_import(tables, tmp_path, asked(board, path))


# --- What is written -------------------------------------------------------------------------


def test_a_header_that_does_not_fit_writes_nothing(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """No entry, no checkpoint, no list of refused lines."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score,clan\nada,1,x\n")
    board = make_board()
    with pytest.raises(TransferUsageError, match="clan"):
        run_import(tables, tmp_path, asked(board, path))
    assert entries(tables, board) == []
    assert not list((tmp_path / "imports").glob("*.json"))


@pytest.mark.parametrize("refused", [None, "named.jsonl"])
def test_a_dry_run_writes_nothing_but_the_list_it_is_told_to(
    make_board: MakeBoard, tables: Tables, tmp_path: Path, refused: str | None
) -> None:
    """It reads and checks every line."""
    path = messy_csv(tmp_path / "scores.csv", 200, 3)
    board = make_board()
    named = tmp_path / refused if refused else None
    dry = run_import(tables, tmp_path, asked(board, path, dry_run=True, refused=named))
    assert entries(tables, board) == []
    made = {one.name for one in tmp_path.iterdir()}
    assert made == {"scores.csv"} | ({refused} if refused else set())
    real = run_import(tables, tmp_path, asked(board, path))
    assert (dry.taken, dry.refused, dry.shown) == (real.taken, real.refused, real.shown)


def test_throttled_writes_are_tried_again(
    dynamodb_client: DynamoDBClient, table_names: TableNames, make_board: MakeBoard, tmp_path: Path
) -> None:
    """Every line is taken in the end."""
    watched = WatchedClient(dynamodb_client)
    watched.fail(THROTTLED["ThrottlingException"], lambda call: call.number % 3 == 0)
    path = messy_csv(tmp_path / "scores.csv", 60, 4)
    disturbed, undisturbed = make_board(), make_board()
    tables = opened(dynamodb_client, table_names)
    expected = run_import(tables, tmp_path, asked(undisturbed, path)).counts
    throttled = opened(watched, table_names)
    assert run_import(throttled, tmp_path, asked(disturbed, path)).counts == expected
    assert entries(tables, disturbed) == entries(tables, undisturbed)


def test_throttling_that_does_not_end_ends_the_import(
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    make_board: MakeBoard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With where it goes on."""
    monkeypatch.setattr(writing, "PATIENCE_SECONDS", 0.2)
    watched = WatchedClient(dynamodb_client)
    watched.fail(THROTTLED["ThrottlingException"], lambda call: call.operation == "update_item")
    path = messy_csv(tmp_path / "scores.csv", 60, 4)
    with pytest.raises(TransferError, match=r"ThrottlingException.*behind line 0"):
        run_import(opened(watched, table_names), tmp_path, asked(make_board(), path))


# --- There and back --------------------------------------------------------------------------


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
