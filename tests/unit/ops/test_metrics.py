"""A rig's metrics: kept by minute, handed out as CloudWatch's statistics."""

import io
import json
import threading
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from lambdas import names
from lambdas.observability import make_metrics
from ops.metrics import Lines, Metric, Recorder, Watching, take

METRIC = Metric.of("Tallyboard", "Requests", {"stage": "rig", "function": "read"})


def test_statistics_are_those_of_all_values_of_a_period() -> None:
    """Gaps stay gaps, and a wider period is made of whole minutes."""
    recorder = Recorder()
    for value in range(1, 101):
        recorder.add(METRIC, value, at=60.0)
    recorder.add(METRIC, 7, at=180.0)
    assert recorder.series(METRIC, "p99") == [99, None, 7]
    assert recorder.series(METRIC, "p50") == [50, None, 7]
    assert recorder.series(METRIC, "Sum") == [5050, None, 7]
    assert recorder.series(METRIC, "Maximum", 120) == [100], "the cut-off period is left out"
    assert recorder.series(METRIC, "SampleCount", 300) == [101], "unless it is the only one"
    with pytest.raises(ValueError, match="p100"):
        recorder.series(METRIC, "p100")


def test_nothing_recorded_is_no_series() -> None:
    """And no error: a picture of it is empty."""
    assert list(Recorder().series(METRIC, "Sum")) == []
    assert list(Recorder().hottest()) == []


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    """So that a picture can be drawn again without its load."""
    recorder = Recorder()
    recorder.add(METRIC, 1.5, at=0)
    recorder.contributed("item", 3, at=61)
    recorder.save(tmp_path / "kept.json")
    read = Recorder.load(tmp_path / "kept.json")
    assert read.series(METRIC, "Sum") == [1.5, None]
    assert read.hottest() == [None, 3]


def test_minutes_that_a_run_did_not_fill_can_be_left_out() -> None:
    """Their sums would look like a drop."""
    recorder = Recorder()
    for minute in range(3):
        recorder.add(METRIC, minute, at=minute * 60)
        recorder.contributed("item", minute, at=minute * 60)
    recorder.keep(range(1, 2))
    assert recorder.series(METRIC, "Sum") == [1]
    assert recorder.hottest() == [1]


def test_the_functions_own_records_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are printed: by stage and function, each value of a list by itself."""
    monkeypatch.setenv(names.ENV_STAGE, "rig")
    recorder, printed = Recorder(), io.StringIO()
    metrics = make_metrics(names.READ)
    for width in (1, 2, 3):
        metrics.add_metric(names.METRIC_RANGE_WIDTH, "Percent", width)
    with redirect_stdout(printed):
        metrics.flush_metrics()
    for line in ["a line of no JSON", '{"cut', *printed.getvalue().splitlines()]:
        take(recorder, line)
    metric = Metric.of("Tallyboard", names.METRIC_RANGE_WIDTH, {"stage": "rig", "function": "read"})
    assert recorder.series(metric, "SampleCount") == [3]
    assert recorder.series(metric, "Maximum") == [3]


def test_root_lines_are_what_the_contributor_rule_adds_up() -> None:
    """The hottest item of a minute need not be the one of another."""
    recorder = Recorder()
    for second, item, units in ((1, "a", 3), (2, "a", 3), (3, "b", 5), (61, "b", 1)):
        line = {
            "timestamp": f"2026-12-01 02:{second // 60:02d}:{second % 60:02d},000+0000",
            "message": names.LOG_ROOT_UPDATED,
            names.LOG_COUNTER_ITEM: item,
            names.LOG_WRITE_UNITS: units,
        }
        take(recorder, json.dumps(line))
    assert recorder.hottest() == [6, 1]


def test_threads_do_not_break_one_anothers_lines() -> None:
    """`print` writes a text and its line end apart, and another thread may come between."""
    found: list[str] = []
    lines = Lines(found.append)
    lines.write("one ")
    other = threading.Thread(target=lambda: lines.write("two\n"))
    other.start()
    other.join()
    lines.write("goes on\nrest")
    assert found == ["two", "one goes on"]


def test_calls_are_counted_as_lambda_and_the_gateway_do() -> None:
    """A function that raises is an error of Lambda's and a 5xx to the caller."""
    recorder = Recorder()
    watching = Watching(recorder)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watching.function(names.READ, fail)({}, None)
    assert watching.function(names.READ, lambda *_: {"statusCode": 404})({}, None)
    watching.function(names.COUNT, lambda *_: {"state": {}})({"Records": []}, None)

    def total(namespace: str, name: str, **of: str) -> float:
        return sum(one or 0 for one in recorder.series(Metric.of(namespace, name, of), "Sum"))

    assert total("AWS/Lambda", "Errors", FunctionName="read") == 1
    assert total("AWS/Lambda", "Invocations", FunctionName="read") == 2
    assert total("AWS/ApiGateway", "5xx", ApiId="rig") == 1
    assert total("AWS/ApiGateway", "4xx", ApiId="rig", Stage="$default") == 1
    assert total("AWS/ApiGateway", "Count", ApiId="rig") == 2, "counting is behind no gateway"
