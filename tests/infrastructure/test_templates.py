"""Templates as a whole: valid, reviewed, and made without an AWS account."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.infrastructure.templates import Json, Stage

Stages = Callable[[str], Stage]
ROOT = Path(__file__).parents[2]
SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_templates_pass_cfn_lint(stage: Stages, name: str) -> None:
    """cfn-lint knows what CloudFormation refuses; W3005 and W6001 are CDK's own habits."""
    linter = Path(sys.executable).with_name("cfn-lint")
    paths = [str(path) for path in stage(name).paths]
    result = subprocess.run(
        [linter, "-i", "W3005", "W6001", "--", *paths], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("stack", ["data", "service", "monitoring"])
def test_a_reviewed_snapshot(stage: Stages, stack: str) -> None:
    """Any change of a template is seen in review; UPDATE_SNAPSHOTS=1 writes the new one."""
    template: Json = getattr(stage("prod"), stack)
    # An asset's digest changes with every line of code and says nothing here.
    text = re.sub(r"\b[0-9a-f]{64}\b", "ASSET", json.dumps(template, indent=1)) + "\n"
    path = SNAPSHOTS / f"{stack}.json"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_production_synthesizes_offline(tmp_path: Path) -> None:
    """The CDK command line itself, with no credentials, no region and no way out."""
    # After the first build of the assets nothing is fetched; a proxy nobody listens on proves it.
    dead_end = {f"{name}_PROXY": "http://127.0.0.1:9" for name in ("HTTP", "HTTPS", "ALL")}
    kept = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    command = [
        *(ROOT / "node_modules" / ".bin" / "cdk", "synth", "--quiet", "--no-notices"),
        *("-c", "stage=prod", "--output", tmp_path),
        *("--app", f"{sys.executable} app.py"),
    ]
    from stacks import assets

    for asset in (assets.HTTP, assets.COUNT):
        assets.build(asset, assets.AWS_TARGET)
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=kept
        | dead_end
        | {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
        | {"AWS_EC2_METADATA_DISABLED": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    for stack in ("Data", "Service", "Monitoring"):
        assert (tmp_path / f"Tallyboard-prod-{stack}.template.json").exists()
