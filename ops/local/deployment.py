"""Brings a local deployment up, tells its state, and takes it down again.

What runs is recorded in `<state_dir>/local.json` before anything is deployed, so that an `up` that
was interrupted, even killed, can be taken down by another command.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import boto3

from lambdas import names
from ops import locks
from ops.local import cdk, ministack
from ops.local.errors import DeploymentError, EmulatorError
from ops.local.ministack import Emulator

__all__ = ["Deployment", "DeploymentError", "down", "status", "up"]

DEFAULT_STATE_DIR: Final = ministack.ROOT / ".tally"
_ATTEMPTS: Final = 3

Progress = Callable[[str], None]


UP: Final = "up"
INCOMPLETE: Final = "incomplete"
DOWN: Final = "down"


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """The state of a local deployment; its outputs lie in `<state_dir>/local.outputs.json`.

    Attributes:
        state: `up`; `incomplete`: an emulator runs, and its deploy goes on or was killed; `down`.
        state_dir: Where its files lie.
        api_url: The endpoint of its HTTP API.
        endpoint_url: The address of the emulator.
        pid: The emulator's process.
        started_at: Seconds since 1970.
        auth: Whether IAM is enforced.
        already_running: Whether `up` found it so and did nothing.
    """

    state: str
    state_dir: Path
    api_url: str | None = None
    endpoint_url: str | None = None
    pid: int | None = None
    started_at: float | None = None
    auth: bool = False
    already_running: bool = False


def up(
    state_dir: Path = DEFAULT_STATE_DIR, *, auth: bool = False, progress: Progress
) -> Deployment:
    """Starts an emulator, bootstraps it and deploys both stacks; about half a minute.

    A second call finds the first one's deployment and returns it. If it fails or is interrupted,
    the emulator is stopped.

    Args:
        state_dir: Where the files go; several deployments may run in several folders.
        auth: Enforce IAM for users, roles and the functions' own roles.
        progress: Told in a line what happens next.

    Raises:
        DeploymentError: The emulator does not start, or the CDK command failed; the message ends
            in what that printed last.
    """
    state_dir = state_dir.resolve()
    with locks.held(state_dir, names.STAGE_LOCAL):  # a second `up` finds what the first made
        found = status(state_dir)
        if found.state == UP:
            progress(f"Already running at {found.endpoint_url}")
            return replace(found, already_running=True)
        _stop(state_dir)  # an interrupted one, or what is left of a dead one
        try:
            progress("Starting the emulator")
            emulator = _start(state_dir, auth=auth)
            _deploy(state_dir, emulator, auth=auth, progress=progress)
            deployed = status(state_dir)
            if deployed.state != UP:
                raise EmulatorError(f"The emulator ended:\n{ministack.log_tail(state_dir)}")
        except BaseException:  # also Ctrl-C: nothing half made stays behind
            _stop(state_dir)
            raise
    return deployed


def status(state_dir: Path = DEFAULT_STATE_DIR) -> Deployment:
    """Tells the state of the deployment; one whose emulator has died is `down`."""
    record = _read_json(state_dir / "local.json")
    emulator = Emulator(**record["emulator"]) if record else None
    if record is None or emulator is None or not emulator.is_running:
        return Deployment(state=DOWN, state_dir=state_dir)
    api_url = _outputs(_outputs_file(state_dir)).get(names.OUTPUT_API_URL)
    return Deployment(
        state=UP if api_url else INCOMPLETE,
        state_dir=state_dir,
        api_url=api_url,
        endpoint_url=emulator.endpoint_url,
        pid=emulator.pid,
        started_at=record["started_at"],
        auth=record["auth"],
    )


def down(state_dir: Path = DEFAULT_STATE_DIR) -> bool:
    """Stops the deployment and forgets it, with all that was stored in it.

    Returns:
        Whether anything was running.
    """
    if not (state_dir / "local.json").exists():
        return False
    # Without the lock: it must end an `up` that hangs, which then cleans up after itself.
    return _stop(state_dir)


def _start(state_dir: Path, *, auth: bool) -> Emulator:
    for _ in range(_ATTEMPTS):
        emulator = ministack.launch(state_dir, auth=auth)
        _write_json(
            state_dir / "local.json",
            {"emulator": asdict(emulator), "started_at": time.time(), "auth": auth},
        )
        if ministack.wait_ready(emulator):
            return emulator
        # Somebody took the free port first, or the machine is very busy: once more.
        ministack.stop(emulator)
    tail = ministack.log_tail(state_dir)
    raise EmulatorError(f"MiniStack did not start in {_ATTEMPTS} attempts:\n{tail}")


def _deploy(state_dir: Path, emulator: Emulator, *, auth: bool, progress: Progress) -> None:
    log = state_dir / "cdk.log"
    log.unlink(missing_ok=True)
    progress("Bootstrapping (cdk bootstrap)")
    cdk.bootstrap(emulator, log)
    if auth:
        _allow_plain_http(emulator)
    progress("Deploying (cdk deploy)")
    # Named as the operator's clients expect it only when complete: its presence means deployed.
    unfinished = state_dir / "local.outputs.unfinished.json"
    cdk.deploy(emulator, log, output=state_dir / "cdk.out", outputs_file=unfinished)
    progress("Switching on what the emulator leaves out (TTL)")
    _set_ttl(emulator, unfinished)
    unfinished.rename(_outputs_file(state_dir))


def _set_ttl(emulator: Emulator, outputs_file: Path) -> None:
    """The emulator drops TTL from a template and takes it from the API."""
    outputs = _outputs(outputs_file)
    dynamodb = boto3.client("dynamodb", **_client_arguments(emulator))
    for key in (
        names.OUTPUT_SCORES_TABLE,
        names.OUTPUT_COUNTERS_TABLE,
        names.OUTPUT_SUBMISSIONS_TABLE,
    ):
        dynamodb.update_time_to_live(
            TableName=outputs[key],
            TimeToLiveSpecification={"AttributeName": names.EXPIRES_AT, "Enabled": True},
        )


def _allow_plain_http(emulator: Emulator) -> None:
    """The bucket of the bootstrap refuses plain HTTP, and an emulator has nothing else."""
    bucket = f"cdk-hnb659fds-assets-{cdk.ACCOUNT}-{cdk.REGION}"
    boto3.client("s3", **_client_arguments(emulator)).delete_bucket_policy(Bucket=bucket)


def _client_arguments(emulator: Emulator) -> dict[str, Any]:
    return {
        "endpoint_url": emulator.endpoint_url,
        "region_name": cdk.REGION,
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
    }


def _stop(state_dir: Path) -> bool:
    record = _read_json(state_dir / "local.json")
    stopped = record is not None and ministack.stop(Emulator(**record["emulator"]))
    # The record goes last: whatever interrupts this can be done again.
    _outputs_file(state_dir).unlink(missing_ok=True)
    (state_dir / "local.json").unlink(missing_ok=True)
    return stopped


def _outputs_file(state_dir: Path) -> Path:
    return state_dir / f"{names.STAGE_LOCAL}.outputs.json"


def _outputs(path: Path) -> dict[str, str]:
    """Returns the outputs of all stacks together; empty if there is no such file."""
    stacks = _read_json(path) or {}
    return {key: value for outputs in stacks.values() for key, value in outputs.items()}


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return read


def _write_json(path: Path, value: dict[str, Any]) -> None:
    """Writes a file whole or not at all."""
    scratch = path.with_suffix(".writing")
    scratch.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    scratch.rename(path)
