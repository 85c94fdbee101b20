"""Brings the rig up as a process of its own, tells its state, and takes it down again.

What runs is recorded in `<state_dir>/rig.json` before it is ready, so that an `up` that was
interrupted can be taken down by another command.
"""

import json
import shutil
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from lambdas import names
from ops import detached, locks
from ops.detached import Detached
from ops.errors import ClientError
from ops.processes import wait_until

ROOT: Final = Path(__file__).resolve().parents[2]
MARKER: Final = "TALLY_RIG"
UP: Final = "up"
STARTING: Final = "starting"
DOWN: Final = "down"
_READY_SECONDS: Final = 120.0  # the engine's jar is fetched on first use
_TERM_SECONDS: Final = 15.0


class RigError(ClientError):
    """The rig did not start, or does not stop."""

    code = "rig_failed"
    title = "The rig failed"


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
    with locks.held(state_dir, names.STAGE_RIG):  # a second `up` finds what the first made
        found = status(state_dir)
        if found.state == UP:
            return replace(found, already_running=True)
        down(state_dir)
        try:
            return _ready(state_dir, _launch(state_dir))
        except BaseException:  # also Ctrl-C: nothing half made stays behind
            down(state_dir)
            raise


def _ready(state_dir: Path, process: Detached) -> RigStatus:
    wait_until(
        lambda: status(state_dir).state == UP or not process.is_running, seconds=_READY_SECONDS
    )
    found = status(state_dir)
    if found.state != UP:
        raise RigError(f"It did not become ready:\n{detached.log_tail(_log(state_dir))}")
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


def _launch(state_dir: Path) -> Detached:
    home = state_dir / "rig"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        process = detached.launch(
            [sys.executable, "-m", "ops.rig", str(state_dir)],
            cwd=ROOT,
            # No endpoint or profile of the person at the keyboard may turn the functions elsewhere,
            # and no log level silence the lines that metrics are made of.
            environment=detached.inherited("AWS_", "POWERTOOLS_"),
            log=_log(state_dir),
            marker=MARKER,
        )
    except detached.EndedAtOnceError as error:
        raise RigError(f"It ended at once:\n{detached.log_tail(_log(state_dir))}") from error
    (state_dir / "rig.json").write_text(json.dumps(asdict(process)) + "\n", encoding="utf-8")
    return process


def _stop(process: Detached) -> bool:
    try:
        return detached.stop(process, patience_seconds=_TERM_SECONDS)
    except detached.DoesNotStopError as error:
        raise RigError(str(error)) from error


def _recorded(state_dir: Path) -> Detached | None:
    try:
        return Detached(**json.loads((state_dir / "rig.json").read_text(encoding="utf-8")))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def _outputs_file(state_dir: Path) -> Path:
    return state_dir / f"{names.STAGE_RIG}.outputs.json"


def _log(state_dir: Path) -> Path:
    return state_dir / "rig" / "rig.log"
