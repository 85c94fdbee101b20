"""Finding a deployed stage: its outputs file, as `cdk deploy --outputs-file` writes it.

A stage's outputs lie in `.tally/<stage>.outputs.json`: the stacks' names, and under each its
outputs. Which stack puts out what does not matter here.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from lambdas import names
from ops.errors import NotDeployedError

LOCAL_REGION: Final = "us-east-1"
_REPOSITORY: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Outputs:
    """What a deployed stage put out."""

    stage: str
    api_url: str
    scores_table: str
    counters_table: str
    boards_table: str
    submissions_table: str
    endpoint_url: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether the API is an emulator on this machine."""
        host = urlsplit(self.api_url).hostname or ""
        return host in {"localhost", "127.0.0.1"} or host.endswith(".localhost")

    @property
    def dynamodb_url(self) -> str | None:
        """The address of a local stage's DynamoDB; None on AWS.

        The rig puts its engine's out; an emulator serves everything at one address.
        """
        if not self.is_local:
            return None
        return self.endpoint_url or dialled(self.api_url)

    @property
    def region(self) -> str | None:
        """The region named by the endpoint; None if the endpoint (a domain of yours) hides it."""
        if self.is_local:
            return LOCAL_REGION
        found = re.search(r"\.execute-api\.([a-z0-9-]+)\.", urlsplit(self.api_url).netloc)
        return found.group(1) if found else None


def state_dir(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the outputs files: TALLY_HOME, else `.tally` here, else the repository's."""
    if home := environment.get("TALLY_HOME"):
        return Path(home)
    here = Path.cwd() / ".tally"
    return here if here.is_dir() else _REPOSITORY / ".tally"


def read_outputs(stage: str, directory: Path | None = None) -> Outputs:
    """Read what a stage put out.

    Raises:
        NotDeployedError: No outputs file, or one that cannot be used; says what deploys the stage.
    """
    path = (directory or state_dir()) / f"{stage}.outputs.json"
    if not re.fullmatch(r"[a-z0-9-]+", stage):
        raise NotDeployedError(f"'{stage}' is no stage's name: use a-z, 0-9 and '-'.")
    try:
        stacks = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotDeployedError(
            f"Nothing is deployed for stage '{stage}' ({path} does not exist). {remedy(stage)}"
        ) from None
    except (OSError, ValueError) as error:
        raise NotDeployedError(f"{path} cannot be read: {error}. {remedy(stage)}") from error
    return Outputs(
        stage=stage,
        api_url=_output(stacks, names.OUTPUT_API_URL, path, stage).rstrip("/"),
        scores_table=_output(stacks, names.OUTPUT_SCORES_TABLE, path, stage),
        counters_table=_output(stacks, names.OUTPUT_COUNTERS_TABLE, path, stage),
        boards_table=_output(stacks, names.OUTPUT_BOARDS_TABLE, path, stage),
        submissions_table=_output(stacks, names.OUTPUT_SUBMISSIONS_TABLE, path, stage),
        endpoint_url=next(_values(stacks, names.OUTPUT_ENDPOINT_URL), None),
    )


def _output(stacks: Any, key: str, path: Path, stage: str) -> str:
    found = set(_values(stacks, key))
    if len(found) == 1:
        return found.pop()
    what = f"lacks the output {key}" if not found else f"holds several different outputs {key}"
    raise NotDeployedError(f"{path} {what}: the deployment is incomplete. {remedy(stage)}")


def _values(stacks: Any, key: str) -> Iterator[str]:
    """The values of one output, from whichever stacks put it out."""
    for outputs in stacks.values() if isinstance(stacks, dict) else ():
        if isinstance(outputs, dict) and isinstance(outputs.get(key), str):
            yield outputs[key]


def remedy(stage: str) -> str:
    if stage in (names.STAGE_LOCAL, names.STAGE_RIG):
        return f"Start it with: tally {stage} up"
    return (
        f"Deploy it with: npx cdk deploy --all -c stage={stage} "
        f"--outputs-file .tally/{stage}.outputs.json"
    )


def dialled(url: str) -> str:
    """The address to connect to: Python does not resolve names under `.localhost` itself."""
    parts = urlsplit(url)
    if not (parts.hostname or "").endswith(".localhost"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}://127.0.0.1" + (f":{parts.port}" if parts.port else "")
