"""The health of a deployed stage, from what CloudWatch knows of it.

What is deployed is the truth: alarms are read as they stand, with their expressions and limits,
and each is asked for its newest value. Cost: some 200 metrics a call, a fifth of a cent by AWS's
price list (second-hand); it changes nothing.
"""

import re
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from lambdas import names
from ops.audit import Difference, audit_boards
from ops.errors import ClientError as OperatorError
from ops.outputs import Outputs, state_dir
from ops.rig_status import rig_status
from ops.vitals import HOTTEST_SHOWN, MINUTES, Status, Vital, prefix_of, vital_of, worst_first

_SPAN: Final = timedelta(minutes=MINUTES)
_CALLS_AT_ONCE: Final = 8
_LAG_SECONDS: Final = 5.0  # counters follow writes by a second or two
_OF_AN_EMULATOR: Final = (
    "No CloudWatch watches this stage, and its emulator keeps no metrics: shares, lag, throttles "
    "and alarms cannot be known, drift alone can."
)
_RULE: Final = re.compile(r"INSIGHT_RULE_METRIC\(['\"]([^'\"]+)['\"]")


class StatusError(OperatorError):
    """The state of the stage could not be read."""

    code = "status_failed"
    title = "The status could not be read"


def read_status(outputs: Outputs, now: datetime | None = None, client: Any = None) -> Status:
    """Reads the alarms of a stage, with the operator's credentials.

    A stage on this machine has no CloudWatch. Its counters are recounted; the rig tells the rest
    of itself, and of an emulator nothing else is known.

    Raises:
        StatusError: the stage has no alarms, or they cannot be read.
        AuditError, NotRunningError: the tables of a local stage cannot be read.
    """
    if outputs.is_local:
        recount = _recount(outputs)
        if outputs.stage == names.STAGE_RIG:
            return rig_status(state_dir() / "rig", recount, now or datetime.now(UTC))
        return Status([recount], unknown=_OF_AN_EMULATOR)
    settings = Config(max_pool_connections=_CALLS_AT_ONCE, retries={"mode": "standard"})
    cloudwatch = client or boto3.client("cloudwatch", region_name=outputs.region, config=settings)
    until = now or datetime.now(UTC)
    try:
        alarms = list(_alarms(cloudwatch, prefix_of(outputs.stage)))
        if not alarms:
            raise StatusError(
                f"Stage '{outputs.stage}' has no alarms: deploy its monitoring stack, or name "
                "the region with AWS_REGION."
            )
        with ThreadPoolExecutor(_CALLS_AT_ONCE) as pool:
            vitals = list(pool.map(lambda one: _vital(cloudwatch, outputs, one, until), alarms))
        return Status(worst_first(vitals), _hottest(cloudwatch, alarms, until))
    except (ClientError, BotoCoreError) as error:
        raise StatusError(f"CloudWatch did not answer: {error}") from error


def _recount(outputs: Outputs) -> Vital:
    """How many counters are off: what is on its way does not differ by as much seconds later."""
    differing = _differences(outputs, wait_seconds=_LAG_SECONDS)
    if differing:
        time.sleep(_LAG_SECONDS)
        differing &= _differences(outputs)
    state = "ALARM" if differing else "OK"
    label = "counters that differ from a recount"
    return Vital("recount", label, len(differing), 0, False, state, "audit-drift")


def _differences(outputs: Outputs, wait_seconds: float = 0) -> set[tuple[str, str, Difference]]:
    audits = audit_boards(outputs, wait_seconds=wait_seconds)
    return {(one.board, one.window, found) for one in audits for found in one.differences}


def _alarms(cloudwatch: Any, prefix: str) -> Iterator[Mapping[str, Any]]:
    pages = cloudwatch.get_paginator("describe_alarms").paginate(
        AlarmNamePrefix=prefix, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
    )
    for page in pages:
        yield from page.get("CompositeAlarms", [])
        yield from page.get("MetricAlarms", [])


def _vital(cloudwatch: Any, outputs: Outputs, alarm: Mapping[str, Any], until: datetime) -> Vital:
    queries = alarm.get("Metrics", [])
    value = _newest(cloudwatch, queries, until) if queries else None
    return vital_of(alarm, outputs.stage, value, alarm["StateValue"])


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
