"""One run: what was asked for, written down for every process that takes part."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lambdas import names

ENV_RUN: Final = "TALLY_LOADTEST_RUN"  # the path of a run's file
BOARD_PREFIX: Final = "load-"
RIG, LOCAL, AWS = names.STAGE_RIG, names.STAGE_LOCAL, "aws"
_FILE: Final = "run.json"

Sizes = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one run does, and where it leaves what it finds.

    Attributes:
        board: the id of the run's board; of several, each begins with it.
        started: UTC, as in `20261201T004030Z`.
        directory: where evidence and report go.
        sizes: how much of everything; each suite has its own.
        commit: of the checkout that tests; `+` if it has changes of its own.
        limits: in words, what this stage cannot show.
        cost: dollars by arithmetic; 0 on this machine.
    """

    suite: str
    stage: str
    board: str
    started: str
    directory: str
    sizes: Sizes
    seed: int = 1
    processes: int = 1
    commit: str = "unknown"
    limits: tuple[str, ...] = ()
    cost: float = 0.0

    @property
    def where(self) -> str:
        """The kind of stage: `rig`, `local` or `aws`."""
        return kind_of(self.stage)

    def saved(self) -> Path:
        """Write the run down; returns the file."""
        path = Path(self.directory) / _FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        return path


def kind_of(stage: str) -> str:
    """Which kind of stage a name stands for."""
    return stage if stage in (RIG, LOCAL) else AWS


def load(path: Path) -> Run:
    """The run of a file."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return replace(Run(**found), limits=tuple(found["limits"]))


def current() -> Run:
    """The run that this process takes part in."""
    return load(Path(os.environ[ENV_RUN]))


def stamp(now: datetime | None = None) -> str:
    """A UTC time as folders are named."""
    return (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")


def board_id(suite: str, started: str) -> str:
    """The board of a run: its id says whose it is, so that a later run can remove it."""
    return f"{BOARD_PREFIX}{suite}-{started.lower()}"
