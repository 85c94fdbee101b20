"""Whatever happens to a local deployment, it is stopped by its record and nothing else is."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.local import cdk, deployment, ministack
from ops.processes import start_mark, wait_until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def state_dir(tmp_path: Path) -> Iterator[Path]:
    """A folder for one deployment, which is taken down whatever the test did."""
    yield tmp_path
    deployment.down(tmp_path)


def record(state_dir: Path, emulator: ministack.Emulator) -> None:
    """Writes what `up` writes once the emulator runs."""
    content = {"emulator": vars(emulator), "started_at": time.time(), "auth": False}
    (state_dir / "local.json").write_text(json.dumps(content))


def test_an_emulator_starts_and_stops(state_dir: Path) -> None:
    """It answers on loopback in a group of its own, and stopping it twice is no error."""
    emulator = ministack.launch(state_dir)
    assert ministack.wait_ready(emulator)
    assert os.getpgid(emulator.pid) == emulator.pgid != os.getpgid(0)
    assert ministack.stop(emulator)
    assert not emulator.is_running
    assert not ministack.stop(emulator)


def test_an_interrupted_up_can_be_taken_down(state_dir: Path) -> None:
    """The record comes before the deploy: what it names is stopped, and forgotten."""
    emulator = ministack.launch(state_dir)
    record(state_dir, emulator)
    assert deployment.status(state_dir).state == "incomplete"
    assert deployment.down(state_dir)
    assert not emulator.is_running
    assert deployment.status(state_dir).state == "down"
    assert not deployment.down(state_dir)


def test_a_dead_emulator_is_cleaned_up(state_dir: Path) -> None:
    """A record of what has died says nothing runs, and goes."""
    emulator = ministack.launch(state_dir)
    record(state_dir, emulator)
    (state_dir / "local.outputs.json").write_text("{}")
    os.killpg(emulator.pgid, signal.SIGKILL)
    assert wait_until(lambda: not emulator.is_running, seconds=5)
    assert deployment.status(state_dir).state == "down"
    assert not deployment.down(state_dir)
    assert not (state_dir / "local.json").exists()
    assert not (state_dir / "local.outputs.json").exists()


def test_a_stranger_with_the_same_id_is_left_alone(state_dir: Path) -> None:
    """An id that was given away belongs to somebody else, and start times differ."""
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        record(
            state_dir,
            ministack.Emulator(
                pid=stranger.pid, pgid=stranger.pid, port=1, started="1", mark="NONE=1"
            ),
        )
        assert not deployment.down(state_dir)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_deploy_whose_parent_was_killed_is_stopped_too(state_dir: Path) -> None:
    """It carries the emulator's mark, by which it is found."""
    emulator = ministack.launch(state_dir)
    orphan = subprocess.Popen(["sleep", "60"], env=os.environ | dict([emulator.mark.split("=", 1)]))
    assert ministack.stop(emulator)
    # A busy machine may not see it go within the patience of the first signal.
    assert orphan.wait(timeout=5) in (-signal.SIGTERM, -signal.SIGKILL)


def test_a_failing_deploy_shows_why_and_leaves_nothing(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of what the command printed is in the message, and the emulator is stopped."""
    fake = state_dir / "cdk"
    fake.write_text('#!/bin/sh\necho "token=$AWS_SESSION_TOKEN"; echo out of luck; exit 3\n')
    fake.chmod(0o755)
    monkeypatch.setattr(cdk, "EXECUTABLE", fake)
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of-the-person-at-the-keyboard")
    told: list[str] = []
    with pytest.raises(deployment.DeploymentError, match=r"failed with 3:(.|\n)*out of luck") as it:
        deployment.up(state_dir, progress=told.append)
    assert "of-the-person" not in str(it.value)
    assert told[0] == "Starting the emulator"
    assert not (state_dir / "local.json").exists()
    assert deployment.status(state_dir).state == "down"


def test_ctrl_c_leaves_nothing_running(state_dir: Path) -> None:
    """An `up` that is interrupted stops what it started, while the deploy goes on."""
    slow = state_dir / "cdk"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    script = (
        "import pathlib, signal\n"
        # A shell's background jobs ignore the signal, and so would their children.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from ops.local import cdk, deployment\n"
        f"cdk.EXECUTABLE = pathlib.Path({str(slow)!r})\n"
        f"deployment.up(pathlib.Path({str(state_dir)!r}), progress=print)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    log = state_dir / "cdk.log"
    assert wait_until(lambda: log.exists() and log.stat().st_size > 0, seconds=30)
    pid = json.loads((state_dir / "local.json").read_text())["emulator"]["pid"]
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert b"KeyboardInterrupt" in errors
    assert start_mark(pid) is None
    assert not (state_dir / "local.json").exists()


def test_a_port_that_is_taken_is_stepped_around(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody may take the free port before the emulator does: another one is tried."""
    first = ministack.launch(state_dir / "first")
    assert ministack.wait_ready(first)
    real, given = ministack.free_port, [first.port]
    monkeypatch.setattr(ministack, "free_port", lambda: given.pop() if given else real())
    try:
        second = deployment._start(state_dir, auth=False)
        assert second.port != first.port
        assert second.is_running
    finally:
        ministack.stop(first)


def test_the_emulator_sees_nothing_of_the_persons_account(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Functions inherit its environment: no endpoint, profile or key may be in it."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://example.invalid")
    monkeypatch.setenv("AWS_PROFILE", "work")
    environment = ministack._environment(tmp_path, port=1, auth=True)
    assert not [name for name in environment if name.startswith("AWS_")]
    assert environment["BIND_HOST"] == "127.0.0.1"
    assert environment["TMPDIR"].startswith(str(tmp_path))
