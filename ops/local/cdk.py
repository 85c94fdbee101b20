"""Runs the real CDK command line against an emulator, and shows why when it fails."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path
from typing import Final

from lambdas import names
from ops.detached import inherited
from ops.local.errors import CdkError
from ops.local.ministack import Emulator

ROOT: Final = Path(__file__).resolve().parents[2]
EXECUTABLE: Final = ROOT / "node_modules" / ".bin" / "cdk"
ACCOUNT: Final = "000000000000"
REGION: Final = "us-east-1"
_SHOWN_LINES: Final = 25


def bootstrap(emulator: Emulator, log: Path) -> None:
    """Runs `cdk bootstrap`, from an empty folder: beside an app it would synthesize that first.

    Raises:
        CdkError: It failed.
    """
    with tempfile.TemporaryDirectory() as empty:
        _run(["bootstrap", f"aws://{ACCOUNT}/{REGION}"], emulator, log, cwd=Path(empty))


def deploy(emulator: Emulator, log: Path, *, output: Path, outputs_file: Path) -> None:
    """Runs `cdk deploy` of all stacks of stage `local`.

    Args:
        emulator: Where to.
        log: What the command prints goes there.
        output: The folder for the synthesized templates.
        outputs_file: The file for the stacks' outputs.

    Raises:
        CdkError: It failed.
    """
    arguments = [
        *("deploy", "--all", "--require-approval", "never", "--method=direct"),
        *("--app", f"{shlex.quote(sys.executable)} app.py", "-c", f"stage={names.STAGE_LOCAL}"),
        *("--output", str(output), "--outputs-file", str(outputs_file)),
    ]
    _run(arguments, emulator, log, cwd=ROOT)


def _run(arguments: list[str], emulator: Emulator, log: Path, *, cwd: Path) -> None:
    if not EXECUTABLE.exists():
        raise CdkError(f"{EXECUTABLE} is missing: run `make venv`")
    command = [str(EXECUTABLE), *arguments, "--no-notices", "--ci"]
    with log.open("a", encoding="utf-8") as output:
        output.write(f"$ cdk {shlex.join(arguments)}\n")
        output.flush()
        result = subprocess.run(
            command,
            cwd=cwd,
            env=_environment(emulator),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if result.returncode != 0:
        with log.open(encoding="utf-8", errors="replace") as output:
            tail = "".join(deque(output, maxlen=_SHOWN_LINES)).rstrip()
        raise CdkError(f"cdk {arguments[0]} failed with {result.returncode}:\n{tail}")


def _environment(emulator: Emulator) -> dict[str, str]:
    # No profile, token or key of the person at the keyboard may turn this towards a real account.
    kept = inherited("AWS_")
    name, value = emulator.mark.split("=", 1)
    return kept | {
        "AWS_ENDPOINT_URL": emulator.endpoint_url,
        # Stopping the emulator also finds a deploy whose own parent was killed.
        name: value,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CDK_DISABLE_CLI_TELEMETRY": "1",
        "CDK_DISABLE_VERSION_CHECK": "1",
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
    }
