"""The demo: the data it sends, and a load that counts what is refused and goes on."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from ops import demo, demo_load
from ops.client import ApiError, Client
from ops.demo_data import DemoBoard, Line, film_board, race_board
from ops.demo_report import Stopwatch
from ops.local import deployment

MIN_FILMS = 3_000


@pytest.fixture(scope="module")
def race() -> DemoBoard:
    return race_board()


@pytest.fixture(scope="module")
def films() -> DemoBoard:
    return film_board()


def test_every_finisher_is_sent_once(race: DemoBoard) -> None:
    assert len(race.lines) == len({line.player_id for line in race.lines}) == 8_636
    assert len({line.score for line in race.lines}) == 3_430
    assert race.lines[41].player_id == "runner-00042"


def test_films_are_sent_once_titles_that_will_be_refused_among_them(films: DemoBoard) -> None:
    ids = [line.player_id for line in films.lines]
    assert len(ids) == len(set(ids)) >= MIN_FILMS
    assert "Casablanca (1942)" in ids
    for character in "/?#'&!":
        assert any(character in player for player in ids), character


def test_every_score_is_within_its_boards_range(race: DemoBoard, films: DemoBoard) -> None:
    for board in (race, films):
        low, high = board.config["score_range"]
        assert all(low <= line.score <= high for line in board.lines)


def test_lines_sort_as_the_board_ranks_them() -> None:
    a, b, c, d = Line("a", 1, 9), Line("b", 2, 9), Line("c", 2, 8), Line("d", 2, 9)
    for order, expected in (("asc", [a, c, b, d]), ("desc", [c, b, d, a])):
        assert DemoBoard("x", {"order": order}, []).in_order([d, b, a, c]) == expected


class Server:
    """Takes batches, refuses what breaks the rule, and is busy when it is told to be."""

    def __init__(self) -> None:
        self.scores: dict[str, int] = {}
        self.busy: list[Callable[[list[Any]], None]] = []
        self.batches: list[int] = []

    def submit_batch(self, _board: str, scores: list[Any]) -> list[Any]:
        self.batches.append(len(scores))
        results = [self._one(score["player_id"], score["score"]) for score in scores]
        if self.busy:
            self.busy.pop()(results)
        return results

    def _one(self, player: str, score: int) -> dict[str, Any]:
        if found := re.search(r"[/?#%]", player):
            return {"status": 400, "title": "Bad id", "detail": f"It holds {found.group()!r}."}
        outcome = "kept" if player in self.scores else "new"
        self.scores[player] = score
        return {"status": 200, "outcome": outcome}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(demo_load, "FIRST_PAUSE_SECONDS", 0)
    return Server()


def load(server: Server, lines: list[Line]) -> tuple[demo_load.LoadReport, int]:
    advanced: list[int] = []
    report = demo_load.load(cast(Client, server), "films", lines, advanced.append)
    return report, sum(advanced)


def test_refused_lines_are_counted_by_reason_and_the_load_goes_on(
    server: Server, films: DemoBoard
) -> None:
    report, advanced = load(server, films.lines)
    bad = [line for line in films.lines if re.search(r"[/?#%]", line.player_id)]
    assert advanced == len(films.lines)
    assert report.refused.total() == len(bad) > 0
    assert {"It holds '/'.", "It holds '?'.", "It holds '#'."} <= report.refused.keys()
    assert report.outcomes == {"new": len(films.lines) - len(bad)}
    assert len(report.accepted) == report.outcomes.total() == len(server.scores)
    assert max(server.batches) == 100


def test_loading_again_keeps_everything(server: Server) -> None:
    lines = [Line(f"p{i}", i, 0) for i in range(250)]
    load(server, lines)
    report, _ = load(server, lines)
    assert report.outcomes == {"kept": 250}


def test_entries_the_server_was_too_busy_for_are_sent_again(server: Server) -> None:
    def throttle_some(results: list[Any]) -> None:
        results[3:5] = [{"status": 503}] * 2

    def break_down(_results: list[Any]) -> None:
        raise ApiError(502, {})

    server.busy = [break_down, throttle_some]
    report, advanced = load(server, [Line(f"p{i}", i, 0) for i in range(10)])
    assert (report.outcomes.total(), report.refused.total(), advanced) == (10, 0, 10)
    assert len(server.batches) == 3
    assert server.batches[1:] in ([2, 2], [2, 10], [10, 2])


def test_a_batch_refused_as_a_whole_ends_the_load(server: Server) -> None:
    def refuse(_results: list[Any]) -> None:
        time.sleep(0.02)
        raise ApiError(404, {"title": "No such board"})

    server.busy = [refuse] * 100
    with pytest.raises(ApiError, match="No such board"):
        load(server, [Line(f"p{i}", i, 0) for i in range(5_000)])
    assert len(server.batches) < 50


@pytest.mark.parametrize(
    ("state", "words"),
    [(deployment.DOWN, "Nothing is left running"), (deployment.UP, "tally local down")],
)
def test_an_interrupt_says_what_is_left_running(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: str, words: str
) -> None:
    def interrupt(*_: Any) -> int:
        raise KeyboardInterrupt

    left = deployment.Deployment(state=state, state_dir=Path())
    monkeypatch.setattr(demo, "run", interrupt)
    monkeypatch.setattr(deployment, "status", lambda _: left)
    assert demo.main() == 130
    assert words in capsys.readouterr().out


def test_the_stopwatch_times_each_step_until_the_next() -> None:
    stopwatch, shown = Stopwatch(), list[str]()
    with stopwatch.steps(shown.append) as progress:
        progress("bootstrap")
        progress("deploy")
    assert [name for name, _ in stopwatch.parts] == shown == ["bootstrap", "deploy"]
    assert all(seconds >= 0 for _, seconds in stopwatch.parts)
