"""`tally status` of the rig: production's alarms over the metrics that the rig keeps."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from lambdas import names
from lambdas.observability import make_metrics
from ops import rig_status as module
from ops import status
from ops.cli import app
from ops.metrics import Metric, Recorder, Watching, recording, watching
from ops.pictures.body import ROOT
from ops.rig.tables import TableNames
from ops.rig_status import rig_status
from ops.vitals import Status, Vital

FIRST = 29_935_000  # a minute since 1970
RECOUNT = Vital("recount", "", 0, 0, False, "OK", "audit-drift")
AGE = Metric.of("AWS/Lambda", "IteratorAge", {"FunctionName": names.COUNT})


def at(minute: float) -> float:
    """A time so many minutes after the first."""
    return (FIRST + minute) * 60.0


def write(recorder: Recorder, minute: int, counters: float) -> None:
    """A minute of 3,000 units of score items, as many of their index, and some of counters."""
    scores = {"TableName": TableNames().scores}
    for of, units in (
        (scores, 3_000),
        (scores | {"GlobalSecondaryIndexName": names.RANK_INDEX}, 3_000),
        ({"TableName": TableNames().counters}, counters),
        ({"TableName": TableNames().boards}, 7),
    ):
        metric = Metric.of("AWS/DynamoDB", "ConsumedWriteCapacityUnits", of)
        recorder.add(metric, units, at(minute))


def note(recorder: Recorder, metric: Metric, values: Sequence[float]) -> None:
    """A value a minute."""
    for minute, value in enumerate(values):
        recorder.add(metric, value, at(minute))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """What the rig hands out."""
    made = Recorder()
    monkeypatch.setattr(module, "ask", lambda _: made)
    return made


def told(minute: float) -> Status:
    """What the rig tells so many minutes after the first."""
    return rig_status(Path("rig"), RECOUNT, datetime.fromtimestamp(at(minute), UTC))


def alarms(minute: float) -> dict[str, Vital]:
    """The alarms by their names, in the order that they are told in."""
    return {one.name: one for one in told(minute).vitals}


def test_shares_are_of_what_was_written_whatever_floor_an_alarm_has(recorder: Recorder) -> None:
    """Of the last quarter of an hour, without the table of boards; the hottest items first."""
    for minute in range(20):
        write(recorder, minute, counters=2_000 if minute >= 5 else 50_000)
        recorder.contributed("arena#all#1# 0", 40, at(minute))
        recorder.contributed("arena#all#1# 1", 80, at(minute))
    found = told(20)
    assert found.written == {"Counters": 30_000, "Scores": 45_000, "Scores/byRank": 45_000}
    assert (found.total, found.counters_percent) == (120_000, 25.0)
    assert found.hottest == [("arena#all#1# 1", 1_200), ("arena#all#1# 0", 600)]
    assert found.hottest_percent == 1.0


def test_every_alarm_of_production_is_told_and_none_fires_over_a_rig_at_rest(
    recorder: Recorder,
) -> None:
    """Each by its limit, the one that pages among them, and the recount."""
    of = {names.DIMENSION_STAGE: names.STAGE_RIG, names.DIMENSION_FUNCTION: names.AUDIT}
    note(recorder, Metric.of(names.METRIC_NAMESPACE, names.METRIC_AUDIT_RUNS, of), [1] * 40)
    for function in names.SCHEDULED:
        calls = Metric.of("AWS/Lambda", "Invocations", {"FunctionName": function})
        note(recorder, calls, [1] * 40)
    found = alarms(40)
    template = json.loads((ROOT / "tests/infrastructure/snapshots/monitoring.json").read_text())
    limits = {
        one["Properties"]["AlarmName"].removeprefix("Tallyboard-prod-"): one["Properties"].get(
            "Threshold"
        )
        for one in template["Resources"].values()
        if one["Type"] in ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")
    }
    assert {name: one.limit for name, one in found.items()} == limits | {"recount": 0}
    assert {name for name, one in found.items() if one.state != "OK"} == set()
    assert found["audit-missed-warning"].value == 5


def test_an_alarm_fires_by_its_own_m_of_n_over_whole_minutes(recorder: Recorder) -> None:
    """Three minutes of lag are too much; what fires comes first, and pages where it should."""
    note(recorder, AGE, [900, 900, 900, 301_000, 302_000, 303_000])
    calls = Metric.of("AWS/Lambda", "Invocations", {"FunctionName": names.EXPIRE})
    note(recorder, calls, [1] * 6)
    found = alarms(6)
    assert (found["count-lag-critical"].value, found["count-lag-critical"].fires) == (303_000, True)
    firing = ["count-lag-critical", "count-lag-warning", "players-notice-critical"]
    assert [name for name, one in found.items() if one.fires] == firing
    assert list(found)[:3] == firing


def test_the_minute_that_goes_on_is_left_out(recorder: Recorder) -> None:
    """It holds a part of its sums, and calls that are due in it may be still to come."""
    note(recorder, AGE, [900, 900, 900, 301_000, 302_000, 303_000])
    found = alarms(5.9)["count-lag-critical"]
    assert (found.value, found.state) == (302_000, "OK")


def test_a_wide_period_ends_with_the_newest_whole_minute(recorder: Recorder) -> None:
    """Of eight minutes it is the last five that one of five shows."""
    for minute in range(9):
        write(recorder, minute, counters=54_000 if minute < 3 else 6_000)
    assert alarms(8.5)["counters-write-share-warning"].value == 50.0


@pytest.mark.parametrize(("minutes", "state"), [(29, "INSUFFICIENT_DATA"), (30, "ALARM")])
def test_an_alarm_lacks_data_until_it_could_have_fired(
    recorder: Recorder, minutes: int, state: str
) -> None:
    """The counters' share looks at six periods of five minutes, and says nothing before."""
    for minute in range(minutes):
        write(recorder, minute, counters=6_000)
    assert alarms(minutes)["counters-write-share-warning"].state == state


def test_a_rig_that_came_up_just_now_tells_values_and_no_states(recorder: Recorder) -> None:
    """Nothing is missing yet that runs on a schedule."""
    write(recorder, 0, counters=2_000)
    found = alarms(0.5)
    assert found.pop("recount").state == "OK"
    assert {one.fires for one in found.values()} == {False}
    assert found["audit-missed-warning"].state == "INSUFFICIENT_DATA"
    assert told(0.5).counters_percent == 25.0


def test_what_a_rig_notes_is_what_alarms_read(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed calls, messages of failures and drift, each by the way that it takes there."""
    monkeypatch.setenv(names.ENV_STAGE, names.STAGE_RIG)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with recording(recorder):
        for minute in range(15):
            now = at(minute)
            monkeypatch.setattr(watching.time, "time", lambda now=now: now)
            monkeypatch.setattr("time.time", lambda now=now: now)
            with pytest.raises(ZeroDivisionError):
                Watching(recorder).function(names.READ, fail)({}, None)
            recorder.queued(watching.QUEUE, 2, now)
            metrics = make_metrics(names.AUDIT)
            metrics.set_timestamp(int(now * 1_000))
            metrics.add_metric(names.METRIC_AUDIT_DRIFT, "Count", 3)
            metrics.flush_metrics()
    found = alarms(15)
    for name, value in (
        ("read-function-errors-warning", 1),
        ("failure-queue-filled-warning", 2),
        ("audit-drift-warning", 3),
    ):
        assert (found[name].value, found[name].state) == (value, "ALARM"), name


def test_of_a_rig_that_does_not_answer_drift_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of another checkout, say; nothing is made up."""
    monkeypatch.setattr(module, "ask", lambda _: None)
    found = told(1)
    assert found.vitals == [RECOUNT]
    assert "drift alone is" in found.unknown
    assert found.counters_percent is None


@pytest.fixture
def tally(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Runs the command on a rig with six minutes of lag, its counters right."""
    note(recorder, AGE, [301_000] * 6)
    for minute in range(6):
        write(recorder, minute, counters=2_000)
        recorder.contributed("arena#all#1# 1", 80, at(minute))
    audits = [SimpleNamespace(board="arena", window="all", differences=())]
    monkeypatch.setattr(status, "audit_boards", lambda *_, **__: audits)
    now = datetime.fromtimestamp(at(6), UTC)
    monkeypatch.setattr(status, "datetime", SimpleNamespace(now=lambda _: now))
    monkeypatch.setenv("TALLY_HOME", str(tmp_path))
    outputs = {
        names.OUTPUT_API_URL: "http://127.0.0.1:9",
        names.OUTPUT_SCORES_TABLE: "Scores",
        names.OUTPUT_COUNTERS_TABLE: "Counters",
        names.OUTPUT_BOARDS_TABLE: "Boards",
        names.OUTPUT_SUBMISSIONS_TABLE: "Submissions",
    }
    (tmp_path / "rig.outputs.json").write_text(json.dumps({"Tallyboard-rig": outputs}))
    return lambda *words: CliRunner().invoke(app, ["status", "--stage", "rig", *words])


def test_the_command_shows_the_rig_as_it_shows_a_stage_on_aws(tally: Callable[..., Any]) -> None:
    """Vital alarms with values and limits, shares, and what cannot be known; 1 if one fires."""
    run = tally()
    assert run.exit_code == 1
    lines = [" ".join(line.split()) for line in run.stdout.splitlines()]
    lag = "count-lag-critical ALARM 3.01e+05 > 300000 iterator age, ms counting-behind"
    assert lag in lines
    assert any(line.startswith("recount OK 0 > 0") for line in lines)
    said = " ".join(lines)
    assert "counters took 25.0 %, their hottest item 1.0 %." in said
    assert "480 arena#all#1# 1" in said
    assert "knows no throttles, conflicts or index lag" in said
    assert "read-api-slow-warning" not in said


def test_json_carries_the_same(tally: Callable[..., Any]) -> None:
    """Every alarm, the units behind the shares, and what cannot be known."""
    run = tally("--json")
    assert run.exit_code == 1
    plain = json.loads(run.stdout)
    assert (plain["counters_percent"], plain["hottest_percent"]) == (25.0, 1.0)
    assert plain["write_units"] == {
        "Counters": 12_000,
        "Scores": 18_000,
        "Scores/byRank": 18_000,
    }
    assert plain["hottest_items"] == [{"item": "arena#all#1# 1", "write_units": 480}]
    assert plain["unknown"].startswith("The rig knows no throttles")
    states = {one["name"]: one["state"] for one in plain["alarms"]}
    assert states["count-lag-critical"] == "ALARM"
    assert states["scores-hot-keys-warning"] == "OK"
    assert states["audit-missed-warning"] == "INSUFFICIENT_DATA"
