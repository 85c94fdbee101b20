"""Starts and stops MiniStack, the emulator, as a process group of its own on loopback.

It comes from an environment that holds nothing else: functions see its packages, and one that an
asset forgot must be missed here as it would be on AWS. It outlives whoever started it, so all that
is needed to stop it again is in `Emulator`, which can be written to a file.
"""

import shutil
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

from ops import detached
from ops.local.errors import EmulatorError
from ops.processes import free_port, serves_http, wait_until

ROOT: Final = Path(__file__).resolve().parents[2]
EXECUTABLE: Final = ROOT / ".venv-ministack" / "bin" / "ministack"
MARKER: Final = "TALLY_EMULATOR"
_READY_SECONDS: Final = 90.0
_TERM_SECONDS: Final = 3.0


@dataclass(frozen=True, kw_only=True)
class Emulator(detached.Detached):
    """A started emulator.

    Attributes:
        port: The port it listens on, on loopback.
    """

    port: int

    @property
    def endpoint_url(self) -> str:
        """The address of every emulated service."""
        return f"http://127.0.0.1:{self.port}"


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
    port = free_port()
    try:
        process = detached.launch(
            [str(EXECUTABLE)],
            cwd=home,
            environment=_environment(home, port=port, auth=auth),
            log=_log(state_dir),
            marker=MARKER,
        )
    except detached.EndedAtOnceError as error:
        raise EmulatorError(f"MiniStack ended at once:\n{log_tail(state_dir)}") from error
    return Emulator(port=port, **asdict(process))


def wait_ready(emulator: Emulator) -> bool:
    """Waits until the emulator answers; False if it ended first, say because its port was taken."""
    serves = partial(serves_http, emulator.pid, emulator.port)
    wait_until(lambda: not emulator.is_running or serves(), seconds=_READY_SECONDS)
    return emulator.is_running and serves()


def stop(emulator: Emulator) -> bool:
    """Stops the emulator, its functions and a deploy to it, if they are really those.

    Returns:
        Whether anything was running. Stopping twice is no error.

    Raises:
        EmulatorError: Something would not die even when killed.
    """
    try:
        return detached.stop(emulator, patience_seconds=_TERM_SECONDS)
    except detached.DoesNotStopError as error:
        raise EmulatorError(str(error)) from error


def log_tail(state_dir: Path) -> str:
    """Returns the last lines of the emulator's log."""
    return detached.log_tail(_log(state_dir))


def _log(state_dir: Path) -> Path:
    return state_dir / "ministack" / "ministack.log"


def _fresh_home(state_dir: Path) -> Path:
    home = state_dir / "ministack"
    shutil.rmtree(home, ignore_errors=True)
    (home / "tmp").mkdir(parents=True)
    return home


def _environment(home: Path, *, port: int, auth: bool) -> dict[str, str]:
    # Functions inherit it. An AWS_ENDPOINT_URL, a profile or a real key of the person at the
    # keyboard has no place there, nor have variables meant for another Python.
    kept = detached.inherited("AWS_", "PYTHON", "TALLY_", "POWERTOOLS_", "VIRTUAL_ENV")
    return kept | {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "AUTH": "true" if auth else "false",
        "TMPDIR": str(home / "tmp"),
    }
