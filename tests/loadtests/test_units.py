"""What a run consumed: by the rig's log, and by CloudWatch as botocore knows its answers."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from lambdas import names
from loadtests import units
from ops.client import Outputs

OUTPUTS = Outputs(
    stage="dev",
    api_url="https://abc.execute-api.eu-west-1.amazonaws.com",
    scores_table="S",
    counters_table="C",
    boards_table="B",
    submissions_table="L",
)


def record(at: float, **units: float) -> str:
    return json.dumps({"_aws": {"Timestamp": at * 1000}, **{k: [v] for k, v in units.items()}})


def test_the_rigs_log_is_added_up_within_the_run(tmp_path: Path) -> None:
    """Records before and after it, torn lines and other lines are passed over."""
    submit = {names.METRIC_SCORE_WRITE_UNITS: 1, names.METRIC_INDEX_WRITE_UNITS: 2}
    lines = [
        record(99.9, **submit),
        record(100, **submit),
        record(101, **submit, **{names.METRIC_READ_UNITS: 0.5}),
        record(102, **{names.METRIC_COUNTER_WRITE_UNITS: 3, names.METRIC_COUNT_LAG: 900}),
        record(102.5, **{names.METRIC_COUNT_LAG: 1_200}),
        record(102.9, **{names.METRIC_COUNT_LAG: 50}),
        '{"level":"INFO"}',
        '{"_aws":{"Timesta',
        record(200, **submit),
    ]
    log = tmp_path / "rig.log"
    log.write_text("\n".join(lines) + "\n")
    found = units.of_the_rig(log, 100, 110)
    assert found.writes == {"Scores": 2, "Scores/byRank": 4, "Submissions": 0, "Counters": 3}
    assert found.reads == {units.TOGETHER: 0.5}
    assert found.share == round(3 / 9, 4)
    assert found.series["Counters"] == {102: 3}
    assert found.lag == [(102, 1_200)]
    assert any("Read units" in one for one in found.words)


def test_what_a_stage_cannot_tell_is_said(tmp_path: Path) -> None:
    found = units.of_the_rig(tmp_path / "none.log", 0, 1)
    assert (found.writes, found.share) == ({}, None)
    assert "not on this machine" in found.words[0]


def test_cloudwatch_is_asked_for_tables_and_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Table and index apart, whole minutes; the share comes of their sums."""
    client = boto3.client("cloudwatch", region_name="eu-west-1")
    at = datetime(2026, 12, 1, tzinfo=UTC)
    ids = {"lag": [900.0], "w0": [100.0, 50.0], "w1": [150.0], "w2": [60.0], "r1": [7.5]}
    results: list[dict[str, Any]] = [
        {
            "Id": name,
            "Values": values,
            "Timestamps": [at + timedelta(minutes=n) for n in range(len(values))],
        }
        for name, values in ids.items()
    ]
    monkeypatch.setattr(boto3, "client", lambda *_, **__: client)
    with Stubber(client) as stubbed:
        wanted = {
            "MetricDataQueries": ANY,
            "StartTime": ANY,
            "EndTime": ANY,
            "ScanBy": "TimestampAscending",
        }
        stubbed.add_response("get_metric_data", {"MetricDataResults": results}, wanted)
        found = units.of_aws(OUTPUTS, 1000, 1100)
    assert found.writes == {"Scores": 150, "Scores/byRank": 150, "Counters": 60}
    assert found.reads == {"Scores/byRank": 7.5}
    assert found.share == round(60 / 360, 4)
    assert found.lag == [(int(at.timestamp()), 900.0)]
