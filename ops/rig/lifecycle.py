"""Brings the rig up as a process of its own, tells its state, and takes it down again.

What runs is recorded in `<state_dir>/rig.json` before it is ready, so that an `up` that was
interrupted can be taken down by another command.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from lambdas import names
from ops.errors import ClientError
from ops.processes import is_running, marked_processes, send_signal, start_mark, wait_until

ROOT: Final = Path(__file__).resolve().parents[2]
MARKER: Final = "TALLY_RIG"
UP: Final = "up"
STARTING: Final = "starting"
DOWN: Final = "down"
_READY_SECONDS: Final = 120.0  # seconds; the engine's jar is fetched on first use
_TERM_SECONDS: Final = 15.0
_KILL_SECONDS: Final = 5.0
# Run by a shell that ends at once, so that the rig is nobody's child and leaves no zombie.
_DETACH: Final = '"$@" </dev/null >"$TALLY_RIG_LOG" 2>&1 & echo $!'


class RigError(ClientError):
    """The rig did not start, or does not stop."""

    code = "rig_failed"
    title = "The rig failed"


@dataclass(frozen=True)
class RigProcess:
    """A started rig: its process, when that started, and a value only its environment holds."""

    pid: int
    started: str
    marker: str

    @property
    def is_running(self) -> bool:
        """Whether this very process still runs."""
        return is_running(self.pid, self.started)


@dataclass(frozen=True)
class RigStatus:
    """The state of the rig: `up`, `starting` or `down`."""

    state: str
    state_dir: Path
    pid: int | None = None
    api_url: str | None = None
    endpoint_url: str | None = None
    already_running: bool = False


def up(state_dir: Path) -> RigStatus:
    """Starts the rig and waits until it is ready; one that runs already is kept.

    Raises:
        RigError: it did not start; the message ends in what it printed last.
    """
    state_dir = state_dir.resolve()
    found = status(state_dir)
    if found.state == UP:
        return RigStatus(**{**asdict(found), "already_running": True})
    down(state_dir)
    process = _launch(state_dir)
    try:
        wait_until(
            lambda: status(state_dir).state == UP or not process.is_running,
            seconds=_READY_SECONDS,
        )
        found = status(state_dir)
        if found.state != UP:
            raise RigError(f"It did not become ready:\n{_log_tail(state_dir)}")
    except BaseException:  # also Ctrl-C: nothing half made stays behind
        down(state_dir)
        raise
    return found


def status(state_dir: Path) -> RigStatus:
    """Tells the state of the rig; one whose process has died is `down`."""
    process = _recorded(state_dir)
    if process is None or not process.is_running:
        return RigStatus(DOWN, state_dir)
    try:
        stacks = json.loads(_outputs_file(state_dir).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return RigStatus(STARTING, state_dir, process.pid)
    outputs = {key: value for stack in stacks.values() for key, value in stack.items()}
    return RigStatus(
        UP,
        state_dir,
        process.pid,
        outputs[names.OUTPUT_API_URL],
        outputs[names.OUTPUT_ENDPOINT_URL],
    )


def down(state_dir: Path) -> bool:
    """Stops the rig and forgets it, with all that was stored in it; says if anything ran.

    Raises:
        RigError: something would not die even when killed.
    """
    process = _recorded(state_dir)
    stopped = process is not None and _stop(process)
    _outputs_file(state_dir).unlink(missing_ok=True)
    (state_dir / "rig.json").unlink(missing_ok=True)
    return stopped


def _launch(state_dir: Path) -> RigProcess:
    home = state_dir / "rig"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    marker = uuid.uuid4().hex
    shell = subprocess.run(
        ["/bin/sh", "-c", _DETACH, "sh", sys.executable, "-m", "ops.rig", str(state_dir)],
        cwd=ROOT,
        env=os.environ | {"TALLY_RIG_LOG": str(home / "rig.log"), MARKER: marker},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        start_new_session=True,  # neither Ctrl-C nor the end of this terminal reaches it
    )
    pid = int(shell.stdout)
    started = start_mark(pid)
    if started is None:
        raise RigError(f"It ended at once:\n{_log_tail(state_dir)}")
    process = RigProcess(pid, started, marker)
    (state_dir / "rig.json").write_text(json.dumps(asdict(process)) + "\n", encoding="utf-8")
    return process


def _stop(process: RigProcess) -> bool:
    mark = f"{MARKER}={process.marker}"

    def alive() -> list[int]:
        return marked_processes(mark) or ([process.pid] if process.is_running else [])

    was_running = bool(alive())
    for number, seconds in ((signal.SIGTERM, _TERM_SECONDS), (signal.SIGKILL, _KILL_SECONDS)):
        for pid in alive():
            send_signal(number, pid=pid)
        if wait_until(lambda: not alive(), seconds=seconds):
            return was_running
    raise RigError(f"process {process.pid} does not stop")


def _recorded(state_dir: Path) -> RigProcess | None:
    try:
        return RigProcess(**json.loads((state_dir / "rig.json").read_text(encoding="utf-8")))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def _outputs_file(state_dir: Path) -> Path:
    return state_dir / f"{names.STAGE_RIG}.outputs.json"


def _log_tail(state_dir: Path, lines: int = 15) -> str:
    log = state_dir / "rig" / "rig.log"
    if not log.exists():
        return "(no log)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
