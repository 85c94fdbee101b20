"""Starts and stops MiniStack, the emulator, as a process group of its own on loopback.

It comes from an environment that holds nothing else: functions see its packages, and one that an
asset forgot must be missed here as it would be on AWS. It outlives whoever started it, so all that
is needed to stop it again is in `Emulator`, which can be written to a file.
"""

import os
import shutil
import signal
import subprocess
import uuid
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from ops.local.errors import EmulatorError
from ops.processes import (
    free_port,
    is_running,
    marked_processes,
    send_signal,
    serves_http,
    start_mark,
    wait_until,
)

ROOT: Final = Path(__file__).resolve().parents[2]
EXECUTABLE: Final = ROOT / ".venv-ministack" / "bin" / "ministack"
MARKER: Final = "TALLY_EMULATOR"
_READY_SECONDS: Final = 90.0  # a third of one when idle; a busy machine takes its time
_TERM_SECONDS: Final = 3.0
_KILL_SECONDS: Final = 5.0
# Run by a shell that ends at once: the emulator is then nobody's child, and cannot be left behind
# as a zombie of the command that started it.
_DETACH: Final = '"$@" </dev/null >"$TALLY_EMULATOR_LOG" 2>&1 & echo $!'


@dataclass(frozen=True, kw_only=True)
class Emulator:
    """A started emulator.

    Attributes:
        pid: Its process.
        pgid: The process group of it and of the functions it runs.
        port: The port it listens on, on loopback.
        start_ticks: When it started, as the system tells; an id alone may be given away.
        marker: A value that only its environment, its functions' and a deploy's hold.
    """

    pid: int
    pgid: int
    port: int
    start_ticks: str
    marker: str

    @property
    def endpoint_url(self) -> str:
        """The address of every emulated service."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def mark(self) -> str:
        """The environment variable that marks what belongs to this emulator."""
        return f"{MARKER}={self.marker}"

    def is_running(self) -> bool:
        """Whether this very process still runs."""
        return is_running(self.pid, self.start_ticks)


def launch(state_dir: Path, *, auth: bool = False) -> Emulator:
    """Starts an emulator on a free port, without waiting for it.

    Args:
        state_dir: Its files go to `ministack/` in there: log, temporary files.
        auth: Enforce IAM for users, roles and the functions' own roles.

    Raises:
        EmulatorError: It is not installed, or ended at once.
    """
    if not EXECUTABLE.exists():
        raise EmulatorError(f"{EXECUTABLE} is missing: run `make venv`")
    home = _fresh_home(state_dir)
    port, marker = free_port(), uuid.uuid4().hex
    shell = subprocess.Popen(
        ["/bin/sh", "-c", _DETACH, "sh", str(EXECUTABLE)],
        cwd=home,
        env=_environment(home, port=port, marker=marker, auth=auth),
        stdout=subprocess.PIPE,
        text=True,
        # A session of its own: neither Ctrl-C nor the end of this terminal reaches it.
        start_new_session=True,
    )
    try:
        answer, _ = shell.communicate()
    except BaseException:  # Ctrl-C before anybody knows the process
        send_signal(signal.SIGKILL, group=shell.pid)
        raise
    pid = int(answer)
    ticks = start_mark(pid)
    if ticks is None:
        raise EmulatorError(f"MiniStack ended at once:\n{log_tail(state_dir)}")
    return Emulator(pid=pid, pgid=shell.pid, port=port, start_ticks=ticks, marker=marker)


def wait_ready(emulator: Emulator) -> bool:
    """Waits until the emulator answers; False if it ended first, say because its port was taken."""
    serves = partial(serves_http, emulator.pid, emulator.port)
    wait_until(lambda: not emulator.is_running() or serves(), seconds=_READY_SECONDS)
    return emulator.is_running() and serves()


def stop(emulator: Emulator) -> bool:
    """Stops the emulator, its functions and a deploy to it, if they are really those.

    Returns:
        Whether anything was running. Stopping twice is no error.

    Raises:
        EmulatorError: Something would not die even when killed.
    """
    if not _alive(emulator):
        return False
    _signal(emulator, signal.SIGTERM)
    if not wait_until(lambda: not _alive(emulator), seconds=_TERM_SECONDS):
        _signal(emulator, signal.SIGKILL)  # it may ignore the polite signal
    if not wait_until(lambda: not _alive(emulator), seconds=_KILL_SECONDS):
        raise EmulatorError(f"process group {emulator.pgid} does not stop")
    return True


def _alive(emulator: Emulator) -> bool:
    return emulator.is_running() or bool(marked_processes(emulator.mark))


def _signal(emulator: Emulator, number: signal.Signals) -> None:
    # The whole group only while its leader is known to be ours: the number may be another's since.
    if emulator.is_running():
        send_signal(number, group=emulator.pgid)
    for pid in marked_processes(emulator.mark):
        send_signal(number, pid=pid)


def log_tail(state_dir: Path, *, lines: int = 15) -> str:
    """Returns the last lines of the emulator's log."""
    path = state_dir / "ministack" / "ministack.log"
    if not path.exists():
        return "(no log)"
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


def _fresh_home(state_dir: Path) -> Path:
    home = state_dir / "ministack"
    shutil.rmtree(home, ignore_errors=True)
    (home / "tmp").mkdir(parents=True)
    return home


def _environment(home: Path, *, port: int, marker: str, auth: bool) -> dict[str, str]:
    # Functions inherit it. An AWS_ENDPOINT_URL, a profile or a real key of the person at the
    # keyboard has no place there, nor have variables meant for another Python.
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "PYTHON", "TALLY_", "POWERTOOLS_", "VIRTUAL_ENV"))
    }
    return kept | {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "AUTH": "true" if auth else "false",
        "TMPDIR": str(home / "tmp"),
        "TALLY_EMULATOR_LOG": str(home / "ministack.log"),
        MARKER: marker,
    }
