"""Which window an import writes, what it refuses, and what becomes of lines."""

from dataclasses import replace
from pathlib import Path

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.entries import Entry
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.schedules import Schedule, Season
from lambdas.store.holdings import Holdings
from lambdas.store.visibility import Flag
from ops.rig.tables import TableNames
from ops.transfer import importing, writing
from ops.transfer.errors import TransferError, TransferUsageError
from ops.transfer.importing import run_import
from ops.transfer.tables import Tables
from tests.functional.failing import THROTTLED, WatchedClient
from tests.functional.transfer.files import NOW, MakeBoard, asked, entries, messy_csv, opened


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


def test_a_segment_is_not_imported_into(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """Its players' own items would not say that they are in it."""
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps\nada,1,0\n")
    board = make_board(dimensions=("region",))
    with pytest.raises(TransferError, match="is a segment"):
        run_import(tables, tmp_path, asked(board, path, window="all@region:eu"))


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


def test_lines_of_one_player_are_written_in_their_order(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """Each better one improves on the one before it."""
    path = tmp_path / "scores.csv"
    lines = [f"{player},{score},0\n" for score in range(100) for player in ("ada", "bo")]
    path.write_text("player,score,laps\n" + "".join(lines))
    imported = run_import(tables, tmp_path, asked(make_board(), path))
    assert imported.counts == {"new": 2, "improved": 198}


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


def test_a_hidden_players_line_is_written_out_of_the_list(
    make_board: MakeBoard, tables: Tables, tmp_path: Path
) -> None:
    """It is taken as any other, and is there when the player is shown again."""
    board = make_board()
    tables.visibility.write(Flag(board.id, "ada", True, board.first_layout, NOW))
    path = tmp_path / "scores.csv"
    path.write_text("player,score,laps,achieved_at\nada,2,0,7\nbob,1,0,7\n")
    imported = run_import(tables, tmp_path, asked(board, path))
    assert (imported.taken, imported.counts["new"]) == (2, 2)
    assert entries(tables, board) == [Entry("bob", 1, 7, (0,))]
    (item,) = Holdings(tables.dynamo, tables.scores_table).of_player(board.id, ["all"], "ada")
    assert (item["score"]["N"], item["rank_partition"]["S"]) == ("2", f"{board.id}#all#hidden")
