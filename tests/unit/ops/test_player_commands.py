"""`tally players`: what is sent, what people see, what a report says, and how it exits."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ops import players
from tests.unit.ops.api_stub import ApiStub
from tests.unit.ops.test_cli import ESTIMATED, EXACT, UNRANKED, tally

pytestmark = pytest.mark.usefixtures("home")

FORBIDDEN = {"title": "The gateway refused the call", "detail": "No.", "code": "forbidden"}
BUSY = {"title": "Too Many Requests", "detail": "Later.", "code": "throttled"}
GONE = {"title": "Not Found", "detail": "None.", "status": 404, "code": "window_not_found"}
WEIRD = "[b]Zoë[/] \N{GRINNING FACE}"


def window(name: str, score: int, **more: bool) -> dict[str, Any]:
    marks = {"hidden": False, "former_life": False, **more}
    return {"window": name, "score": score, "achieved_at": 0, **marks}


def board(name: str, *windows: Any, ledger: int = 0, **more: bool) -> dict[str, Any]:
    marks = {"deleted": False, "visibility_kept": False, **more}
    return {"board": name, "windows": [*windows], "ledger_items": ledger, **marks}


def page(*boards: Any, cursor: str | None = None, player: str = "ada") -> dict[str, Any]:
    return {"player_id": player, "boards": [*boards], "next_cursor": cursor}


FIRST = page(board("arena", window("all", 9), ledger=2), cursor="c+/1")
SECOND = page(
    board("arena", window("d1", 5, hidden=True), ledger=1, visibility_kept=True),
    board("golf", window("all", -5, former_life=True)),
)
MERGED = [
    board("arena", window("all", 9), window("d1", 5, hidden=True), ledger=3, visibility_kept=True),
    board("golf", window("all", -5, former_life=True)),
]


def sent(api: ApiStub) -> list[str]:
    assert all(one.signature_matches for one in api.seen)
    return [f"{one.method} {one.target.removeprefix('/api/')}" for one in api.seen]


# --- show ------------------------------------------------------------------------------------


def test_all_that_is_stored_is_shown_with_ranks(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rank is asked for where one can be read, and shown as `tally rank` shows it."""
    found = board(
        "arena", window("all", 9), window("d1", 5), window("d2", 4, hidden=True), ledger=3
    )
    api.answers = [(200, page(found)), (200, EXACT), (200, ESTIMATED), (200, UNRANKED)]
    monkeypatch.setattr(players, "READS_IN_FLIGHT", 1)  # answers go out in turn
    shown = tally("players", "show", "ada").stdout
    assert sent(api) == [
        "GET admin/players/ada",
        "GET leaderboards/arena/players/ada/rank?window=all",
        "GET leaderboards/arena/players/ada/rank?window=d1",
        "GET leaderboards/arena/players/ada/rank?window=d2",
    ]
    assert "rank 14,238 of 40,000,000 (exact, by counters)" in shown
    assert "rank 9,120 to 9,480 of 40,000,000, about 9,300 (estimated)" in shown
    assert "not ranked" in shown
    assert "1970-01-01 00:00:00Z" in shown
    assert "arena: 3 ledger items" in shown


def test_no_rank_is_asked_for_where_none_can_be_read(api: ApiStub) -> None:
    """Deleted boards and former lives are listed without; a window past its retention says so."""
    gone = board("gone", window("all", 9, former_life=True), deleted=True)
    again = board("again", window("all", 9, former_life=True), window("d1", 5))
    api.answers = [(200, page(again, gone)), (404, GONE)]
    result = tally("players", "show", "ada")
    assert (result.exit_code, len(api.seen)) == (0, 2)
    assert "gone (deleted)" in result.stdout
    assert "again (former life)" in result.stdout
    assert "no longer read" in result.stdout


def test_what_is_stored_is_shown_as_json_with_the_rank_answers(api: ApiStub) -> None:
    """Pages of one board are put together."""
    api.answers = [(200, FIRST), (200, SECOND), (404, GONE), (404, GONE)]
    result = tally("players", "show", "ada", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    boards = [
        one | {"windows": [each | {"rank": None} for each in one["windows"]]} for one in MERGED
    ]
    assert json.loads(result.stdout) == {"player_id": "ada", "boards": boards}
    assert sent(api)[1] == "GET admin/players/ada?cursor=c%2B%2F1"


def test_of_nobody_nothing_is_stored(api: ApiStub) -> None:
    api.answers = [(200, page(player=WEIRD))]
    result = tally("players", "show", WEIRD)
    assert result.stdout == f"Nothing is stored of {WEIRD}.\n"
    assert sent(api) == ["GET admin/players/%5Bb%5DZo%C3%AB%5B%2F%5D%20%F0%9F%98%80"]


def test_a_rank_that_fails_ends_the_command(api: ApiStub) -> None:
    """A missing rank would look as if there were none."""
    api.answers = [(200, page(board("arena", window("all", 9)))), (429, BUSY)]
    result = tally("players", "show", "ada", "--json")
    assert (result.exit_code, result.stdout, json.loads(result.stderr)) == (1, "", BUSY)


# --- erase -----------------------------------------------------------------------------------


def test_an_erasure_asks_first(api: ApiStub) -> None:
    """Without a yes nothing is sent."""
    result = tally("players", "erase", "ada")
    assert result.exit_code == 1
    assert "Erase all that is stored of player 'ada' on stage 'local'?" in result.stderr
    assert api.seen == []


def test_an_erasure_follows_the_cursors_and_tells_what_it_removed(api: ApiStub) -> None:
    """All pages are one table, and the advice names the command to run again."""
    api.answers = [(202, FIRST), (200, SECOND)]
    result = tally("players", "erase", "ada", "--yes")
    assert sent(api) == ["DELETE admin/players/ada", "DELETE admin/players/ada?cursor=c%2B%2F1"]
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-4:] == [
        "arena: 3 ledger items",
        "arena: a visibility flag",
        "Removed 3 score items and 3 ledger items on 2 boards.",
        "If results of the player were under way, run it again in 70 s: tally players erase ada",
    ]


@pytest.mark.parametrize(
    ("player", "command"),
    [("it's me", "tally players erase 'it'\"'\"'s me'"), ("-x", "tally players erase -- -x")],
)
def test_the_advice_can_be_pasted(api: ApiStub, player: str, command: str) -> None:
    """Whatever the id: it is quoted for a shell, and taken for no option."""
    api.answers = [(200, page(player=player))]
    result = tally("players", "erase", "--yes", "--", player)
    assert result.stdout.splitlines()[0] == "Removed 0 score items and 0 ledger items on 0 boards."
    assert result.stdout.endswith(f": {command}\n")


def test_a_dry_run_erases_nothing_and_asks_nothing(api: ApiStub) -> None:
    api.answers = [(200, FIRST), (200, SECOND)]
    result = tally("players", "erase", "ada", "--dry-run")
    assert {one.method for one in api.seen} == {"GET"}
    assert result.exit_code == 0
    assert (
        result.stdout.splitlines()[-1]
        == "Would remove 3 score items and 3 ledger items on 2 boards."
    )


def test_a_report_holds_what_was_removed_when_and_where(api: ApiStub, tmp_path: Path) -> None:
    """It is what --json prints, and takes the place of an older one."""
    file = tmp_path / "erased.json"
    file.write_text("an older and much longer report" * 100, encoding="utf-8")
    api.answers = [(202, FIRST), (200, SECOND)]
    result = tally("players", "erase", "ada", "--yes", "--json", "--report", str(file))
    report = json.loads(file.read_text(encoding="utf-8"))
    assert json.loads(result.stdout) == report
    started, ended = (
        datetime.fromisoformat(report.pop(f"{one}_at")) for one in ("started", "ended")
    )
    assert started.utcoffset() == ended.utcoffset() == started - started
    assert started <= ended
    assert report == {
        "player_id": "ada",
        "stage": "local",
        "dry_run": False,
        "complete": True,
        "score_items": 3,
        "ledger_items": 3,
        "boards": MERGED,
    }


def test_an_erasure_that_breaks_off_tells_and_reports_what_is_gone(
    api: ApiStub, tmp_path: Path
) -> None:
    """Exit code 1, the removed items, and the command that goes on."""
    file = tmp_path / "erased.json"
    api.answers = [(202, FIRST), (429, BUSY)]
    result = tally("players", "erase", "ada", "--yes", "--report", str(file))
    assert result.exit_code == 1
    assert result.stderr == "Too Many Requests: Later.\n"
    assert result.stdout.splitlines()[-2:] == [
        "Removed 1 score item and 2 ledger items on 1 board.",
        "Not all of it yet; this goes on: tally players erase ada",
    ]
    report = json.loads(file.read_text(encoding="utf-8"))
    assert (report["complete"], report["score_items"], report["ledger_items"]) == (False, 1, 2)


def test_an_erasure_that_is_interrupted_exits_130(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell expects, after what was removed so far."""
    add = players.Found.add

    def interrupted(found: players.Found, answer: Any) -> None:
        add(found, answer)
        raise KeyboardInterrupt

    monkeypatch.setattr(players.Found, "add", interrupted)
    api.answers = [(202, FIRST)]
    result = tally("players", "erase", "ada", "--yes")
    assert result.exit_code == 130
    assert "this goes on: tally players erase ada" in result.stdout


def test_a_refused_erasure_prints_its_problem_alone(api: ApiStub) -> None:
    api.answers = [(403, FORBIDDEN)]
    result = tally("players", "erase", "ada", "--yes", "--json")
    assert (result.exit_code, result.stdout, json.loads(result.stderr)) == (1, "", FORBIDDEN)


def test_nothing_is_erased_if_its_report_cannot_be_written(api: ApiStub, tmp_path: Path) -> None:
    """That is found before anything is sent."""
    file = tmp_path / "missing" / "erased.json"
    result = tally("players", "erase", "ada", "--yes", "--report", str(file))
    assert result.exit_code == 1
    assert "The report cannot be written" in result.stderr
    assert api.seen == []


# --- One board -------------------------------------------------------------------------------

ONE_BOARD = [
    (["remove"], "DELETE admin/leaderboards/arena/players/it%27s", None, {}),
    (
        ["hide"],
        "PUT admin/leaderboards/arena/players/it%27s/visibility",
        {"hidden": True},
        {"hidden": True},
    ),
    (
        ["unhide"],
        "PUT admin/leaderboards/arena/players/it%27s/visibility",
        {"hidden": False},
        {"hidden": False},
    ),
]


@pytest.mark.parametrize(("command", "request_line", "body", "told"), ONE_BOARD)
def test_a_player_is_removed_hidden_or_shown_on_one_board(
    api: ApiStub, command: list[str], request_line: str, body: Any, told: dict[str, bool]
) -> None:
    """Whether the API answers with a body or with none."""
    api.answers = [(204, b""), (200, {"hidden": True})]
    arguments = ["players", *command, "arena", "it's"]
    for_people = tally(*arguments)
    as_json = tally(*arguments, "--json")
    assert sent(api) == [request_line] * 2
    assert [one.body for one in api.seen] == [body] * 2
    assert for_people.stdout.startswith("it's is ")
    assert json.loads(as_json.stdout) == {"board": "arena", "player_id": "it's", **told}
    assert (for_people.exit_code, as_json.exit_code) == (0, 0)


@pytest.mark.parametrize("command", ["remove", "hide", "unhide"])
def test_a_board_that_is_not_there_is_said_to_be_missing(api: ApiStub, command: str) -> None:
    problem = {
        "title": "Not Found",
        "detail": "There is no board arena.",
        "code": "board_not_found",
    }
    api.answers = [(404, problem)]
    result = tally("players", command, "arena", "ada")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "There is no board arena." in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["show", ".."], ["erase", "..", "--yes"], ["remove", "Arena!", "ada"], ["hide", "arena", "."]],
)
def test_what_cannot_be_sent_is_wrong_usage(api: ApiStub, arguments: list[str]) -> None:
    assert tally("players", *arguments).exit_code == 2
    assert api.seen == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "ada"],
        ["erase", "ada", "--yes"],
        ["remove", "arena", "ada"],
        ["hide", "arena", "a"],
    ],
)
def test_a_stage_that_is_not_deployed_exits_3(arguments: list[str]) -> None:
    result = tally("players", *arguments, "--stage", "dev")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "Nothing is deployed for stage 'dev'" in result.stderr
