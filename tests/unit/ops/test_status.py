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
LOCAL = Outputs("local", "http://127.0.0.1:9", "s", "c", "b", "l")
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


@pytest.fixture
def recounted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what differs in each recount that is to come; no time passes between them."""

    def set_to(*recounts: tuple[int, ...]) -> None:
        waiting = iter(recounts)

        def audit(*_: Any, **__: Any) -> list[SimpleNamespace]:
            return [
                SimpleNamespace(board="a", window="all", differences=()),
                SimpleNamespace(board="b", window="all", differences=next(waiting)),
            ]

        monkeypatch.setattr(status, "audit_boards", audit)

    monkeypatch.setattr(status.time, "sleep", lambda _: None)
    return set_to


@pytest.mark.parametrize(
    ("recounts", "value"),
    [(((),), 0), (((1, 2), (1, 2)), 2), (((1, 2), (2, 3)), 1), (((1,), (2,)), 0), (((1,), ()), 0)],
)
def test_of_an_emulator_drift_alone_is_told(
    recounted: Callable[..., None], recounts: tuple[tuple[int, ...], ...], value: int
) -> None:
    """By a recount; what does not differ in the same way seconds later was on its way."""
    recounted(*recounts)
    found = read_status(LOCAL, NOW)
    (drift,) = found.vitals
    assert (drift.value, drift.fires, drift.runbook) == (value, value > 0, "audit-drift")
    assert "drift alone can" in found.unknown
    assert (found.written, found.counters_percent, found.hottest_percent) == ({}, None, None)


def test_the_command_says_what_a_local_stage_cannot_tell(
    recounted: Callable[..., None], stage: Callable[..., Any]
) -> None:
    """In one line, and as JSON; nothing stands in for it."""
    recounted((), ())
    run = stage("local", "http://127.0.0.1:9")
    assert run.exit_code == 0
    assert "cannot be known, drift alone can." in " ".join(run.stdout.split())
    plain = json.loads(stage("local", "http://127.0.0.1:9", "--json").stdout)
    assert [one["name"] for one in plain["alarms"]] == ["recount"]
    assert plain["unknown"].startswith("No CloudWatch watches this stage")
    assert (plain["write_units"], plain["counters_percent"]) == ({}, None)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs the command on a stage that put out an API at some address."""
    monkeypatch.setenv("TALLY_HOME", str(tmp_path))

    def run(name: str, api_url: str, *words: str) -> Any:
        tables = {
            names.OUTPUT_SCORES_TABLE: "s",
            names.OUTPUT_COUNTERS_TABLE: "c",
            names.OUTPUT_BOARDS_TABLE: "b",
            names.OUTPUT_SUBMISSIONS_TABLE: "l",
        }
        outputs = {"Service": {names.OUTPUT_API_URL: api_url}, "Data": tables}
        (tmp_path / f"{name}.outputs.json").write_text(json.dumps(outputs))
        return CliRunner().invoke(app, ["status", "--stage", name, *words])

    return run


@pytest.fixture
def tally(
    cloudwatch: tuple[Any, Stubber], stage: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Runs the command on a stage `prod` that CloudWatch is stubbed for."""
    client, _ = cloudwatch
    monkeypatch.setattr(status, "datetime", type("Clock", (), {"now": staticmethod(lambda _: NOW)}))
    monkeypatch.setattr(status.boto3, "client", lambda *_, **__: client)
    return lambda *words: stage("prod", API, *words)


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
            assert plain["unknown"] is None
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
