"""Each suite against a stage that does nothing wrong: what it asks, checks and leaves behind."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadtests.__main__ import app
from tests.loadtests.conftest import Load
from tests.loadtests.stub import Stage

# Small enough that all of them together take a minute.
CROWD = {"population": 60, "movers": 5, "warm_up_seconds": 1, "in_flight": 8}
BRIEF: dict[str, dict[str, Any]] = {
    "contention": {"players": 100, "in_flight": [2, 8], "warm_up": 5},
    "mixed": CROWD | {"steps": [20, 40], "step_seconds": 2, "reads_to_one_write": 10},
    "capacity": {"populations": [20, 60], "levels": [1, 2, 3], "reads": 2, "warm_up": 4},
    "width": {"population": 60, "reads": 5, "warm_up": 4},
    "freshness": {"boards": 4, "probe_seconds": 0.5, "seconds": 3, "warm_up_seconds": 1},
    "soak": CROWD | {"rate": 20, "seconds": 4},
    "reset": {
        "lead_seconds": 12,
        "before_seconds": 2,
        "after_seconds": 2,
        "warm_up_seconds": 1,
        "final_seconds": 10,
    },
}
# What the evidence must hold, whoever reads it later.
KEYS = {
    "suite", "stage", "local", "commit", "config", "start", "end", "offered", "achieved",
    "percentiles", "requests", "consumed", "share", "limits", "objectives", "verdict", "phases",
    "client", "measured", "series", "tables", "cost_dollars",
}  # fmt: skip


@pytest.mark.parametrize("suite", BRIEF)
def test_a_suite_against_a_faultless_stage_meets_what_no_load_excuses(
    suite: str, load: Load, stage: Stage
) -> None:
    """It checks every answer, leaves whole evidence and a report, and removes its boards."""
    ran = load(suite, **BRIEF[suite])
    found = ran.evidence
    assert ran.code == 0, ran.output
    assert found.keys() >= KEYS
    assert (found["suite"], found["stage"], found["local"]) == (suite, "rig", True)
    assert found["counts"]["checked"] > 0
    assert found["counts"].get("wrong", 0) == 0
    assert found["start"] < found["end"]
    assert found["offered"]
    assert found["offered"].keys() == found["achieved"].keys()
    assert all(one["verdict"] == "met" for one in found["objectives"])
    assert not any(name.startswith("warm-up") for name in found["percentiles"])
    assert all(p50[0] > 0 for one in found["percentiles"].values() for p50 in [one["p50"]])
    assert ran.output.splitlines()[0] == found["limits"][0]
    assert found["limits"][0].startswith("Local run")
    assert ran.directory is not None
    report = (ran.directory / "report.html").read_text()
    assert "window.templateArgs" in report or "locust" in report.lower()
    assert "<svg" in report
    assert stage.made
    assert stage.boards == {}
    assert all(board.startswith(f"load-{suite}-") for board in stage.made)


def test_several_processes_do_one_run(load: Load, tmp_path: Path) -> None:
    """Two share the players, the master holds what both found, and what is kept is small."""
    ran = load("contention", "--processes", "2", players=40, in_flight=[6], warm_up=4)
    assert ran.code == 0, ran.output
    assert ran.evidence["measured"]["6 in flight: taken"] == 40
    assert ran.evidence["requests"]["6 in flight: scores"]["requests"] == 40
    assert ran.evidence["offered"] == {"6 in flight": 6.0}
    kept = CliRunner().invoke(app, ["keep", str(ran.directory), "--into", str(tmp_path / "kept")])
    assert kept.exit_code == 0, kept.output
    folder = tmp_path / "kept" / "contention-rig"
    assert json.loads((folder / "evidence.json").read_text()) == ran.evidence
    page = (folder / "report.html").read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert len(page) < 200_000
