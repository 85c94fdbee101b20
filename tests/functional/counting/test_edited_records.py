"""A record edited by hand is skipped and reported, and nothing beside it is held up or lost."""

import copy
import json
from typing import Any

import pytest

from ops.rig.events import Context
from ops.rig.mapping import event_again
from tests.functional.counting.boards import SHARD, CountedBoard, Counting
from tests.functional.counting.edits import GARBAGE, Record, edits


@pytest.fixture
def middle(counting: Counting, counted: CountedBoard) -> tuple[CountedBoard, list[Record]]:
    """Three improvements in a stream; the one in the middle is to be edited."""
    for player in "abc":
        counted.submit(player, 10)
    counting.count(counted.records())
    for player in "abc":
        counted.submit(player, 20_000)
    return counted, counted.records()


def test_a_record_edited_by_hand_is_skipped_and_reported(
    counting: Counting,
    middle: tuple[CountedBoard, list[Record]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every field in turn: skipped, in the queue with its key, in the metric, and alone in it.

    Each edit comes from a stream shard that was never seen, so each time the two records beside
    the edited one must be counted, and the edited one must not.
    """
    board, records = middle
    old, new = (board.board.cells(board.board.written_layout).path(s)[:2] for s in (10, 20_000))
    for number, (name, edit) in enumerate(edits()):
        edited = copy.deepcopy(records)
        edit(edited[1])
        counting.queue.messages.clear()
        capsys.readouterr()
        before = board.counted()[""]
        counting.count(edited, shard=f"{SHARD}-{number}")
        after = board.counted()[""]
        moved = {code: after.get(code, 0) - before.get(code, 0) for code in (old, new)}
        assert moved == {old: -2, new: 2}, name
        (message,) = counting.queue.messages
        assert message["reason"], name
        assert message["stream_shard"] == f"{SHARD}-{number}"
        if (said := _keys(edited[1])) == _keys(records[1]):
            assert message["key"] == said["pk"]["S"], name
        metric = _metrics(capsys)
        assert (metric["RecordsReceived"], metric["RecordsUnreadable"]) == ([3], [1]), name


def _keys(record: Record) -> Any:
    stream = record["dynamodb"]
    return stream.get("Keys") if isinstance(stream, dict) else None


def _metrics(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    lines = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    return next(line for line in lines if "_aws" in line)


@pytest.mark.parametrize(
    "change", [{"metadata": {"N": "1"}}, {"submission_id": {"BOOL": True}}, {"x": {"S": "y"}}]
)
def test_what_counting_does_not_lean_on_may_be_edited(
    counting: Counting, middle: tuple[CountedBoard, list[Record]], change: Record
) -> None:
    """An attribute that decides no cell loses nobody their place in the counters."""
    board, records = middle
    records[1]["dynamodb"]["NewImage"].update(change)
    counting.count(records)
    assert board.counted() == board.recounted()
    assert counting.queue.messages == []


@pytest.mark.parametrize("record", GARBAGE)
def test_a_record_that_is_none_stops_nothing(
    counting: Counting, middle: tuple[CountedBoard, list[Record]], record: Any
) -> None:
    """Whatever stands in the list, its neighbours are counted."""
    board, records = middle
    counting.handler(event_again(SHARD, [*records, record]), Context())
    assert board.counted() == board.recounted()
    assert len(counting.queue.messages) == 1
