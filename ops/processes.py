"""Child processes of the operator's command: free ports, identity, and stopping only our own.

A process id alone proves nothing once it has been written to a file: the process may have died and
its number been given away. So a process is known by its id *and* the time it started, as the
system tells it; one that differs in either is never signalled.
"""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from pathlib import Path

_PROC = Path("/proc")
_LISTEN = "0A"  # a state in /proc/net/tcp


def free_port() -> int:
    """Returns a TCP port that was free on loopback a moment ago.

    Another process may take it first, so whoever starts a server on it must be ready to try again.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def start_mark(pid: int) -> str | None:
    """Returns when a process started, as the system spells it, or None if it is not running.

    On Linux these are clock ticks since boot (field 22 of `/proc/<pid>/stat`), elsewhere the start
    time that `ps` prints. A zombie counts as not running: it only waits to be reaped.
    """
    if not (_PROC / "self" / "stat").exists():
        return _start_mark_by_ps(pid)
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command name, in parentheses, may itself hold spaces and parentheses: cut after the last.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def _start_mark_by_ps(pid: int) -> str | None:
    answer = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, started = answer.stdout.strip().partition(" ")
    return None if not state or state.startswith("Z") else started.strip()


def is_running(pid: int, started: str) -> bool:
    """Tells whether the very process that was started then still runs."""
    return start_mark(pid) == started


def marked_processes(marker: str) -> list[int]:
    """Lists the running processes whose environment holds a marker (`NAME=value`).

    They may outlive the process that is on record, whose start time then proves nothing any more.
    Where the system does not show environments, the list is empty.
    """
    found = []
    for entry in _PROC.glob("[0-9]*"):
        # Processes come and go while the list is read, and others' environments are closed to us.
        with contextlib.suppress(OSError):
            if marker.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return [pid for pid in found if start_mark(pid) is not None]


def serves_http(pid: int, port: int) -> bool:
    """Tells whether this very process answers HTTP on a port of loopback.

    A stranger that took the port a moment before it would answer as well, while the process itself
    is still on its way to finding that out. Where the system does not show who listens, the
    process gets a second to fail.
    """
    if not answers_http(port):
        return False
    if (_PROC / "net" / "tcp").exists():
        return _listens(pid, port)
    time.sleep(1)
    return start_mark(pid) is not None


def _listens(pid: int, port: int) -> bool:
    """Looks for a socket of the process among those that listen on the port."""
    listening = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):  # a machine may have no IPv6
            for line in (_PROC / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                address, state, inode = fields[1], fields[3], fields[9]
                if state == _LISTEN and int(address.rpartition(":")[2], 16) == port:
                    listening.add(f"socket:[{inode}]")
    found = set()
    with contextlib.suppress(OSError):  # it may end meanwhile
        for descriptor in (_PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                found.add(str(descriptor.readlink()))
    return bool(listening & found)


def answers_http(port: int) -> bool:
    """Tells whether a server on loopback answers HTTP; any status will do, a refusal included."""
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/")
            connection.getresponse().read()
        except (OSError, HTTPException):
            return False
        return True


def wait_until(condition: Callable[[], bool], *, seconds: float, pause: float = 0.05) -> bool:
    """Waits for a condition, at most for a time, and returns whether it was met."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True


def send_signal(
    number: signal.Signals, *, group: int | None = None, pid: int | None = None
) -> None:
    """Signals a process group or a process; one that is gone already is no error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group is not None:
            os.killpg(group, number)
        if pid is not None:
            os.kill(pid, number)
