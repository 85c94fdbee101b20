"""Runs that must not pass: each names what went wrong, and ends with a code of its own."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadtests.__main__ import app
from ops.processes import free_port, wait_until
from tests.loadtests.conftest import Load
from tests.loadtests.stub import Stage

CROWD = {"population": 60, "movers": 5, "warm_up_seconds": 1, "in_flight": 4}


def test_a_stalled_server_is_load_not_reached(load: Load, stage: Stage) -> None:
    """A slow stage lowers the rate of whoever waits for it; the run says so and judges no rate."""
    stage.faults.stall_seconds = 0.2
    ran = load("soak", **CROWD | {"population": 20}, rate=20, seconds=4)
    assert ran.code == 4, ran.output
    assert ran.evidence["verdict"] == "load not reached"
    offered, achieved = ran.evidence["offered"], ran.evidence["achieved"]
    assert offered["first half"] == 20
    assert achieved["first half"] < 10
    assert any("of 20 operations a second" in one for one in ran.evidence["reasons"])
    judged = {one["measure"]: one["verdict"] for one in ran.evidence["objectives"]}
    assert judged["failure share"] == "not judged"
    assert judged["wrong answers"] == "met"


def test_a_wrong_rank_is_caught(load: Load, stage: Stage) -> None:
    """One place off is enough: an objective is missed, which no load excuses."""
    stage.faults.ranks_off = 1
    sizes = {"populations": [20], "levels": [2], "depths": [0.5], "reads": 10, "warm_up": 2}
    ran = load("capacity", **sizes)
    assert ran.code == 1, ran.output
    assert ran.evidence["verdict"] == "objective missed"
    assert ran.evidence["measured"]["wrong answers"] >= 10
    assert "rank" in ran.evidence["words"][0]
    assert ran.evidence["requests"]["reads: rank"]["failures"] == 10


def test_a_lost_count_is_caught(load: Load, stage: Stage, environment: dict[str, str]) -> None:
    """A player who is stored and counted nowhere shows as cells that are off."""
    environment["TALLY_LOADTEST_PATIENCE"] = "1"
    stage.faults.lost = 1
    ran = load("contention", players=30, in_flight=[4], warm_up=2)
    assert ran.code == 1, ran.output
    assert ran.evidence["measured"]["4 in flight: cells off"] > 0


def test_a_result_in_the_wrong_window_is_caught(
    load: Load, stage: Stage, environment: dict[str, str]
) -> None:
    """A season that takes what came after its end is a wrong answer."""
    environment["TALLY_LOADTEST_PATIENCE"] = "1"
    stage.faults.late_season = True
    ran = load(
        "reset",
        lead_seconds=20,  # a busy machine takes long to begin
        before_seconds=1,
        after_seconds=2,
        warm_up_seconds=1,
        final_seconds=0,
    )
    assert ran.code == 1, ran.output
    assert ran.evidence["measured"]["wrong answers"] > 0
    assert any("s:storm" in one for one in ran.evidence["words"])


def test_a_skewed_clock_stops_before_the_first_board(load: Load, stage: Stage) -> None:
    """The gateway refuses it: the client is at fault, and nothing is measured."""
    stage.faults.clock = timedelta(minutes=10)
    ran = load("contention", players=30, in_flight=[4], warm_up=2)
    assert ran.code == 5, ran.output
    assert "600 s behind the stage's" in ran.output or "599 s behind" in ran.output
    assert stage.made == []


def test_credentials_that_end_within_a_run_stop_it_early(load: Load, stage: Stage) -> None:
    """The first 403 ends the run as the client's fault, long before its time."""
    stage.faults.refused_after = 60
    began = time.monotonic()
    ran = load("soak", **CROWD, rate=20, seconds=60)
    assert ran.code == 5, ran.output
    assert time.monotonic() - began < 30
    assert ran.evidence["verdict"] == "client at fault"
    assert "gateway refused the client" in ran.evidence["reasons"][0]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("soak", "--stage", "prod"), 2, "serves players"),
        (("soap",), 2, "There is no suite 'soap'"),
        (("soak", "--set", "rat=3"), 2, "There is no size 'rat'"),
        (("soak", "--stage", "nowhere"), 3, "Nothing is deployed for stage 'nowhere'"),
        (("soak", "--stage", "dev"), 2, "Say --yes to agree"),
    ],
)
def test_what_cannot_be_run_is_refused(
    options: tuple[str, ...],
    code: int,
    words: str,
    stage: Stage,
    environment: dict[str, str],
) -> None:
    """Before anything is made: a stage of players, a suite that is none, a cost not agreed to."""
    done = CliRunner().invoke(app, ["run", *options], env=environment)
    assert (done.exit_code, stage.requests) == (code, 0)
    assert words in done.output


def test_a_killed_run_leaves_boards_that_cleanup_finds(
    stage: Stage, environment: dict[str, str], tmp_path: Path
) -> None:
    """Nothing can be removed by what was killed; `cleanup --all` does it, and no other board."""
    stage.put("arena", {})
    command = [sys.executable, "-m", "loadtests", "run", "soak", "--stage", "rig"]
    command += ["--set", "population=60", "--set", "movers=5"]
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert wait_until(lambda: stage.requests > 40, seconds=60)
    process.kill()
    process.wait()
    assert len(stage.boards) == 2
    assert wait_until(lambda: _is_quiet(stage), seconds=60), "load goes on without its command"
    cleanup = [sys.executable, "-m", "loadtests", "cleanup", "--stage", "rig"]
    for options, left in (((), 2), (("--all",), 1), (("--all",), 1)):
        subprocess.run([*cleanup, *options], env=environment, cwd=tmp_path, check=True)
        assert len(stage.boards) == left
    assert list(stage.boards) == ["arena"]


@pytest.mark.parametrize("options", [(), ("--web",)])
def test_an_interrupted_run_says_so_and_removes_its_boards(
    options: tuple[str, ...], stage: Stage, environment: dict[str, str], tmp_path: Path
) -> None:
    """Ctrl-C ends it early, with or without a page: evidence of what was done, no boards."""
    command = [sys.executable, "-m", "loadtests", "run", "soak", "--stage", "rig", *options]
    command += ["--web-port", str(port := free_port()), "--set", "population=60"]
    command += ["--set", "movers=5", "--set", "warm_up_seconds=1", "--set", "in_flight=4"]
    process = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert wait_until(lambda: stage.requests > 40, seconds=60)
    if options:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            assert b"Locust" in page.read()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 6, output
    assert stage.boards == {}
    (file,) = (tmp_path / "reports" / "soak").glob("*/evidence.json")
    assert json.loads(file.read_text())["verdict"] == "not finished"
    assert file.with_name("report.html").exists()


def _is_quiet(stage: Stage) -> bool:
    before = stage.requests
    time.sleep(1)
    return stage.requests == before
