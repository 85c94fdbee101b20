"""How long the templates of all stacks of a stage take to make, from an environment that is there.

It is what stands between an edit and a deployment. The functions' assets are built beforehand, as
they are once a change of their code or packages.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
STAGE: Final = "prod"


def run(_client: object) -> list[dict[str, Any]]:
    """One row; the app runs twice, and the second run is the one that is timed."""
    _synthesize()
    started = time.perf_counter()
    stacks = _synthesize()
    seconds = time.perf_counter() - started
    return [{"stage": STAGE, "stacks": stacks, "seconds": round(seconds, 1)}]


def _synthesize() -> int:
    """Runs the app as the CDK does; the number of templates made."""
    context = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    with tempfile.TemporaryDirectory() as made:
        given = {"CDK_OUTDIR": made, "CDK_CONTEXT_JSON": json.dumps(context | {"stage": STAGE})}
        subprocess.run([sys.executable, "app.py"], cwd=ROOT, env=os.environ | given, check=True)
        return len(list(Path(made).glob("*.template.json")))
