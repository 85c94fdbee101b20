"""Processes that outlive the command that started them: a local stage's emulator or rig.

All that is needed to stop one again is in `Detached`, which can be written to a file. It is told
from a stranger with the same process id by its start time, and from one that lost its parent by a
marker that only its own environment, and those of its children, hold.
"""

import os
import signal
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ops.processes import is_running, marked_processes, send_signal, start_mark, wait_until

_KILL_SECONDS: Final = 5.0
_LOG: Final = "TALLY_LOG"
# Run by a shell that ends at once: the process is then nobody's child, and cannot be left behind
# as a zombie of the command that started it.
_DETACH: Final = '"$@" </dev/null >"$TALLY_LOG" 2>&1 & echo $!'


class EndedAtOnceError(Exception):
    """The process was gone before it could be looked at."""


class DoesNotStopError(Exception):
    """Something would not die even when killed."""


@dataclass(frozen=True, kw_only=True)
class Detached:
    """A started process.

    Attributes:
        pid: Its process.
        pgid: The process group of it and of what it runs.
        started: When it started, as the system tells; an id alone may be given away.
        mark: The environment variable, with its value, that marks what belongs to it.
    """

    pid: int
    pgid: int
    started: str
    mark: str

    @property
    def is_running(self) -> bool:
        """Whether this very process still runs."""
        return is_running(self.pid, self.started)


def launch(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], log: Path, marker: str
) -> Detached:
    """Starts a process in a session of its own, which neither Ctrl-C nor a hang-up reaches.

    Args:
        marker: The name of the environment variable that marks it.

    Raises:
        EndedAtOnceError: It did; its log may say why.
    """
    value = uuid.uuid4().hex
    shell = subprocess.Popen(
        ["/bin/sh", "-c", _DETACH, "sh", *command],
        cwd=cwd,
        env={**environment, _LOG: str(log), marker: value},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        answer, _ = shell.communicate()
    except BaseException:  # Ctrl-C before anybody knows the process
        send_signal(signal.SIGKILL, group=shell.pid)
        raise
    pid = int(answer)
    started = start_mark(pid)
    if started is None:
        raise EndedAtOnceError
    return Detached(pid=pid, pgid=shell.pid, started=started, mark=f"{marker}={value}")


def stop(process: Detached, *, patience_seconds: float) -> bool:
    """Stops a process and all that is marked as its own, if they are really those.

    Args:
        patience_seconds: How long it may take after the polite signal, before it is killed.

    Returns:
        Whether anything was running. Stopping twice is no error.

    Raises:
        DoesNotStopError: Something is left.
    """
    if not _alive(process):
        return False
    _signal(process, signal.SIGTERM)
    if not wait_until(lambda: not _alive(process), seconds=patience_seconds):
        _signal(process, signal.SIGKILL)  # it may ignore the polite signal
    if not wait_until(lambda: not _alive(process), seconds=_KILL_SECONDS):
        raise DoesNotStopError(f"process group {process.pgid} does not stop")
    return True


def log_tail(log: Path, *, lines: int = 15) -> str:
    """Returns the last lines of a log."""
    if not log.exists():
        return "(no log)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def inherited(*left_out: str) -> dict[str, str]:
    """This process's environment without the variables that begin so."""
    return {name: one for name, one in os.environ.items() if not name.startswith(left_out)}


def _alive(process: Detached) -> bool:
    return process.is_running or bool(marked_processes(process.mark))


def _signal(process: Detached, number: signal.Signals) -> None:
    # The whole group only while its leader is known to be ours: the number may be another's since.
    if process.is_running:
        send_signal(number, group=process.pgid)
    for pid in marked_processes(process.mark):
        send_signal(number, pid=pid)
