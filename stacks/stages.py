"""What differs between the stages, and nothing else: one frozen value handed to every stack."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lambdas import names

STAGE_DEV: Final = "dev"
STAGE_PROD: Final = "prod"


class UnknownStageError(ValueError):
    """A stage that does not exist, or none, was asked for."""


@dataclass(frozen=True, kw_only=True)
class StageConfig:
    """One stage of the deployment.

    Attributes:
        name: The stage, as it stands in the names of the stacks.
        on_host: Functions run on this machine's Python and processor (the emulator has no other),
            not on arm64 with the newest Python we support.
        retain_tables: Tables outlive their stack.
        protect_scores: The table of scores, which nothing can rebuild, refuses deletion.
        protect_all: Every table and the data stack itself refuse deletion.
        point_in_time_recovery: Tables can be restored to any second of the last 35 days.
        open_reads: The read group of routes answers unsigned requests.
        open_docs: The API page and the OpenAPI document do so.
        http_timeout_seconds: How long an HTTP function may take.
        rate_per_second: Requests a second the whole API admits, on average.
        burst: Requests it admits at once.
        monitored: There is a CloudWatch that knows metric math, for alarms.
        levels: How deep the deepest layout of the stage's boards is, by which alarms know what
            counting may cost and how wide ranges may be.
    """

    name: str
    on_host: bool = False
    retain_tables: bool = False
    protect_scores: bool = True
    protect_all: bool = False
    point_in_time_recovery: bool = True
    open_reads: bool = False
    open_docs: bool = True
    http_timeout_seconds: int = 10
    rate_per_second: int
    burst: int
    monitored: bool = True
    levels: int = 2


_LOCAL: Final = StageConfig(
    name=names.STAGE_LOCAL,
    on_host=True,
    protect_scores=False,
    point_in_time_recovery=False,
    # Every call in flight is a process of its own on the emulator: on a few cores the first calls
    # wait tens of seconds for a start that takes well under one on AWS.
    http_timeout_seconds=60,
    rate_per_second=1_000,
    burst=1_000,
    monitored=False,
)
_DEV: Final = StageConfig(name=STAGE_DEV, rate_per_second=500, burst=500)
_PROD: Final = StageConfig(
    name=STAGE_PROD,
    retain_tables=True,
    protect_all=True,
    open_docs=False,
    # Half of what an account may do by default, so that one stage cannot starve its neighbours.
    rate_per_second=5_000,
    burst=2_500,
)
STAGES: Final[Mapping[str, StageConfig]] = MappingProxyType(
    {config.name: config for config in (_LOCAL, _DEV, _PROD)}
)


def stage_config(name: str | None) -> StageConfig:
    """Returns the configuration of a stage.

    Raises:
        UnknownStageError: There is no such stage; the message names those there are.
    """
    config = STAGES.get(name or "")
    if config is None:
        known = ", ".join(STAGES)
        asked = f"no stage {name!r}" if name else "no stage given"
        raise UnknownStageError(f"{asked}: choose one of {known} with -c stage=<name>")
    return config
