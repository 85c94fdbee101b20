"""Counter items: what is asked of DynamoDB, request by request, and what it consumes."""

import dataclasses
from typing import Any, Final

import pytest

from lambdas.domain.cells import CODES
from lambdas.domain.counting import NodeKey, NodeStep
from lambdas.domain.errors import RefusedError, ThrottledError, UnavailableError
from lambdas.domain.marks import Mark, mark_name, pack_mark
from lambdas.domain.walk import Node
from lambdas.store.counters import Counted, Counters, Writer, counts_of
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from tests.fakes import TABLE, FakeCounters, lost_reply, refused, throttled

NODE: Final = NodeKey("arena", "all", 1, "0a")
PK: Final = "arena#all#1#0a"
WRITER: Final = Writer("shard-1", 500_000)
MARK: Final = mark_name("shard-1")
STEPS: Final = [
    NodeStep(10, 1_000, (("00", 1),)),
    NodeStep(12, 3_000, (("00", 1), ("3j", -1))),
    NodeStep(11, 2_000, (("01", 1), ("01", -1))),
]


@pytest.fixture
def table() -> FakeCounters:
    """An empty table."""
    return FakeCounters()


@pytest.fixture
def counters(table: FakeCounters) -> Counters:
    """Counters over the table."""
    return Counters(Dynamo(table, Meter()), TABLE)  # type: ignore[arg-type]


def mark(sequence: int, hour: int = WRITER.hour) -> dict[str, bytes]:
    """A mark as it is stored."""
    return {"B": pack_mark(Mark(sequence, hour))}


def stored(table: FakeCounters, shard: int = 0) -> dict[str, Any]:
    """A counter item without its key."""
    item = table.items[PK, str(shard)]
    return {name: value for name, value in item.items() if name not in ("pk", "sk")}


def failing(error: Any, *on: str) -> Any:
    """A hook that raises at each operation of those names."""

    def hook(operation: str) -> None:
        if operation in on:
            raise error(operation)

    return hook


def test_counting_writes_counts_time_and_mark(table: FakeCounters, counters: Counters) -> None:
    """One item holds the folded deltas, the newest record's time and the last sequence number."""
    assert counters.count(NODE, 3, STEPS, WRITER) == Counted(3, 0, 0, write_units=1.0)
    assert table.items[PK, "3"]["pk"] == {"S": PK}
    assert stored(table, 3) == {
        "00": {"N": "2"},
        "01": {"N": "0"},
        "3j": {"N": "-1"},
        "as_of": {"N": "3000"},
        MARK: mark(12),
    }
    assert table.requests == ["update_item", "get_item"]  # a new stream shard looks for old marks


def test_a_counter_says_when_it_may_go(table: FakeCounters, counters: Counters) -> None:
    """Its window's time to expire stands in the item, by every write; never for one without end."""
    counters.count(NODE, 3, STEPS, WRITER, 1_800_000_000)
    assert stored(table, 3)["expires_at"] == {"N": "1800000000"}
    assert stored(table, 3)["00"] == {"N": "2"}
    later = [dataclasses.replace(step, sequence=step.sequence + 100) for step in STEPS]
    counters.count(NODE, 3, later, WRITER, 1_900_000_000)
    assert stored(table, 3)["expires_at"] == {"N": "1900000000"}
    assert stored(table, 3)[MARK] == mark(112)
    counters.count(NODE, 4, STEPS, WRITER)
    assert "expires_at" not in stored(table, 4)


def test_counting_again_changes_nothing(table: FakeCounters, counters: Counters) -> None:
    """The same steps are found counted, in one request that writes nothing."""
    counters.count(NODE, 0, STEPS, WRITER)
    before = stored(table)
    table.requests.clear()
    later = dataclasses.replace(WRITER, hour=WRITER.hour + 1)
    assert counters.count(NODE, 0, STEPS, later) == Counted(0, 3, 0)
    assert stored(table) == before
    assert table.requests == ["update_item"]


def test_what_was_counted_in_part_is_completed(table: FakeCounters, counters: Counters) -> None:
    """The mark's records are dropped and the rest counted, in two requests."""
    counters.count(NODE, 0, STEPS, WRITER)
    table.requests.clear()
    more = [*STEPS, NodeStep(13, 4_000, (("00", 1),)), NodeStep(14, 5_000, (("02", 1),))]
    assert counters.count(NODE, 0, more, WRITER) == Counted(2, 3, 0, write_units=1.0)
    assert table.requests == ["update_item", "update_item"]
    assert stored(table)["00"] == {"N": "3"}
    assert stored(table)["02"] == {"N": "1"}
    assert stored(table)["as_of"] == {"N": "5000"}
    assert stored(table)[MARK] == mark(14)


def test_deltas_that_cancel_still_move_the_mark(table: FakeCounters, counters: Counters) -> None:
    """Otherwise one of the two could be counted when it comes again alone."""
    both = [NodeStep(10, 1_000, (("00", 1),)), NodeStep(11, 1_000, (("00", -1),))]
    assert counters.count(NODE, 0, both, WRITER) == Counted(2, 0, 0, write_units=1.0)
    written = {"00": {"N": "0"}, "as_of": {"N": "1000"}, MARK: mark(11)}
    assert stored(table) == written
    assert counters.count(NODE, 0, both[:1], WRITER) == Counted(0, 1, 0)
    assert stored(table) == written


def test_stream_shards_have_marks_of_their_own(table: FakeCounters, counters: Counters) -> None:
    """What one stream shard's mark has passed says nothing of another's records."""
    counters.count(NODE, 0, STEPS, WRITER)
    assert counters.count(NODE, 0, STEPS, Writer("shard-2", WRITER.hour)) == Counted(
        3, 0, 0, write_units=1.0
    )
    assert stored(table)["00"] == {"N": "4"}
    assert {MARK, mark_name("shard-2")} <= set(stored(table))


def test_no_steps_make_no_request(table: FakeCounters, counters: Counters) -> None:
    """There is nothing to write."""
    assert counters.count(NODE, 0, [], WRITER) == Counted(0, 0, 0)
    assert table.requests == []


@pytest.mark.parametrize(
    ("error", "raised"),
    [(throttled, ThrottledError), (refused, RefusedError), (lost_reply, UnavailableError)],
)
def test_a_failed_update_is_raised(
    table: FakeCounters, counters: Counters, error: Any, raised: type[Exception]
) -> None:
    """The caller decides whether to try again."""
    table.before = failing(error, "update_item")
    with pytest.raises(raised):
        counters.count(NODE, 0, STEPS, WRITER)
    assert table.items == {}


def test_a_lost_reply_is_made_good_by_calling_again(
    table: FakeCounters, counters: Counters
) -> None:
    """The update happened; the repeat meets its own mark."""
    table.after = failing(lost_reply, "update_item")
    with pytest.raises(UnavailableError):
        counters.count(NODE, 0, STEPS, WRITER)
    table.after = failing(None)
    assert counters.count(NODE, 0, STEPS, WRITER) == Counted(0, 3, 0)
    assert stored(table)["00"] == {"N": "2"}


def test_a_new_stream_shard_removes_stale_marks(table: FakeCounters, counters: Counters) -> None:
    """Marks older than 30 hours go; younger ones and the counts stay."""
    for name, age in (("old", 31), ("older", 300), ("young", 30), ("ahead", -1)):
        counters.count(NODE, 0, STEPS, Writer(name, WRITER.hour - 300))
        table.items[PK, "0"][mark_name(name)] = mark(12, WRITER.hour - age)
    assert counters.count(NODE, 0, STEPS, WRITER) == Counted(3, 0, 2, write_units=1.0)
    kept = {name for name in stored(table) if name.startswith("~")}
    assert kept == {mark_name("young"), mark_name("ahead"), MARK}
    assert stored(table)["00"] == {"N": "10"}
    assert table.requests[-3:] == ["update_item", "get_item", "update_item"]


def test_a_known_stream_shard_does_not_look_for_stale_marks(
    table: FakeCounters, counters: Counters
) -> None:
    """One request a batch is the price; only a stream shard's first write pays more."""
    counters.count(NODE, 0, STEPS, Writer("old", WRITER.hour - 31))
    counters.count(NODE, 0, STEPS, Writer(WRITER.stream_shard, WRITER.hour - 31))
    table.requests.clear()
    assert counters.count(NODE, 0, [NodeStep(20, 1, ())], WRITER) == Counted(
        1, 0, 0, write_units=1.0
    )
    assert table.requests == ["update_item"]
    assert mark_name("old") in stored(table)


def test_a_stale_mark_written_meanwhile_stays(table: FakeCounters, counters: Counters) -> None:
    """Somebody still counts under it: nothing is removed, and what was counted stays."""
    counters.count(NODE, 0, STEPS, Writer("old", WRITER.hour - 31))
    counters.count(NODE, 0, STEPS, Writer("older", WRITER.hour - 32))

    def write_meanwhile(operation: str) -> None:
        if operation == "get_item":
            table.items[PK, "0"][mark_name("old")] = mark(13, WRITER.hour)

    table.after = write_meanwhile
    assert counters.count(NODE, 0, STEPS, WRITER) == Counted(3, 0, 0, write_units=1.0)
    assert stored(table)[mark_name("old")] == mark(13, WRITER.hour)
    assert mark_name("older") in stored(table)
    assert stored(table)["00"] == {"N": "6"}


@pytest.mark.parametrize("error", [throttled, lost_reply])
@pytest.mark.parametrize("operation", ["get_item", "update_item"])
def test_pruning_that_fails_loses_no_count(
    table: FakeCounters, counters: Counters, error: Any, operation: str
) -> None:
    """The counting was done; the marks are left for the next new stream shard."""
    counters.count(NODE, 0, STEPS, Writer("old", WRITER.hour - 31))

    def fail_after_counting(called: str) -> None:
        if called == operation and MARK in table.items[PK, "0"]:
            raise error(called)

    table.before = fail_after_counting
    assert counters.count(NODE, 0, STEPS, WRITER) == Counted(3, 0, 0, write_units=1.0)
    assert mark_name("old") in stored(table)
    assert stored(table)["00"] == {"N": "4"}


@pytest.mark.parametrize("edited", [{"S": "x"}, {"B": b"\xff" * 19}, {"N": "5"}])
def test_a_mark_that_cannot_be_read_is_refused(
    table: FakeCounters, counters: Counters, edited: dict[str, Any]
) -> None:
    """A mark edited by hand says nothing of what was counted: its records are for people."""
    counters.count(NODE, 0, STEPS, WRITER)
    table.items[PK, "0"][MARK] = edited
    with pytest.raises(RefusedError) as raised:
        counters.count(NODE, 0, [NodeStep(20, 1, (("00", 1),))], WRITER)
    assert raised.value.code == "UnreadableMark"
    assert stored(table)["00"] == {"N": "2"}


def test_pruning_leaves_what_it_cannot_read(table: FakeCounters, counters: Counters) -> None:
    """A mark edited by hand stays for people to see, and hinders nothing."""
    for name, hour in (("odd", WRITER.hour), ("old", WRITER.hour - 31)):
        counters.count(NODE, 0, STEPS, Writer(name, hour))
    table.items[PK, "0"][mark_name("odd")] = {"S": "x"}
    table.items[PK, "0"]["note"] = mark(1, WRITER.hour - 31)
    assert counters.count(NODE, 0, STEPS, WRITER) == Counted(3, 0, 1, write_units=1.0)
    assert stored(table)[mark_name("odd")] == {"S": "x"}
    assert "note" in stored(table)
    assert mark_name("old") not in stored(table)


def test_pruning_removes_a_hundred_marks_at_once(table: FakeCounters, counters: Counters) -> None:
    """An expression stays within DynamoDB's 4 KB; the next new stream shard removes more."""
    counters.count(NODE, 0, STEPS, Writer("first", WRITER.hour))
    for number in range(130):
        table.items[PK, "0"][mark_name(f"old-{number}")] = mark(1, WRITER.hour - 31)
    assert counters.count(NODE, 0, STEPS, WRITER) == Counted(3, 0, 100, write_units=1.0)
    assert counters.count(NODE, 0, STEPS, Writer("next", WRITER.hour)) == Counted(
        3, 0, 30, write_units=1.0
    )
    assert sum(name.startswith("~") for name in stored(table)) == 3


def test_the_update_as_it_is_sent(counters: Counters, monkeypatch: pytest.MonkeyPatch) -> None:
    """Placeholders for every name and value, the condition on the mark, old values asked for."""
    sent: list[tuple[str, dict[str, Any]]] = []

    def call(self: Dynamo, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ARG001
        sent.append((operation, request))
        return {"ConsumedCapacity": {"CapacityUnits": 1.0}}

    monkeypatch.setattr(Dynamo, "call", call)
    counters.count(NODE, 3, STEPS, WRITER)
    assert sent == [
        (
            "update_item",
            {
                "TableName": "counters",
                "Key": {"pk": {"S": PK}, "sk": {"S": "3"}},
                "UpdateExpression": "SET #mark = :last, #as_of = :as_of ADD #0 :0, #1 :1, #2 :2",
                "ConditionExpression": "attribute_not_exists(#mark) OR #mark < :first",
                "ExpressionAttributeNames": {
                    "#mark": MARK,
                    "#as_of": "as_of",
                    "#0": "00",
                    "#1": "01",
                    "#2": "3j",
                },
                "ExpressionAttributeValues": {
                    ":last": mark(12),
                    ":first": {"B": b"\x01\x0a"},
                    ":as_of": {"N": "3000"},
                    ":0": {"N": "2"},
                    ":1": {"N": "0"},
                    ":2": {"N": "-1"},
                },
                "ReturnValues": "UPDATED_OLD",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            },
        ),
        (
            "get_item",
            {
                "TableName": "counters",
                "Key": {"pk": {"S": PK}, "sk": {"S": "3"}},
                "ConsistentRead": True,
            },
        ),
    ]


def test_a_node_is_the_sum_of_its_counter_shards(table: FakeCounters, counters: Counters) -> None:
    """Counts add up over every page, at the newest time; what is not above 0 is left out."""
    for shard in range(7):
        steps = [NodeStep(10, 1_000 + shard % 5, (("00", 1), ("01", -1), ("02", shard % 2)))]
        counters.count(NODE, shard, steps, Writer(f"shard-{shard}", 1))
    plus_one = [NodeStep(11, 1, (("03", 1), ("04", 1)))]
    minus_one = [NodeStep(12, 2, (("03", -1),))]
    counters.count(NODE, 0, plus_one, WRITER)
    counters.count(NODE, 1, minus_one, WRITER)
    assert counters.read(NODE) == Node({"00": 7, "02": 3, "04": 1}, as_of=1_004)
    assert table.requests[-3:] == ["query"] * 3
    assert len(counters.items(NODE)) == 7


def test_a_node_that_was_never_counted(table: FakeCounters, counters: Counters) -> None:
    """It holds nobody, as of no time; neighbours are not taken for it."""
    for other in (NODE._replace(path=""), NODE._replace(path="0a00"), NODE._replace(layout=11)):
        counters.count(other, 0, STEPS, WRITER)
    assert counters.read(NODE) == Node({}, as_of=None)
    assert counters.items(NODE) == []
    del table.items["arena#all#1#", "0"]["as_of"]
    assert counters.read(NODE._replace(path="")) == Node({"00": 2}, as_of=None)


def test_counts_are_told_from_what_lies_beside_them() -> None:
    """Keys, marks and times are no counts."""
    item = {
        "pk": {"S": PK},
        "sk": {"S": "0"},
        "as_of": {"N": "5"},
        "expires_at": {"N": "6"},
        MARK: mark(1),
        "00": {"N": "-3"},
        "73": {"N": "4"},
    }
    assert counts_of(item) == {"00": -3, "73": 4}


def test_every_code_is_counted_and_nothing_like_one() -> None:
    """256 children, as the root of the most buckets has them."""
    counted = {code: {"N": str(number)} for number, code in enumerate(CODES, start=1)}
    alike = {name: {"N": "9"} for name in ("74", "0", "", "000", "0A")}
    assert counts_of(counted | alike) == {code: i for i, code in enumerate(CODES, start=1)}
