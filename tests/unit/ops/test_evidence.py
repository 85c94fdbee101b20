"""Two runs side by side: what counts as moved, and what is only noise."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ops import evidence
from ops.cli import app


def run(**changed: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "format": 1,
        "suite": "soak",
        "stage": "rig",
        "commit": "abc",
        "verdict": "objectives met",
        "config": {"board": "load-1", "rate": 20},
        "achieved": {"steady": 20.0},
        "measured": {"cells off": 0, "steady: rank p50 ms": 10.0},
        "requests": {"steady: rank": {"requests": 100, "failures": 0}},
        "consumed": {"write_units": {"Scores": 50.0}, "read_units": {}},
        "client": {"cpu_ms_a_request": 1.0},
        "percentiles": {"steady: rank": {"p50": [10.0, 9.0, 11.0]}},
        "samples": {"lag": {"p50": [1.0, 0.9, 1.1], "p95": None, "p99": None}},
    }
    return found | changed


def moved(second: dict[str, Any]) -> list[str]:
    return [row.name for row in evidence.compare(run(), second) if row.moved]


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({}, []),
        ({"percentiles": {"steady: rank": {"p50": [12.0, 10.5, 13.0]}}}, []),  # they overlap
        ({"percentiles": {"steady: rank": {"p50": [10.5, 11.5, 12.0]}}}, []),  # within a tenth
        (
            {"percentiles": {"steady: rank": {"p50": [20.0, 19.0, 21.0]}}},
            ["steady: rank p50"],
        ),
        ({"percentiles": {}}, ["steady: rank p50"]),
        ({"achieved": {"steady": 18.5}}, []),
        ({"achieved": {"steady": 15.0}}, ["achieved: steady"]),
        ({"measured": {"cells off": 1}}, ["cells off"]),  # from zero, anything is a move
        (
            {"consumed": {"write_units": {"Scores": 60.0}, "read_units": {}}},
            ["Scores: write units a request"],
        ),
        ({"verdict": "objective missed"}, ["verdict"]),
    ],
)  # fmt: skip
def test_what_moved_beyond_noise(changed: dict[str, Any], names: list[str]) -> None:
    """By intervals and a tenth for percentiles, by a tenth for others, from zero by anything."""
    assert moved(run(**changed)) == names


def test_units_are_compared_by_the_request() -> None:
    """Twice as long a run consumes twice as much, which is no move."""
    twice = run(
        requests={"steady: rank": {"requests": 200, "failures": 0}},
        consumed={"write_units": {"Scores": 100.0}, "read_units": {}},
    )
    assert moved(twice) == []


def test_what_was_not_alike_is_said() -> None:
    other = run(stage="dev", config={"board": "load-2", "rate": 50})
    assert evidence.unlike(run(), other) == ["stage: rig, dev", "rate: 20, 50"]


def test_the_command_shows_what_moved(tmp_path: Path) -> None:
    """Exit code 1 if anything did, 2 for what cannot be compared."""
    for name, found in (("a", run()), ("b", run(measured={"cells off": 3}))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "evidence.json").write_text(json.dumps(found))
    (tmp_path / "c.json").write_text(json.dumps(run(suite="mixed")))
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    runner = CliRunner()
    same = runner.invoke(app, ["evidence", "compare", first, first])
    assert (same.exit_code, "0 of" in same.stdout) == (0, True)
    told = runner.invoke(app, ["evidence", "compare", first, second, "--json"])
    assert told.exit_code == 1
    (row,) = json.loads(told.stdout)["rows"]
    assert (row["name"], row["first"], row["second"]) == ("cells off", 0, 3)
    for other in ("c.json", "nowhere"):
        refused = runner.invoke(app, ["evidence", "compare", first, str(tmp_path / other)])
        assert refused.exit_code == 2
