"""`tally`: what goes out, what is printed where, and how it exits."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from ops.cli import app
from ops.local import deployment
from ops.processes import free_port
from tests.unit.ops.api_stub import STACKS, ApiStub, write_outputs

EXACT = {
    "kind": "exact",
    "basis": "counters",
    "player_id": "ada",
    "score": 120,
    "window": "all",
    "rank": 14238,
    "rank_range": [14238, 14238],
    "approximate_rank": 14238,
    "percentile_range": [0.0355, 0.0357],
    "population": 40000000,
    "as_of": 1764000000000,
}
ESTIMATED = EXACT | {
    "kind": "estimated",
    "rank": None,
    "rank_range": [9120, 9480],
    "approximate_rank": 9300,
}
UNRANKED = {"kind": "unranked", "player_id": "ada", "rank": None, "population": 3}
TOP = {
    "entries": [{"rank": 1, "player_id": "[bold]Bo[/]", "score": -5, "achieved_at": 0}],
    "next_cursor": None,
    "population": 1,
    "as_of": None,
}
ENTRIES = [
    {"rank": 6 + i, "offset": i, "player_id": f"p{i}", "score": 90 - i, "achieved_at": 0}
    for i in range(-1, 2)
]
AROUND = {"kind": "exact", "rank": 6, "entries": ENTRIES, "population": 9000, "as_of": 0}
FRIENDS = {"entries": ENTRIES, "unranked": ["[b]Cy[/]"]}
RANKS = {"ranks": [{**EXACT, "score": -5}], "population": 40000000, "as_of": 0}
STANDING = {
    "rank": 40000,
    "kind": "exact",
    "basis": "counters",
    "score": 120,
    "score_range": [120, 120],
    "holders": 2,
    "player_id": "[b]Bo[/]",
    "population": 90000,
    "as_of": 0,
}
DISTRIBUTION = {
    "population": 3,
    "buckets": [{"low": 100, "high": 199, "count": 1}, {"low": 0, "high": 99, "count": 2}],
    "quantiles": [
        {"percentile": 50, "rank": 1, "score": 120, "score_range": [120, 120]},
        {"percentile": 99, "rank": 2, "score": None, "score_range": [0, 99]},
    ],
    "as_of": 0,
}
LAYOUT = {"buckets": 128, "spacing": "log", "levels": 2, "counter_shards": 4, "index_shards": 1}
BOARD = {
    "board": "arena",
    "version": 3,
    "policy": "best",
    "order": "desc",
    "score_range": [0, 1000000],
    "tie_breakers": [],
    "windows": ["all"],
    "time_zone": "UTC",
    "retention_days": None,
    "display_name": None,
    "layout": LAYOUT,
    "layouts": [{"number": 1, "state": "filling", **LAYOUT}],
}
INFO = {
    "board": "arena",
    "policy": "best",
    "order": "desc",
    "ties": "shared",
    "score_range": [0, 1000000],
    "display_name": "[b]Arena[/]",
    "description": None,
    "windows": [{"window": "all", "state": "open", "population": 90000, "as_of": 0}],
}
NO_BOARD = {"title": "No such board", "status": 404, "detail": "arena", "code": "board_not_found"}


def tally(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})


pytestmark = pytest.mark.usefixtures("home")

READS = [
    (["rank", "arena", "ada"], EXACT),
    (["top", "arena"], TOP),
    (["around", "arena", "ada"], AROUND),
    (["friends", "arena", "ada", "bo"], FRIENDS),
    (["ranks", "arena", "120"], RANKS),
    (["standing", "arena", "--rank", "40000"], STANDING),
    (["distribution", "arena"], DISTRIBUTION),
    (["info", "arena"], INFO),
    (["boards", "show", "arena"], BOARD),
    (["boards", "list"], {"boards": [BOARD]}),
    (["submit", "arena", "ada", "120"], {"player_id": "ada", "outcome": "new", "score": 120}),
    (["boards", "create", "arena"], BOARD),
]


@pytest.mark.parametrize(("arguments", "answer"), READS)
def test_json_is_the_apis_own_answer_and_nothing_else(
    api: ApiStub, arguments: list[str], answer: Any
) -> None:
    api.answers = [(200, answer)]
    result = tally(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == answer


@pytest.mark.parametrize("arguments", [arguments for arguments, _ in READS])
def test_a_refusal_exits_1_with_the_problem_on_stderr(api: ApiStub, arguments: list[str]) -> None:
    api.answers = [(404, NO_BOARD)] * 2
    as_json = tally(*arguments, "--json")
    assert (as_json.exit_code, as_json.stdout) == (1, "")
    assert json.loads(as_json.stderr) == NO_BOARD
    for_people = tally(*arguments)
    assert (for_people.exit_code, for_people.stderr) == (1, "No such board: arena\n")


def test_refused_fields_are_named(api: ApiStub) -> None:
    errors = [{"field": "score", "message": "Must be within 0 to 10."}]
    api.answers = [(422, {"title": "Invalid fields", "errors": errors})]
    result = tally("submit", "arena", "ada", "11")
    assert result.stderr == "Invalid fields\n  score: Must be within 0 to 10.\n"


@pytest.mark.parametrize("arguments", [[*arguments] for arguments, _ in READS] + [["audit"]])
def test_nothing_deployed_exits_3_and_names_the_command(arguments: list[str]) -> None:
    result = tally(*arguments, "--stage", "dev")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "Nothing is deployed for stage 'dev'" in result.stderr
    assert "npx cdk deploy --all -c stage=dev" in result.stderr
    as_json = tally(*arguments, "--stage", "dev", "--json")
    assert json.loads(as_json.stderr)["code"] == "not_deployed"


def test_a_deployment_that_stopped_exits_3(home: Path) -> None:
    gone = {"Service": {"ApiUrl": f"http://abc.execute-api.localhost:{free_port()}"}}
    write_outputs(home, {"Data": STACKS["Tallyboard-local-DataStack"], **gone})
    for command in (["boards", "list"], ["audit"]):
        result = tally(*command)
        assert result.exit_code == 3
        assert "tally local up" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["submit", "arena", "ada", "1.5"],
        ["submit", "arena", "ada"],
        ["submit", "arena", "ada", "5", "--nonsense"],
        ["submit", "arena", "ada", "5", "--tie", "lives"],
        ["submit", "arena", "ada", "5", "--tie", "lives=many"],
        ["submit", "arena", "ada", "5", "--tie", "=5"],
        ["submit", "arena", "ada", "5", "--segment", "region"],
        ["submit", "arena", "ada", "5", "--segment", ":eu"],
        ["rank", "Arena!", "ada"],
        ["rank", "arena", ".."],
        ["top", "arena", "--limit", "0"],
        ["top", "arena", "--start-rank", "0"],
        ["top", "arena", "--all", "--limit", "5"],
        ["around", "arena", "ada", "-k", "-1"],
        ["around", "arena", "ada", "-k", "51"],
        ["friends", "arena", "ada"],
        ["ranks", "arena", "1.5"],
        ["ranks", "arena"],
        ["standing", "arena"],
        ["standing", "arena", "--rank", "1", "--percentile", "5"],
        ["standing", "arena", "--percentile", "101"],
        ["boards", "create", "arena", "--min", "5"],
        ["boards", "create", "arena", "--order", "sideways"],
        ["boards", "create", "arena", "--window", "hourly"],
        ["boards", "create", "arena", "--window", "season:x:2027-02-30:2027-03-01"],
        ["boards", "create", "arena", "--tie-breaker", "kills"],
        ["boards", "create", "arena", "--tie-breaker", "kills:up:0:9"],
        ["boards", "update", "arena", "--window", "season::1:2"],
        ["boards", "update", "arena", "--order", "asc"],
    ],
)
def test_wrong_usage_exits_2_and_sends_nothing(api: ApiStub, arguments: list[str]) -> None:
    assert tally(*arguments).exit_code == 2
    assert api.seen == []


def test_the_stage_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY_STAGE", "qa")
    assert "stage 'qa'" in tally("boards", "list").stderr


@pytest.mark.parametrize("score", [["-5"], ["--", "-5"]])
def test_a_score_may_be_negative(api: ApiStub, score: list[str]) -> None:
    api.answers = [(200, {"outcome": "new", "score": -5, "windows": {"all": EXACT}})]
    result = tally("submit", "golf", "bo", "--achieved-at", "1000", *score)
    assert api.seen[0].body == {"player_id": "bo", "score": -5, "achieved_at": 1000}
    assert result.stdout.splitlines() == [
        "new: bo has -5",
        "all: rank 14,238 of 40,000,000 (exact, by counters)",
    ]


def test_a_submission_has_an_id_and_tie_breakers_where_they_are_given(api: ApiStub) -> None:
    """Each `--tie` is one column; what is not given is not sent."""
    answer = {"outcome": "added", "score": 5, "windows": {}}
    api.answers = [(200, answer)] * 2
    tally("submit", "coins", "cy", "3")
    options = "--submission-id m=7 --tie lives=3 --tie errors=-1 --segment region:eu"
    tally("submit", "golf", "bo", "70", *options.split())
    assert api.seen[0].body == {"player_id": "cy", "score": 3}
    assert api.seen[1].body == {
        "player_id": "bo",
        "score": 70,
        "submission_id": "m=7",
        "tie_breakers": {"lives": 3, "errors": -1},
        "segments": {"region": "eu"},
    }


def test_only_what_is_given_is_sent_when_a_board_is_made(api: ApiStub) -> None:
    """The server has the defaults; an explicit 0 is something given."""
    api.answers = [(201, BOARD), (200, BOARD)]
    made = tally("boards", "create", "arena")
    options = "--order asc --min 0 --max 20000 --levels 1 --spacing log --exact-limit 100"
    again = tally("boards", "create", "arena", *options.split(), "--display-name", "The arena")
    assert (made.stdout.split(".")[0], again.stdout.split(".")[0]) == (
        "Made",
        "It was there already, with this config",
    )
    assert api.seen[0].body == {}
    assert api.seen[1].body == {
        "order": "asc",
        "score_range": [0, 20000],
        "exact_limit": 100,
        "display_name": "The arena",
        "layout": {"levels": 1, "spacing": "log"},
    }


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (EXACT, "rank 14,238 of 40,000,000 (exact, by counters)"),
        (ESTIMATED, "rank 9,120 to 9,480 of 40,000,000, about 9,300 (estimated)"),
        (UNRANKED, "not ranked"),
    ],
)
def test_a_rank_claims_no_more_than_it_knows(
    api: ApiStub, answer: dict[str, Any], line: str
) -> None:
    api.answers = [(200, answer)]
    assert line in tally("rank", "arena", "ada").stdout


def test_explain_shows_what_a_read_consumed(api: ApiStub) -> None:
    explain = {
        "path": ["2k", "0a"],
        "nodes_read": 2,
        "entries_counted": 12,
        "read_units": 1.5,
        "cached": False,
    }
    api.answers = [(200, EXACT | {"explain": explain})]
    result = tally("rank", "arena", "ada", "--explain")
    assert api.seen[0].target.endswith("/rank?explain=true")
    assert "1.5 read units: 2 counter nodes, 12 entries counted" in result.stdout


def test_ids_are_shown_as_they_are(api: ApiStub) -> None:
    """What looks like markup in an id is text."""
    api.answers = [(200, TOP)]
    result = tally("top", "arena", "--limit", "5")
    assert "[bold]Bo[/]" in result.stdout
    assert api.seen[0].target.endswith("/top?limit=5")


COMMANDS = """
local up, local status, local down, boards create, boards update, boards show, boards list,
boards delete, boards sweep, players show, players erase, players remove, players hide,
players unhide, submit, rank, top, around, friends, ranks, standing, distribution,
info, audit, status, import, export, study widths, study contention, study cost, study latency,
evidence compare
"""


@pytest.mark.parametrize("command", [name.strip() for name in COMMANDS.split(",")])
def test_every_help_teaches_with_an_example(command: str) -> None:
    result = tally(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"tally {command}" in result.stdout.partition("Example")[2]


def test_local_status_tells_that_nothing_runs(home: Path) -> None:
    """With exit code 3, so that a script can ask."""
    result = tally("local", "status")
    assert result.exit_code == 3
    assert "Start it with: tally local up" in result.stdout
    as_json = tally("local", "status", "--json")
    assert json.loads(as_json.stdout)["state"] == "down"
    assert json.loads(as_json.stdout)["state_dir"] == str(home)


def test_local_down_may_be_repeated() -> None:
    assert tally("local", "down").stdout == "It was not running.\n"
    assert json.loads(tally("local", "down", "--json").stdout) == {"stopped": False}


def test_a_deploy_that_fails_exits_1_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise deployment.EmulatorError("MiniStack did not start")

    monkeypatch.setattr(deployment, "up", fail)
    result = tally("local", "up", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert json.loads(result.stderr)["detail"] == "MiniStack did not start"
