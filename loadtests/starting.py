"""Starting a run: its boards made, Locust in a process of its own, everything removed after."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, Final

import typer

from loadtests import boards, cost, evidence, report
from loadtests.faults import date_of, fault_of
from loadtests.limits import LIMITS
from loadtests.run import AWS, ENV_RUN, Run, Sizes, board_id, kind_of, stamp
from loadtests.suite import Suite
from loadtests.suites import suite_of
from loadtests.verdict import EXIT_CODES
from ops.client import ApiError, Client, ClientError
from ops.processes import free_port

ROOT: Final = Path(__file__).resolve().parent.parent
LOCUST_PAGE: Final = "locust.html"
NOT_FINISHED: Final = EXIT_CODES["not finished"]
_SPARE_USERS: Final = 8  # Locust spreads users over processes as it likes


@dataclass(frozen=True)
class Asked:
    """What was asked for on the command line."""

    suite: str
    stage: str
    sizes: Sizes
    seed: int
    processes: int
    reports: Path
    web: bool
    web_port: int


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def sizes_of(defaults: Sizes, changed: Sequence[str]) -> dict[str, Any]:
    """A suite's sizes, some of them changed.

    Raises:
        ValueError: There is no such size, or its value is no JSON of its kind.
    """
    sizes = dict(defaults)
    for one in changed:
        name, _, text = one.partition("=")
        if name not in sizes:
            raise ValueError(f"There is no size '{name}': {', '.join(sizes)}.")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        if isinstance(value, str) != isinstance(sizes[name], str):
            raise ValueError(f"{one}: such as {name}={json.dumps(sizes[name])}")
        sizes[name] = value
    return sizes


def planned(asked: Asked) -> Run:
    """The run, not begun."""
    started, where = stamp(), kind_of(asked.stage)
    run = Run(
        suite=asked.suite,
        stage=asked.stage,
        board=board_id(asked.suite, started),
        started=started,
        directory=str((asked.reports / asked.suite / started).resolve()),
        sizes=asked.sizes,
        seed=asked.seed,
        processes=asked.processes,
        commit=commit(),
        limits=LIMITS[where],
    )
    if where != AWS:
        return run
    return Run(**run.__dict__ | {"cost": cost.dollars(calls_of(suite_of(run)))})


def calls_of(suite: Suite) -> dict[str, float]:
    """The requests of a run by route, its players put there beforehand included."""
    return suite.calls() | {"preload": float(sum(1 for _ in suite.players()))}


def run(client: Client, planned: Run, asked: Asked) -> int:
    """Do a run from making its boards to removing them; returns the exit code.

    Raises:
        ApiError, ClientError, NotPreparedError: It did not come to a run.
    """
    suite, path = suite_of(planned), planned.saved()
    typer.echo(f"{suite.question}\n{planned.suite} on {planned.stage}: {planned.directory}")
    typer.echo(f"Killed? python -m loadtests cleanup --all --stage {planned.stage}")
    try:
        boards.made(client, suite)
        code = _locust(suite, path, asked)
    finally:
        _tidy(client, suite)
    directory = Path(planned.directory)
    if not (directory / evidence.FILE).exists():
        typer.echo(f"No evidence: see {directory / 'locust.log'}")
        return NOT_FINISHED
    found = evidence.read(directory)
    report.written(directory, found, directory / LOCUST_PAGE)
    typer.echo(report.table(found))
    return code


def failure_of(client: Client, error: ApiError) -> tuple[str, int]:
    """What a refusal before the run says, and how the command ends."""
    if error.status == 403:
        words = fault_of(error.detail, date_of(client))
        return f"The client is at fault: {words}", EXIT_CODES["client at fault"]
    return str(error), NOT_FINISHED


def commit() -> str:
    """The commit of this checkout; `+` where it has changes, `unknown` outside of one."""
    described = subprocess.run(
        ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"


def _locust(suite: Suite, path: Path, asked: Asked) -> int:
    directory = path.parent
    environment = os.environ | {ENV_RUN: str(path), "PYTHONPATH": str(ROOT)}
    with (directory / "locust.log").open("wb") as log:
        process = subprocess.Popen(
            _command(suite, directory, asked),
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            process_group=0,  # a terminal's Ctrl-C reaches us alone, and is passed on once
        )
        with _passed_on(process):
            code = process.wait()
    return code if code in EXIT_CODES.values() else NOT_FINISHED


def _command(suite: Suite, directory: Path, asked: Asked) -> list[str]:
    users = max(phase.in_flight for phase in suite.phases()) + _SPARE_USERS * asked.processes
    command = [
        *(sys.executable, "-m", "locust", "-f", str(ROOT / "loadtests" / "locustfile.py")),
        *("--users", str(users), "--spawn-rate", str(users)),
        *("--html", str(directory / LOCUST_PAGE), "--only-summary"),
    ]
    if asked.processes > 1:
        port = str(free_port())
        command += ["--processes", str(asked.processes)]
        command += ["--master-bind-host", "127.0.0.1", "--master-bind-port", port]
        command += ["--master-port", port]
    if not asked.web:
        return [*command, "--headless"]
    web_port = asked.web_port or free_port()
    typer.echo(f"Locust's page: http://127.0.0.1:{web_port} (Ctrl-C ends the run)")
    return [*command, "--autostart", "--web-host", "127.0.0.1", "--web-port", str(web_port)]


@contextmanager
def _passed_on(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """An interrupt or a request to end reaches Locust, which then writes what it has."""

    def pass_on(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signal's form
        process.send_signal(signal.SIGTERM)

    before = {one: signal.signal(one, pass_on) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tidy(client: Client, suite: Suite) -> None:
    try:
        boards.removed(client, suite.boards())
    except (ApiError, ClientError) as error:
        typer.echo(f"Boards left behind ({error}). Remove them: python -m loadtests cleanup --all")
