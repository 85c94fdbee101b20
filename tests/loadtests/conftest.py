"""Fixtures: a stand-in for a stage, and the command that loads it, in a process of its own."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.loadtests.stub import Stage, StubServer
from tests.unit.ops.api_stub import write_outputs

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 90


@dataclass
class Ran:
    """How a command ended, and what it left."""

    code: int
    output: str
    evidence: dict[str, Any]
    directory: Path | None


Load = Callable[..., Ran]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StubServer]:
    """The stand-in, as stage `rig` of a state folder."""
    server = StubServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    write_outputs(tmp_path, server.outputs(), "rig")
    write_outputs(tmp_path, server.outputs(), "dev")
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def stage(server: StubServer) -> Stage:
    """Its boards and its faults."""
    return server.stage


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a command that finds the stand-in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return kept | {"TALLY_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}


@pytest.fixture
def load(server: StubServer, environment: dict[str, str], tmp_path: Path) -> Load:  # noqa: ARG001
    """Runs a suite with some sizes."""

    def run(suite: str, *options: str, **sizes: Any) -> Ran:
        reports = tmp_path / "reports"
        command = [sys.executable, "-m", "loadtests", "run", suite, "--stage", "rig"]
        command += ["--reports", str(reports), *options]
        for name, value in sizes.items():
            command += ["--set", f"{name}={json.dumps(value)}"]
        done = subprocess.run(
            command,
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        runs = sorted((reports / suite).glob("*")) if reports.exists() else []
        directory = runs[-1] if runs else None
        file = directory / "evidence.json" if directory else None
        found = json.loads(file.read_text()) if file and file.exists() else {}
        return Ran(done.returncode, done.stdout + done.stderr, found, directory)

    return run
