"""A stage's health as `tally status` tells it, wherever it was read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

# Pages of `docs/runbooks` whose alarms are shown whether or not they fire.
VITAL: Final = (
    "counting-behind",
    "write-share",
    "throttles",
    "audit-drift",
    "failure-queue",
    "expiry-behind",
)
HOTTEST_SHOWN: Final = 5
MINUTES: Final = 15  # metrics come late, and an alarm of five minutes has three in them
_PREFIX: Final = "Tallyboard-{stage}-"
_RUNBOOK: Final = re.compile(r"Runbook: docs/runbooks/([a-z0-9-]+)\.md")


@dataclass(frozen=True)
class Vital:
    """One alarm, and what it watches now.

    Attributes:
        name: within the stage: `<subject>-<failure>-<severity>`.
        label: what the value is, with its unit.
        value: the newest there is; None where there is none.
        limit: past it the value is bad: above it, or below with `below`.
        state: `OK`, `ALARM` or `INSUFFICIENT_DATA`.
        runbook: the page of `docs/runbooks` about it.
    """

    name: str
    label: str
    value: float | None
    limit: float | None
    below: bool
    state: str
    runbook: str

    @property
    def fires(self) -> bool:
        """Whether the alarm fires."""
        return self.state == "ALARM"


@dataclass(frozen=True)
class Status:
    """A stage's health.

    Attributes:
        vitals: its alarms, those that fire first.
        hottest: counter items with the write units they took in 15 minutes, most first.
        written: write units of the same minutes by table and index, where the stage tells.
        counters: what its table of counters is called there.
        unknown: what the stage cannot tell, in a line.
    """

    vitals: list[Vital]
    hottest: list[tuple[str, float]] = field(default_factory=list)
    written: Mapping[str, float] = field(default_factory=dict)
    counters: str = ""
    unknown: str = ""

    @property
    def total(self) -> float:
        """Write units of all tables and indexes."""
        return sum(self.written.values())

    @property
    def counters_percent(self) -> float | None:
        """The counters' share of the write units."""
        return self._percent(self.written.get(self.counters, 0.0))

    @property
    def hottest_percent(self) -> float | None:
        """The hottest counter item's share of the write units."""
        return self._percent(self.hottest[0][1] if self.hottest else 0.0)

    def _percent(self, units: float) -> float | None:
        return 100 * units / self.total if self.total else None


def prefix_of(stage: str) -> str:
    """What the names of a stage's alarms begin with."""
    return _PREFIX.format(stage=stage)


def vital_of(alarm: Mapping[str, Any], stage: str, value: float | None, state: str) -> Vital:
    """An alarm as a template states it, or `DescribeAlarms`, with its value and state."""
    queries = alarm.get("Metrics", [])
    shown: Mapping[str, Any] = next((one for one in queries if one.get("ReturnData", True)), {})
    runbook = _RUNBOOK.search(alarm.get("AlarmDescription", ""))
    return Vital(
        name=alarm["AlarmName"].removeprefix(prefix_of(stage)),
        label=shown.get("Label", ""),
        value=value,
        limit=alarm.get("Threshold"),
        below=alarm.get("ComparisonOperator", "").startswith("LessThan"),
        state=state,
        runbook=runbook.group(1) if runbook else "",
    )


def worst_first(vitals: list[Vital]) -> list[Vital]:
    """Those that fire first, and by name."""
    return sorted(vitals, key=lambda one: (not one.fires, one.name))
