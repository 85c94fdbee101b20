"""The health of a deployed stage, from what CloudWatch knows of it.

What is deployed is the truth: alarms are read as they stand, with their expressions and limits,
and each is asked for its newest value. Cost: some 200 metrics a call, a fifth of a cent by AWS's
price list (second-hand); it changes nothing.
"""

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from ops.audit import audit_boards
from ops.errors import ClientError as OperatorError
from ops.outputs import Outputs

PREFIX: Final = "Tallyboard-{stage}-"
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
_SPAN: Final = timedelta(minutes=15)  # metrics come late, and an alarm of five minutes has three
_CALLS_AT_ONCE: Final = 8
_LAG_SECONDS: Final = 5.0  # counters follow writes by a second or two
_RUNBOOK: Final = re.compile(r"Runbook: docs/runbooks/([a-z0-9-]+)\.md")
_RULE: Final = re.compile(r"INSIGHT_RULE_METRIC\(['\"]([^'\"]+)['\"]")


class StatusError(OperatorError):
    """The state of the stage could not be read."""

    code = "status_failed"
    title = "The status could not be read"


@dataclass(frozen=True)
class Vital:
    """One alarm, and what it watches now.

    Attributes:
        name: within the stage: `<subject>-<failure>-<severity>`.
        label: what the value is, with its unit.
        value: the newest there is; None where CloudWatch has none.
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
    """

    vitals: list[Vital]
    hottest: list[tuple[str, float]]


def read_status(outputs: Outputs, now: datetime | None = None, client: Any = None) -> Status:
    """Reads the alarms of a stage, with the operator's credentials.

    A stage on this machine has no CloudWatch: its counters are recounted, and nothing else is
    known of it.

    Raises:
        StatusError: the stage has no alarms, or they cannot be read.
        AuditError, NotRunningError: the tables of a local stage cannot be read.
    """
    if outputs.is_local:
        return Status([_drift(outputs)], [])
    settings = Config(max_pool_connections=_CALLS_AT_ONCE, retries={"mode": "standard"})
    cloudwatch = client or boto3.client("cloudwatch", region_name=outputs.region, config=settings)
    until = now or datetime.now(UTC)
    try:
        alarms = list(_alarms(cloudwatch, PREFIX.format(stage=outputs.stage)))
        if not alarms:
            raise StatusError(
                f"Stage '{outputs.stage}' has no alarms: deploy its monitoring stack, or name "
                "the region with AWS_REGION."
            )
        with ThreadPoolExecutor(_CALLS_AT_ONCE) as pool:
            vitals = list(pool.map(lambda one: _vital(cloudwatch, outputs, one, until), alarms))
        return Status(
            sorted(vitals, key=lambda one: (not one.fires, one.name)),
            _hottest(cloudwatch, alarms, until),
        )
    except (ClientError, BotoCoreError) as error:
        raise StatusError(f"CloudWatch did not answer: {error}") from error


def _drift(outputs: Outputs) -> Vital:
    audits = audit_boards(outputs, wait_seconds=_LAG_SECONDS)
    differing = sum(len(one.differences) for one in audits)
    state = "ALARM" if differing else "OK"
    label = "counters that differ from a recount"
    return Vital("audit-drift-warning", label, differing, 0, False, state, "audit-drift")


def _alarms(cloudwatch: Any, prefix: str) -> Iterator[Mapping[str, Any]]:
    pages = cloudwatch.get_paginator("describe_alarms").paginate(
        AlarmNamePrefix=prefix, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
    )
    for page in pages:
        yield from page.get("CompositeAlarms", [])
        yield from page.get("MetricAlarms", [])


def _vital(cloudwatch: Any, outputs: Outputs, alarm: Mapping[str, Any], until: datetime) -> Vital:
    queries = alarm.get("Metrics", [])
    shown: Mapping[str, Any] = next((one for one in queries if one.get("ReturnData", True)), {})
    runbook = _RUNBOOK.search(alarm.get("AlarmDescription", ""))
    return Vital(
        name=alarm["AlarmName"].removeprefix(PREFIX.format(stage=outputs.stage)),
        label=shown.get("Label", ""),
        value=_newest(cloudwatch, queries, until) if queries else None,
        limit=alarm.get("Threshold"),
        below=alarm.get("ComparisonOperator", "").startswith("LessThan"),
        state=alarm["StateValue"],
        runbook=runbook.group(1) if runbook else "",
    )


def _newest(cloudwatch: Any, queries: list[dict[str, Any]], until: datetime) -> float | None:
    answer = cloudwatch.get_metric_data(
        MetricDataQueries=queries,
        StartTime=until - _SPAN,
        EndTime=until,
        ScanBy="TimestampDescending",
    )
    values = [value for found in answer["MetricDataResults"] for value in found["Values"]]
    return values[0] if values else None


def _hottest(
    cloudwatch: Any, alarms: list[Mapping[str, Any]], until: datetime
) -> list[tuple[str, float]]:
    expressions = (
        one.get("Expression", "") for alarm in alarms for one in alarm.get("Metrics", [])
    )
    rule = next((found.group(1) for text in expressions if (found := _RULE.search(text))), None)
    if rule is None:
        return []
    report = cloudwatch.get_insight_rule_report(
        RuleName=rule,
        StartTime=until - _SPAN,
        EndTime=until,
        Period=int(_SPAN.total_seconds()),
        MaxContributorCount=HOTTEST_SHOWN,
        OrderBy="Sum",
    )
    return [
        (" ".join(one["Keys"]), one["ApproximateAggregateValue"])
        for one in report.get("Contributors", [])
    ]
