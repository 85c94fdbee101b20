"""Marks: written with every count, kept while they guard anything, pruned on condition."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from lambdas.domain.counting import Change, NodeKey, Place, group_by_node
from lambdas.domain.marks import KEPT_HOURS, Mark, mark_name, pack_mark, unpack_mark
from lambdas.store import keys
from lambdas.store.counters import Counters, Writer, counts_of
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.rig.mapping import Fault
from tests.functional.counting.boards import SHARD, WINDOW, CountedBoard, Counting

OTHER = "shardId-00000001700000000002-00000002"
HOUR = 3600.0


@contextmanager
def clock_at(counting: Counting, hours: float) -> Iterator[None]:
    """Lets the function's clock show so many hours since 1970."""
    real = counting.module.time
    shown = SimpleNamespace(
        time=lambda: hours * HOUR, time_ns=lambda: int(hours * HOUR * 1e9), monotonic=real.monotonic
    )
    counting.module.time = shown  # type: ignore[attr-defined]
    try:
        yield
    finally:
        counting.module.time = real  # type: ignore[attr-defined]


def marks_of(board: CountedBoard, path: str = "") -> dict[str, Mark]:
    """The marks of a node's one counter item."""
    (item,) = board.items(path)
    return {name: unpack_mark(item[name]["B"]) for name in item if name.startswith("~")}


def test_deltas_that_cancel_leave_a_mark(counting: Counting, counted: CountedBoard) -> None:
    """A node whose deltas cancel is marked, so that half its records never count alone."""
    counted.submit("a", 10)
    counted.remove("a")
    records = counted.records()
    counting.count(records)
    assert counted.counted() == {}
    sequence = int(records[1]["dynamodb"]["SequenceNumber"])
    assert marks_of(counted)[mark_name(SHARD)].sequence == sequence
    counting.count(records[:1])
    counting.count(records[1:])
    assert counted.counted() == {}


def test_a_decrement_may_create_an_item(counting: Counting, counted: CountedBoard) -> None:
    """A removal that comes through another stream shard counts below 0 until its insert comes."""
    counted.submit("a", 10)
    counted.remove("a")
    insert, removal = counted.records()
    counting.count([removal], shard=OTHER)
    (item,) = counted.items()
    assert list(counts_of(item).values()) == [-1]
    assert counting.counters.read(_root(counted)).counts == {}  # a reader sees 0
    counting.count([insert], shard=SHARD)
    assert counted.counted() == {}


@pytest.mark.parametrize(("age", "pruned"), [(KEPT_HOURS, False), (KEPT_HOURS + 1, True)])
def test_a_mark_is_pruned_when_it_guards_nothing(
    counting: Counting, counted: CountedBoard, age: int, pruned: bool
) -> None:
    """Another stream shard's first write removes marks above 30 hours, and no younger one."""
    counted.submit("a", 10)
    with clock_at(counting, 500_000):
        counting.count(counted.records(), shard=OTHER)
    counted.submit("b", 10)
    with clock_at(counting, 500_000 + age):
        counting.count(counted.records(), shard=SHARD)
    left = {mark_name(SHARD)} if pruned else {mark_name(SHARD), mark_name(OTHER)}
    assert set(marks_of(counted)) == left
    assert counted.counted() == counted.recounted()


@pytest.mark.parametrize("off", [-1, 1])
def test_a_clock_an_hour_off_prunes_nothing_that_can_come_again(
    counting: Counting, counted: CountedBoard, off: int
) -> None:
    """A record stays guarded for the 24 hours that a stream keeps it, whichever clock is off."""
    counted.submit("a", 10)
    records = counted.records()
    with clock_at(counting, 500_000 - off):
        counting.count(records, shard=OTHER)
    counted.submit("b", 10)
    with clock_at(counting, 500_000 + 24 + off):
        counting.count(counted.records(), shard=SHARD)
        counting.count(records, shard=OTHER)
    assert counted.counted() == counted.recounted()


def test_a_mark_rewritten_meanwhile_is_kept(counting: Counting, counted: CountedBoard) -> None:
    """Pruning holds only if the mark is still what was read; else nothing is pruned."""
    counted.submit("a", 10)
    with clock_at(counting, 500_000):
        counting.count(counted.records(), shard=OTHER)
    counted.submit("b", 10)
    counted.submit("c", 10)
    first, second = counted.records()

    def meanwhile() -> None:
        steps = group_by_node([_change(counted, second)])[_root(counted)]
        counting.counters.count(_root(counted), 0, steps, Writer(OTHER, 500_100))

    # On the root: update, get, then the removal, before which the other stream shard writes.
    counting.client.arm(at=2, only="update_item", before=meanwhile)
    steps = group_by_node([_change(counted, first)])[_root(counted)]
    counters = Counters(Dynamo(counting.client, Meter()), counting.tables.counters)  # type: ignore[arg-type]
    assert counters.count(_root(counted), 0, steps, Writer(SHARD, 500_100)).pruned == 0
    assert marks_of(counted)[mark_name(OTHER)].hour == 500_100 % 65_536
    assert list(counts_of(counted.items()[0]).values()) == [3]


def test_pruning_that_fails_loses_no_count(counting: Counting, counted: CountedBoard) -> None:
    """What was counted stays counted when DynamoDB is busy at the pruning; the next one prunes."""
    counted.submit("a", 10)
    with clock_at(counting, 500_000):
        counting.count(counted.records(), shard=OTHER)
    counted.submit("b", 10)
    counting.client.arm(Fault.THROTTLED, times=100, only="get_item")  # the config is cached
    with clock_at(counting, 500_100):
        counting.count(counted.records(), shard=SHARD)
    assert counting.client.calls == 2  # one try a node, and no other
    assert counted.counted() == counted.recounted()
    assert set(marks_of(counted)) == {mark_name(SHARD), mark_name(OTHER)}


def test_a_great_many_stale_marks_go_in_portions(counting: Counting, counted: CountedBoard) -> None:
    """However many marks lie there, removing some stays within the limits of an expression."""
    counted.submit("a", 10)
    counting.count(counted.records(), shard=OTHER)
    key = {
        "pk": {"S": keys.counter_pk(_root(counted))},
        "sk": {"S": "0"},
    }
    for start in range(0, 400, 100):
        names = {f"#{i}": mark_name(f"old {start + i}") for i in range(100)}
        counting.engine.update_item(
            TableName=counting.tables.counters,
            Key=key,
            UpdateExpression="SET " + ", ".join(f"{name} = :mark" for name in names),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={":mark": {"B": pack_mark(Mark(1, 490_000))}},
        )
    counted.submit("b", 10)
    counting.count(counted.records(), shard=SHARD)
    assert len(marks_of(counted)) == 302
    assert counted.counted() == counted.recounted()
    assert counting.queue.messages == []


@pytest.mark.parametrize("value", [{"S": "x"}, {"N": "1"}, {"B": b"short"}, {"B": b"\xff" * 30}])
def test_a_mark_edited_by_hand_is_reported_and_blocks_nothing(
    counting: Counting, counted: CountedBoard, value: Any
) -> None:
    """Where the mark cannot be read its node is left alone and its records are reported."""
    counted.submit("a", 10)
    counting.count(counted.records())
    counting.engine.update_item(
        TableName=counting.tables.counters,
        Key={"pk": {"S": keys.counter_pk(_root(counted))}, "sk": {"S": "0"}},
        UpdateExpression="SET #mark = :value",
        ExpressionAttributeNames={"#mark": mark_name(SHARD)},
        ExpressionAttributeValues={":value": value},
    )
    counted.submit("b", 10)
    counting.count(counted.records())
    (message,) = counting.queue.messages
    assert message["key"] == keys.score_pk(counted.board.id, WINDOW, "b")
    assert "root (UnreadableMark)" in message["reason"]
    assert sum(counts_of(counted.items()[0]).values()) == 1
    inner = next(path for path in counted.paths if path)
    assert sum(counts_of(counted.items(inner)[0]).values()) == 2


def _root(board: CountedBoard) -> NodeKey:
    return NodeKey(board.board.id, WINDOW, board.board.written_layout.number, "")


def _change(board: CountedBoard, record: dict[str, Any]) -> Change:
    image = record["dynamodb"]["NewImage"]
    place = Place(board.board.id, WINDOW, int(image["layout"]["N"]), image["cell"]["S"])
    return Change(int(record["dynamodb"]["SequenceNumber"]), 1_800_000_000_000, None, place)
