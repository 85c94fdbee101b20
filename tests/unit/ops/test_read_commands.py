"""The commands that read: what goes out, and what people see of the answers."""

import json
from typing import Any

import pytest

from tests.unit.ops.api_stub import ApiStub
from tests.unit.ops.test_cli import (
    AROUND,
    DISTRIBUTION,
    ENTRIES,
    ESTIMATED,
    EXACT,
    FRIENDS,
    INFO,
    RANKS,
    STANDING,
    TOP,
    UNRANKED,
    tally,
)

pytestmark = pytest.mark.usefixtures("home")

PAGES = [
    (200, {"entries": ENTRIES[:2], "next_cursor": "c1", "population": 3, "as_of": 0}),
    (200, {"entries": ENTRIES[2:], "next_cursor": None, "population": 3, "as_of": 0}),
]


def targets(api: ApiStub) -> list[str]:
    return [seen.target.removeprefix("/api/leaderboards/arena/") for seen in api.seen]


# --- Pages -----------------------------------------------------------------------------------


def test_a_page_may_start_at_any_rank(api: ApiStub) -> None:
    api.answers = PAGES[1:]
    tally("top", "arena", "--start-rank", "5")
    assert targets(api) == ["top?limit=10&start_rank=5"]


def test_all_follows_the_cursors_to_the_end(api: ApiStub) -> None:
    """The start rank goes with the first page alone; one table shows every entry."""
    api.answers = list(PAGES)
    result = tally("top", "arena", "--all", "--start-rank", "5")
    assert targets(api) == ["top?limit=1000&start_rank=5", "top?cursor=c1&limit=1000"]
    assert [line.split()[1] for line in result.stdout.splitlines()[3:6]] == ["5", "6", "7"]
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "3 players")


def test_all_as_json_is_an_entry_a_line(api: ApiStub) -> None:
    api.answers = list(PAGES)
    result = tally("top", "arena", "--all", "--json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == ENTRIES
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_walk_that_breaks_exits_1_after_what_it_had(api: ApiStub) -> None:
    """The lines printed are whole, and the exit code tells that they are not all."""
    problem = {"title": "Throttled", "status": 503, "detail": "Later.", "code": "throttled"}
    api.answers = [PAGES[0], (503, problem)]
    result = tally("top", "arena", "--all", "--json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == ENTRIES[:2]
    assert (result.exit_code, json.loads(result.stderr)) == (1, problem)


def test_progress_goes_to_stderr_of_a_terminal(
    api: ApiStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    api.answers = list(PAGES)
    result = tally("top", "arena", "--all", "--json")
    assert "3 of 3" in result.stderr
    assert [json.loads(line) for line in result.stdout.splitlines()] == ENTRIES


def test_past_the_end_of_a_board_are_no_entries(api: ApiStub) -> None:
    api.answers = [(200, {"entries": [], "next_cursor": None, "population": 3, "as_of": 0})]
    assert tally("top", "arena", "--start-rank", "9").stdout == "No entries here.\n3 players\n"


# --- Neighbours and friends ------------------------------------------------------------------


def test_around_shows_ranks_and_points_at_the_player(api: ApiStub) -> None:
    api.answers = [(200, AROUND)]
    lines = tally("around", "arena", "p0", "-k", "1").stdout.splitlines()
    assert targets(api) == ["players/p0/around?k=1"]
    assert [line.split()[1:4:2] for line in lines[3:6]] == [["5", "p-1"], ["6", "p0"], ["7", "p1"]]
    assert ["\u25c2" in line for line in lines[3:6]] == [False, True, False]
    assert lines[-1] == "p0: rank 6 of 9,000"


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ({"rank": None}, "p0: somewhere among 9,000"),
        (
            {"rank": None, "rank_range": [6, 11], "approximate_rank": 8},
            "p0: rank 6 to 11 of 9,000, about 8 (estimated)",
        ),
    ],
)
def test_around_a_player_whose_rank_is_a_range_shows_places(
    api: ApiStub, known: dict[str, Any], line: str
) -> None:
    """No line claims a rank that nobody counted."""
    entries = [{**entry, "rank": None} for entry in ENTRIES]
    api.answers = [(200, {**AROUND, "kind": "estimated", "entries": entries, **known})]
    lines = tally("around", "arena", "p0").stdout.splitlines()
    assert [shown.split()[1] for shown in lines[3:6]] == ["-1", "0", "+1"]
    assert lines[-1] == line


def test_around_a_player_without_a_score_says_so(api: ApiStub) -> None:
    api.answers = [(200, {**UNRANKED, "entries": []})]
    assert tally("around", "arena", "ada").stdout == "ada is not ranked.\n"


def test_around_explains_what_it_consumed(api: ApiStub) -> None:
    explain = {"path": [], "nodes_read": 1, "entries_counted": 4, "read_units": 2.5, "cached": True}
    api.answers = [(200, {**AROUND, "explain": explain})]
    shown = tally("around", "arena", "p0", "--explain").stdout
    assert targets(api) == ["players/p0/around?explain=true&k=5"]
    assert shown.splitlines()[-1] == ("2.5 read units: 1 counter node (cached), 4 entries counted")


def test_friends_are_ranked_and_the_others_named(api: ApiStub) -> None:
    """What looks like markup in an id is text."""
    api.answers = [(200, FRIENDS)]
    lines = tally("friends", "arena", "p0", "p1", "[b]Cy[/]").stdout.splitlines()
    assert api.seen[0].body == {"player_id": "p0", "friend_ids": ["p1", "[b]Cy[/]"]}
    assert ["\u25c2" in line for line in lines[3:6]] == [False, True, False]
    assert lines[-1] == "not ranked: [b]Cy[/]"


# --- Scores and ranks ------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [["120", "-5"], ["--", "120", "-5"]])
def test_ranks_of_scores_may_be_asked_below_zero(api: ApiStub, scores: list[str]) -> None:
    api.answers = [(200, RANKS)]
    assert "rank 14,238 of 40,000,000" in tally("ranks", "arena", *scores).stdout
    assert api.seen[0].body == {"scores": [120, -5]}


def test_ranks_take_the_population_of_the_whole_answer(api: ApiStub) -> None:
    one = {name: value for name, value in ESTIMATED.items() if name != "population"}
    api.answers = [(200, {"ranks": [one], "population": 40000, "as_of": 0})]
    assert "rank 9,120 to 9,480 of 40,000, about" in tally("ranks", "arena", "120").stdout


@pytest.mark.parametrize(
    ("arguments", "query"),
    [(["--rank", "7"], "rank=7"), (["--percentile", "2.5"], "percentile=2.5")],
)
def test_standing_is_asked_by_rank_or_by_percentile(
    api: ApiStub, arguments: list[str], query: str
) -> None:
    api.answers = [(200, STANDING)]
    result = tally("standing", "arena", *arguments)
    assert targets(api) == [f"standing?{query}"]
    assert [line.split(maxsplit=1)[1].strip() for line in result.stdout.splitlines()[:2]] == [
        "40,000 of 90,000",
        "120",
    ]
    assert "2 players" in result.stdout
    assert "[b]Bo[/]" in result.stdout


def test_a_standing_known_as_a_range_is_shown_as_one(api: ApiStub) -> None:
    unknown = {
        "kind": "estimated",
        "score": None,
        "score_range": [100, 1999],
        "holders": None,
        "player_id": None,
    }
    api.answers = [(200, {**STANDING, **unknown})]
    shown = tally("standing", "arena", "--rank", "40000").stdout
    assert "100 to 1,999" in shown
    assert "within the range of its cell" in shown
    assert "held by" not in shown
    assert "player" not in shown


def test_a_rank_behind_the_last_is_nobodys(api: ApiStub) -> None:
    vacant = {"kind": "vacant", "rank": 40000, "score": None, "score_range": None, "population": 9}
    api.answers = [(200, vacant)]
    shown = tally("standing", "arena", "--rank", "40000").stdout
    assert shown == "Nobody stands at rank 40,000: the board has 9 players.\n"


# --- The distribution ------------------------------------------------------------------------


def test_a_distribution_is_a_bar_a_row(api: ApiStub) -> None:
    api.answers = [(200, DISTRIBUTION)]
    lines = tally("distribution", "arena").stdout.splitlines()
    bars = [line.count("\u2588") for line in lines[:2]]
    assert bars[1] // 2 == bars[0] > 40
    assert [line.strip() for line in lines[2:]] == [
        "3 players",
        "top 50 %  rank 1  score 120",
        "top 99 %  rank 2  score 0 to 99",
    ]


def test_the_players_row_is_marked(api: ApiStub) -> None:
    api.answers = [(200, DISTRIBUTION), (200, EXACT)]
    lines = tally("distribution", "arena", "--player", "ada").stdout.splitlines()
    assert targets(api) == ["distribution", "players/ada/rank"]
    assert ["\u25c2 ada" in line for line in lines[:2]] == [True, False]
    assert lines[3].startswith("ada: score 120, rank 14,238 of 40,000,000 (exact, by counters)")


def test_a_player_without_a_score_marks_no_row(api: ApiStub) -> None:
    api.answers = [(200, DISTRIBUTION), (200, UNRANKED)]
    shown = tally("distribution", "arena", "--player", "ada").stdout
    assert "\u25c2" not in shown
    assert "ada: not ranked" in shown


def test_json_holds_the_players_rank_beside_the_distribution(api: ApiStub) -> None:
    api.answers = [(200, DISTRIBUTION), (200, EXACT)]
    result = tally("distribution", "arena", "--player", "ada", "--json")
    assert json.loads(result.stdout) == {**DISTRIBUTION, "player": EXACT}


def test_an_empty_board_has_no_bars(api: ApiStub) -> None:
    api.answers = [(200, {"population": 0, "buckets": [], "quantiles": [], "as_of": 0})]
    assert tally("distribution", "arena").stdout == "No scores are counted yet.\n"


# --- What may be asked of every read -----------------------------------------------------------

EXPLAIN = {"path": [], "nodes_read": 1, "entries_counted": 4, "read_units": 2.5, "cached": False}
WALKS = [
    (["rank", "arena", "p0"], EXACT),
    (["top", "arena"], TOP),
    (["around", "arena", "p0"], AROUND),
    (["ranks", "arena", "120"], RANKS),
    (["standing", "arena", "--rank", "7"], STANDING),
    (["distribution", "arena"], DISTRIBUTION),
]


@pytest.mark.parametrize(("arguments", "answer"), WALKS, ids=[one[0][0] for one in WALKS])
def test_every_walk_explains_itself_when_asked(
    api: ApiStub, arguments: list[str], answer: dict[str, Any]
) -> None:
    """One line says what was read and consumed, and nothing is said unasked."""
    api.answers = [(200, {**answer, "explain": EXPLAIN}), (200, answer)]
    shown = tally(*arguments, "--explain").stdout
    assert "2.5 read units: 1 counter node, 4 entries counted" in shown
    assert "read units" not in tally(*arguments).stdout
    assert ["explain=true" in target for target in targets(api)] == [True, False]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [*WALKS, (["friends", "arena", "p0", "p1"], FRIENDS)],
    ids=[*(one[0][0] for one in WALKS), "friends"],
)
def test_every_read_may_name_its_window_and_segment(
    api: ApiStub, arguments: list[str], answer: dict[str, Any]
) -> None:
    """Both go with the request; without a window the board's first is read."""
    api.answers = [(200, answer), (200, answer)]
    tally(*arguments, "--window", "w2026-W49", "--segment", "region:eu")
    tally(*arguments)
    assert ["window=w2026-W49" in target for target in targets(api)] == [True, False]
    assert ["segment=region%3Aeu" in target for target in targets(api)] == [True, False]


def test_each_page_is_of_the_same_window(api: ApiStub) -> None:
    """A walk to the end names the window on every page, and explains none."""
    api.answers = list(PAGES)
    tally("top", "arena", "--all", "--window", "all", "--segment", "mode:duo")
    assert all("window=all" in target for target in targets(api))
    assert all("segment=mode%3Aduo" in target for target in targets(api))
    assert tally("top", "arena", "--all", "--explain").exit_code == 2


def test_info_shows_a_board_and_its_windows(api: ApiStub) -> None:
    """How it ranks, and how many play in each window; what looks like markup is text."""
    api.answers = [(200, INFO)]
    shown = tally("info", "arena").stdout
    assert api.seen[0].target == "/api/leaderboards/arena"
    assert "[b]Arena[/]" in shown
    assert "best, desc, ties shared" in shown
    assert "90,000" in shown.splitlines()[-2]
