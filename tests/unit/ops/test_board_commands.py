"""`tally boards`: making with every option, changing, deleting and sweeping."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ops import sweep
from ops.sweep import SweepError, Swept
from tests.unit.ops.api_stub import ApiStub
from tests.unit.ops.test_cli import BOARD, LAYOUT, NO_BOARD, tally

pytestmark = pytest.mark.usefixtures("home")

SEASON = {"season": "one", "start": 0, "end": 86_400_000}
Steps = Callable[..., list[tuple[str, float]]]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Makes sweeps go through given steps, the last of which may be an error; what was swept."""

    def set_steps(*found: Swept | BaseException) -> list[tuple[str, float]]:
        asked: list[tuple[str, float]] = []

        def sweep_board(_: Any, board: str, per_second: float) -> Iterator[Swept]:
            asked.append((board, per_second))
            for one in found:
                if isinstance(one, BaseException):
                    raise one
                yield one

        monkeypatch.setattr(sweep, "sweep_board", sweep_board)
        return asked

    return set_steps


def test_every_field_of_a_config_has_an_option(api: ApiStub) -> None:
    """What the API takes can be typed; windows and tie-breakers several times."""
    api.answers = [(201, BOARD)]
    options = (
        "--policy latest --window daily --window season:one:1970-01-01:1970-01-02 --time-zone UTC "
        "--retention-days 30 --grace-seconds 60 --entry-ttl 3600 --tie-breaker kills:desc:0:99 "
        "--tie-breaker deaths:asc:0:9 --dimension region --dimension mode"
    )
    assert tally("boards", "create", "arena", *options.split()).exit_code == 0
    assert api.seen[0].body == {
        "policy": "latest",
        "windows": ["daily", SEASON],
        "time_zone": "UTC",
        "retention_days": 30,
        "grace_seconds": 60,
        "entry_ttl_seconds": 3_600,
        "tie_breakers": [
            {"name": "kills", "order": "desc", "range": [0, 99]},
            {"name": "deaths", "order": "asc", "range": [0, 9]},
        ],
        "dimensions": ["region", "mode"],
    }


def test_an_update_sends_the_whole_config_and_its_version(api: ApiStub) -> None:
    """Read, changed where something was given, and written over the version that was read."""
    changed = BOARD | {"version": 4, "display_name": "The arena"}
    api.answers = [(200, BOARD), (200, changed)]
    options = ["--display-name", "The arena", "--retention-days", "0", "--window", "all"]
    result = tally("boards", "update", "arena", *options)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "Changed.")
    assert [one.method for one in api.seen] == ["GET", "PUT"]
    sent = {name: one for name, one in BOARD.items() if name not in ("board", "layouts")}
    assert api.seen[1].body == sent | {"display_name": "The arena", "layout": LAYOUT}
    api.answers = [(200, BOARD), (200, BOARD)]
    assert "It was so already." in tally("boards", "update", "arena").stdout


@pytest.mark.parametrize(("typed", "sent"), [("7200", 7_200), ("0", None)])
def test_an_update_changes_or_drops_the_limit_of_age(
    api: ApiStub, typed: str, sent: int | None
) -> None:
    """0 stands for never; what is not given stays."""
    rolling = BOARD | {"entry_ttl_seconds": 3_600}
    api.answers = [(200, rolling), (200, rolling | {"version": 4})]
    result = tally("boards", "update", "arena", "--entry-ttl", typed)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "Changed.")
    assert api.seen[1].body["entry_ttl_seconds"] == sent
    api.answers = [(200, rolling), (200, rolling)]
    tally("boards", "update", "arena", "--grace-seconds", "5")
    assert api.seen[3].body["entry_ttl_seconds"] == 3_600


def test_an_update_of_windows_says_when_they_come_into_force(api: ApiStub) -> None:
    """Not at once: functions that do not know yet go on as before."""
    api.answers = [(200, BOARD), (200, BOARD | {"version": 4, "time_zone": "Asia/Tokyo"})]
    result = tally("boards", "update", "arena", "--time-zone", "Asia/Tokyo")
    assert "come into force in 70 seconds" in result.stdout


def test_an_update_reads_dates_in_the_boards_own_zone(api: ApiStub) -> None:
    """Unless another zone is given with them."""
    tokyo = BOARD | {"time_zone": "Asia/Tokyo"}
    api.answers = [(200, tokyo), (200, tokyo), (200, tokyo), (200, tokyo)]
    window = ["--window", "season:one:1970-01-01T09:00:1970-01-02T09:00"]
    tally("boards", "update", "arena", *window)
    assert api.seen[1].body["windows"] == [SEASON]
    tally("boards", "update", "arena", *window, "--time-zone", "UTC")
    assert api.seen[3].body["windows"][0]["start"] == 9 * 3_600_000


def test_an_update_adds_dimensions(api: ApiStub) -> None:
    """To those that stand, each once: a live board keeps what it has."""
    standing = BOARD | {"dimensions": ["region"]}
    api.answers = [(200, standing), (200, standing | {"version": 4})]
    tally("boards", "update", "arena", "--dimension", "mode", "--dimension", "region")
    assert api.seen[1].body["dimensions"] == ["region", "mode"]


def test_an_update_that_somebody_forestalled_exits_1(api: ApiStub) -> None:
    conflict = {"title": "Conflict", "detail": "Stands at 4.", "code": "version_conflict"}
    api.answers = [(200, BOARD), (409, conflict)]
    result = tally("boards", "update", "arena", "--top-exact", "5", "--json")
    assert (result.exit_code, json.loads(result.stderr)) == (1, conflict)


def test_a_board_is_shown_with_its_windows_and_tie_breakers(api: ApiStub) -> None:
    column = {"name": "kills", "order": "asc", "range": [0, 1_000]}
    answer = BOARD | {"windows": ["daily", SEASON], "tie_breakers": [column]}
    answer |= {"dimensions": ["region", "mode"]}
    api.answers = [(200, answer), (200, {"boards": [answer]})]
    shown = " ".join(tally("boards", "show", "arena").stdout.split())
    assert "window daily" in shown
    assert "window season one, 1970-01-01 00:00:00Z until 1970-01-02 00:00:00Z" in shown
    assert "tie-breaker kills: less is better, 0 to 1,000" in shown
    assert "retention_days for ever" in shown
    assert "dimensions region, mode" in shown
    assert "daily, season one" in tally("boards", "list").stdout


def test_a_deletion_asks_first(api: ApiStub, steps: Steps) -> None:
    """Without a yes nothing is sent and nothing swept."""
    asked = steps(Swept(is_done=True))
    result = tally("boards", "delete", "arena")
    assert result.exit_code == 1
    assert "Delete board 'arena' of stage 'local'" in result.stderr
    assert (api.seen, asked) == ([], [])


def test_a_deletion_is_sent_and_swept(api: ApiStub, steps: Steps) -> None:
    """With --yes it is deleted, then swept, and told what was removed."""
    asked = steps(Swept(population=9, wait_seconds=3), Swept(5, 0, 9), Swept(9, 1, 9, is_done=True))
    api.answers = [(204, b"")]
    result = tally("boards", "delete", "arena", "--yes")
    assert [(one.method, one.target) for one in api.seen] == [
        ("DELETE", "/api/admin/leaderboards/arena")
    ]
    assert asked == [("arena", 500)]
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == [
        "Removed 9 scores and 1 counter.",
        "Nothing that was deleted is left.",
    ]


def test_a_sweep_tells_what_it_removed_as_json(steps: Steps) -> None:
    asked = steps(Swept(9, 2, is_done=True))
    result = tally("boards", "sweep", "arena", "--json", "--rate", "50")
    assert (result.exit_code, result.stderr, asked) == (0, "", [("arena", 50)])
    assert json.loads(result.stdout) == {
        "board": "arena",
        "scores_removed": 9,
        "counters_removed": 2,
        "is_swept": True,
    }


def test_a_sweep_that_is_interrupted_says_how_it_goes_on(steps: Steps) -> None:
    steps(Swept(7, 0), KeyboardInterrupt())
    result = tally("boards", "sweep", "arena")
    assert result.exit_code == 130
    assert result.stdout.splitlines() == [
        "Removed 7 scores and 0 counters.",
        "Not all of it yet; this goes on: tally boards sweep arena",
    ]


def test_a_sweep_that_fails_says_why_and_how_it_goes_on(steps: Steps) -> None:
    steps(Swept(7, 0), SweepError("The tables did not serve the sweep."))
    result = tally("boards", "sweep", "arena")
    assert result.exit_code == 1
    assert "The tables did not serve the sweep." in result.stderr
    assert "tally boards sweep arena" in result.stdout
    as_json = tally("boards", "sweep", "arena", "--json")
    assert (as_json.stdout, json.loads(as_json.stderr)["code"]) == ("", "sweep_failed")


def test_a_refused_deletion_sweeps_nothing(api: ApiStub, steps: Steps) -> None:
    asked = steps(Swept(is_done=True))
    api.answers = [(404, NO_BOARD)]
    assert tally("boards", "delete", "arena", "--yes").exit_code == 1
    assert asked == []
