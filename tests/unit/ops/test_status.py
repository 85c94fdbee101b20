"""`tally status`: what CloudWatch says of a stage, in one table."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from typer.testing import CliRunner

from lambdas import names
from ops import status
from ops.cli import app
from ops.outputs import Outputs
from ops.status import StatusError, read_status

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
API = "https://abc.execute-api.eu-central-1.amazonaws.com"
PROD = Outputs("prod", API, "Scores", "Counters", "Boards", "Submissions")
RULE = "Tallyboard-prod-hottest"
QUERIES: list[dict[str, Any]] = [
    {
        "Id": "expr_1",
        "Expression": "100 * FILL(hottest, 0) / (written + (written < 1))",
        "Label": "hottest counter item's share of write units, %",
        "ReturnData": True,
    },
    {
        "Id": "hottest",
        "Expression": f"INSIGHT_RULE_METRIC('{RULE}', 'MaxContributorValue')",
        "Period": 60,
        "ReturnData": False,
    },
]


def alarm(**changes: Any) -> dict[str, Any]:
    """An alarm as `DescribeAlarms` tells it."""
    return {
        "AlarmName": "Tallyboard-prod-hottest-counter-write-share-warning",
        "AlarmDescription": "One item is hot. Runbook: docs/runbooks/write-share.md",
        "StateValue": "OK",
        "Threshold": 25.0,
        "ComparisonOperator": "GreaterThanThreshold",
        "Metrics": QUERIES,
        **changes,
    }


@pytest.fixture
def cloudwatch() -> Iterator[tuple[Any, Stubber]]:
    """A client whose answers are given, each request held against AWS's own model."""
    client = boto3.client(
        "cloudwatch", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    with Stubber(client) as stubber:
        yield client, stubber


def answer(
    stubber: Stubber, alarms: list[dict[str, Any]], values: list[float], **composite: Any
) -> None:
    """Queues the answers to one reading of a stage with one metric alarm at most."""
    composites = [
        {
            "AlarmName": "Tallyboard-prod-players-notice-critical",
            "AlarmDescription": "Players notice. Runbook: docs/runbooks/players-notice.md",
            "StateValue": "OK",
            **composite,
        }
    ]
    stubber.add_response(
        "describe_alarms",
        {"MetricAlarms": alarms, "CompositeAlarms": composites},
        {"AlarmNamePrefix": "Tallyboard-prod-", "AlarmTypes": ["MetricAlarm", "CompositeAlarm"]},
    )
    if alarms:
        stubber.add_response(
            "get_metric_data",
            {"MetricDataResults": [{"Id": "expr_1", "Values": values, "Timestamps": []}]},
            {
                "MetricDataQueries": QUERIES,
                "StartTime": datetime(2026, 12, 1, 11, 45, tzinfo=UTC),
                "EndTime": NOW,
                "ScanBy": "TimestampDescending",
            },
        )
        stubber.add_response(
            "get_insight_rule_report",
            {"Contributors": [contributor("arena#all#1##2", 90.0), contributor("b#all#1##0", 7.0)]},
            {
                "RuleName": RULE,
                "StartTime": datetime(2026, 12, 1, 11, 45, tzinfo=UTC),
                "EndTime": NOW,
                "Period": 900,
                "MaxContributorCount": 5,
                "OrderBy": "Sum",
            },
        )


def contributor(item: str, units: float) -> dict[str, Any]:
    """A counter item of a report."""
    return {"Keys": [item], "ApproximateAggregateValue": units, "Datapoints": []}


def test_each_alarm_is_told_with_its_newest_value_and_limit(
    cloudwatch: tuple[Any, Stubber],
) -> None:
    """As deployed: its expression, its limit and its page; and who is hottest."""
    client, stubber = cloudwatch
    answer(stubber, [alarm(StateValue="ALARM")], [31.5, 2.0])
    found = read_status(PROD, NOW, client)
    hot, composite = found.vitals
    assert (hot.name, hot.value, hot.limit) == ("hottest-counter-write-share-warning", 31.5, 25.0)
    assert (hot.fires, hot.below, hot.runbook) == (True, False, "write-share")
    assert (composite.name, composite.value, composite.fires) == (
        "players-notice-critical",
        None,
        False,
    )
    assert found.hottest == [("arena#all#1##2", 90.0), ("b#all#1##0", 7.0)]
    stubber.assert_no_pending_responses()


def test_a_value_that_is_not_there_is_none(cloudwatch: tuple[Any, Stubber]) -> None:
    """A gap is not a 0."""
    client, stubber = cloudwatch
    answer(stubber, [alarm(StateValue="INSUFFICIENT_DATA")], [])
    assert read_status(PROD, NOW, client).vitals[0].value is None


def test_what_cannot_be_told_is_said(cloudwatch: tuple[Any, Stubber]) -> None:
    """A stage without alarms, and a refused call, each say what to do or why."""
    client, stubber = cloudwatch
    stubber.add_response("describe_alarms", {"MetricAlarms": [], "CompositeAlarms": []})
    with pytest.raises(StatusError, match="deploy its monitoring stack"):
        read_status(PROD, NOW, client)
    stubber.add_client_error("describe_alarms", "AccessDenied", "no")
    with pytest.raises(StatusError, match="AccessDenied"):
        read_status(PROD, NOW, client)


@pytest.mark.parametrize(("differences", "state"), [((), "OK"), ((1, 2), "ALARM")])
def test_of_a_stage_on_this_machine_drift_alone_is_told(
    monkeypatch: pytest.MonkeyPatch, differences: tuple[int, ...], state: str
) -> None:
    """By a recount: there is no CloudWatch."""
    audits = [SimpleNamespace(differences=()), SimpleNamespace(differences=differences)]
    monkeypatch.setattr(status, "audit_boards", lambda *_, **__: audits)
    local = Outputs("rig", "http://127.0.0.1:1", "s", "c", "b", "l")
    (drift,) = read_status(local, NOW).vitals
    assert (drift.value, drift.state, drift.runbook) == (len(differences), state, "audit-drift")


@pytest.fixture
def tally(
    cloudwatch: tuple[Any, Stubber], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Runs the command on a stage `prod` that CloudWatch is stubbed for."""
    client, _ = cloudwatch
    service = {names.OUTPUT_API_URL: API}
    tables = {
        names.OUTPUT_SCORES_TABLE: "s",
        names.OUTPUT_COUNTERS_TABLE: "c",
        names.OUTPUT_BOARDS_TABLE: "b",
        names.OUTPUT_SUBMISSIONS_TABLE: "l",
    }
    outputs = {"Service": service, "Data": tables}
    (tmp_path / "prod.outputs.json").write_text(json.dumps(outputs))
    monkeypatch.setenv("TALLY_HOME", str(tmp_path))
    monkeypatch.setattr(status, "datetime", type("Clock", (), {"now": staticmethod(lambda _: NOW)}))
    monkeypatch.setattr(status.boto3, "client", lambda *_, **__: client)
    return lambda *words: CliRunner().invoke(app, ["status", "--stage", "prod", *words])


def test_the_command_shows_what_fires_and_exits_with_1(
    cloudwatch: tuple[Any, Stubber], tally: Callable[..., Any]
) -> None:
    """State, value, limit and runbook, in a table or as JSON."""
    for words in ((), ("--json",)):
        answer(cloudwatch[1], [alarm(StateValue="ALARM")], [31.5])
        run = tally(*words)
        assert run.exit_code == 1
        if words:
            plain = json.loads(run.stdout)
            assert plain["alarms"][0]["value"] == 31.5
            assert plain["hottest_items"][0] == {"item": "arena#all#1##2", "write_units": 90.0}
        else:
            assert "hottest-counter-write-share-warning" in run.stdout
            assert "1 of 2 alarms fire" in run.stdout
            assert "arena#all#1##2" in run.stdout


def test_quiet_alarms_are_left_out_unless_all_are_wanted(
    cloudwatch: tuple[Any, Stubber], tally: Callable[..., Any]
) -> None:
    """But the vital ones stand there with their values, and a quiet stage exits with 0."""
    for words, shown in (((), False), (("--all",), True)):
        answer(cloudwatch[1], [alarm()], [0.4])
        run = tally(*words)
        assert run.exit_code == 0
        assert "hottest-counter-write-share-warning" in run.stdout
        assert ("players-notice-critical" in run.stdout) is shown
