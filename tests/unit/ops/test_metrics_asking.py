"""A running rig's metrics, asked for by another process."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest

from ops.metrics import Answering, Metric, Recorder, ask, asking, recording

METRIC = Metric.of("Tallyboard", "Requests", {"stage": "rig"})
NOW = 1_796_100_000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the time that the rig's side goes by."""
    times = [NOW]
    monkeypatch.setattr(asking.time, "time", lambda: times[0])
    return lambda now: times.__setitem__(0, now)


@contextmanager
def answered(answering: Answering) -> Iterator[None]:
    """A rig that looks for questions until the block ends."""
    is_over = threading.Event()

    def turn() -> None:
        while not is_over.wait(0.01):
            answering.turn()

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_all_who_ask_are_answered_and_nothing_is_left(
    tmp_path: Path, clock: Callable[[float], None]
) -> None:
    """Several at once, too; each gets all that was noted."""
    clock(NOW)
    recorder = Recorder()
    recorder.add(METRIC, 5, NOW)
    found: list[Recorder | None] = []
    with answered(Answering(recorder, tmp_path, tmp_path / "failures.jsonl")):
        askers = [threading.Thread(target=lambda: found.append(ask(tmp_path))) for _ in range(4)]
        for one in askers:
            one.start()
        for one in askers:
            one.join()
    assert [one.series(METRIC, "Sum") for one in found if one is not None] == [[5]] * 4
    assert list(tmp_path.iterdir()) == []


def test_unasked_a_rig_writes_nothing_and_forgets_what_is_old(
    tmp_path: Path, clock: Callable[[float], None]
) -> None:
    """So that it may run for days; the messages of failures are noted every minute."""
    recorder, failures = Recorder(), tmp_path / "failures.jsonl"
    failures.write_text("{}\n{}\n")
    answering = Answering(recorder, tmp_path, failures)
    for minute in range(100):
        recorder.add(METRIC, minute, NOW + 60 * minute)
        clock(NOW + 60 * minute)
        answering.turn()
        answering.turn()
    assert list(tmp_path.iterdir()) == [failures]
    assert recorder.series(METRIC, "Sum")[-1] == 99
    assert len(recorder.minutes) == asking.KEPT_MINUTES + 1
    waiting = Metric.of("AWS/SQS", "ApproximateNumberOfMessagesVisible", {"QueueName": "failures"})
    assert set(recorder.series(waiting, "SampleCount")) <= {1, None}
    assert recorder.series(waiting, "Maximum")[-1] == 2


@pytest.mark.parametrize("is_there", [True, False])
def test_a_rig_that_does_not_answer_is_not_waited_for_without_end(
    tmp_path: Path, is_there: bool
) -> None:
    """It may have died, be of another checkout, or have its folder elsewhere."""
    folder = tmp_path if is_there else tmp_path / "elsewhere"
    assert ask(folder, seconds=0.1) is None
    assert list(tmp_path.iterdir()) == []


def test_what_functions_print_goes_on_to_the_log_by_whole_lines() -> None:
    """Whoever reads the log reads on as before."""
    log, recorder = StringIO(), Recorder()
    emf = (
        '{"_aws": {"Timestamp": 60000, "CloudWatchMetrics": [{"Namespace": "Tallyboard", '
        '"Dimensions": [["stage"]], "Metrics": [{"Name": "Requests"}]}]}, '
        '"stage": "rig", "Requests": [4]}'
    )
    with recording(recorder, printed_to=log):
        for text in ("started ", f"up\n{emf}", "\n"):
            sys.stdout.write(text)
    assert log.getvalue() == f"started up\n{emf}\n"
    assert recorder.series(METRIC, "Sum") == [4]
