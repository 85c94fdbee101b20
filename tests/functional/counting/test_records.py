"""What the count function makes of records: those it counts, ignores, or cannot read."""

from collections.abc import Callable
from typing import Any

from lambdas.domain.boards import BoardConfig, Layout
from lambdas.domain.counting import NodeKey
from lambdas.store import keys
from lambdas.store.boards import _item_of
from lambdas.store.counters import counts_of
from tests.functional.counting.boards import WINDOW, CountedBoard, Counting


def test_submits_improvements_removals_and_hides_are_counted(counted: CountedBoard) -> None:
    """After each kind of write the counters are the recount."""
    steps: list[Callable[[], None]] = [
        lambda: counted.submit("a", 10),
        lambda: counted.submit("b", 5_000),
        lambda: counted.submit("a", 900_000),
        lambda: counted.submit("a", 3),  # worse: nothing is written
        lambda: counted.hide("b"),
        lambda: counted.remove("a"),
        lambda: counted.remove("b"),
    ]
    for step in steps:
        step()
        counted.counting.count(counted.records())
        assert counted.counted() == counted.recounted()
    assert counted.counted() == {}
    assert counted.counting.queue.messages == []


def test_a_removal_by_ttl_counts_nothing(counting: Counting, counted: CountedBoard) -> None:
    """What the TTL service removes is past its retention: its counters go by themselves."""
    counted.submit("a", 10)
    counting.count(counted.records())
    before = counted.all_items()
    counted.remove("a")
    (removal,) = counted.records()
    removal["userIdentity"] = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    counting.count([removal])
    assert counted.item("a") is None
    assert counted.all_items() == before


def test_only_the_ttl_service_s_removals_are_skipped(
    counting: Counting, counted: CountedBoard
) -> None:
    """A removal by anybody else counts, whatever else the record says of who it was."""
    counted.submit("a", 10)
    counting.count(counted.records())
    counted.remove("a")
    (removal,) = counted.records()
    removal["userIdentity"] = {"type": "Service", "principalId": "somebody.else"}
    counting.count([removal])
    assert counted.counted() == {}


def test_records_of_an_unknown_board_are_dropped(counting: Counting, counted: CountedBoard) -> None:
    """A deleted board's records count nothing and are nobody's failure."""
    counted.submit("a", 10)
    records = counted.records()
    counting.engine.delete_item(
        TableName=counting.tables.boards,
        Key={"pk": {"S": counted.board.id}, "sk": {"S": keys.CONFIG_SK}},
    )
    counting.module.board_cache.clear()
    counting.count(records)
    assert counted.items() == []
    assert counting.queue.messages == []


def test_records_of_a_board_s_former_life_are_dropped(
    counting: Counting, counted: CountedBoard
) -> None:
    """Of a move from a former layout to one of this life only the arrival counts."""
    counted.submit("a", 10)
    (record,) = counted.records()
    again = Layout(**{**vars(counted.board.written_layout), "number": 5})
    _store(counting, counted, (again,), first_layout=5)
    counting.module.board_cache.clear()
    counting.count([record])
    assert counted.items() == []
    assert counting.queue.messages == []


def test_an_unknown_layout_refreshes_the_config(counting: Counting, counted: CountedBoard) -> None:
    """A layout that the cached config lacks is looked up at once, and counted under."""
    counted.submit("a", 10)
    counting.count(counted.records())  # the config is cached now
    layouts = (counted.board.written_layout, Layout(levels=1, counter_shards=2, number=2))
    moved = _store(counting, counted, layouts)
    counted.board = moved
    counted.submit("b", 20)
    counting.count(counted.records())
    items = counting.counters.items(NodeKey(moved.id, WINDOW, 2, ""))
    assert [counts_of(item) for item in items] == [{moved.cells(layouts[1]).path(20): 1}]
    assert counting.queue.messages == []


def test_a_layout_that_nobody_knows_is_a_failure(counting: Counting, counted: CountedBoard) -> None:
    """A number that the board never had is reported, once its config was read anew."""
    counted.submit("a", 10)
    (record,) = counted.records()
    record["dynamodb"]["NewImage"]["layout"] = {"N": "7"}
    counting.count([record])
    assert [one["reason"] for one in counting.queue.messages] == ["the board has no layout 7"]


def test_a_config_is_read_as_it_stands(counting: Counting, counted: CountedBoard) -> None:
    """Boards are read consistently: an older answer would drop a new board's first records."""
    asked: list[Any] = []
    real = counting.engine.get_item

    class Watched:
        """Notes what is asked of the boards."""

        def __getattr__(self, name: str) -> Any:
            """The operation, watched."""
            return real if name != "get_item" else lambda **p: (asked.append(p), real(**p))[1]

    counting.boards._dynamo._client, client = Watched(), counting.boards._dynamo._client  # type: ignore[assignment]
    try:
        counting.boards.get(counted.board.id)
    finally:
        counting.boards._dynamo._client = client
    assert [one.get("ConsistentRead") for one in asked] == [True]


def test_a_board_deleted_in_mid_batch_is_no_error(
    counting: Counting, counted: CountedBoard
) -> None:
    """If a later record's refresh finds the board gone, what was read before is still counted."""
    counted.submit("a", 10)
    counted.submit("b", 10)
    records = counted.records()
    records[1]["dynamodb"]["NewImage"]["layout"] = {"N": "7"}
    counting.count(records[:1])
    counting.engine.delete_item(
        TableName=counting.tables.boards,
        Key={"pk": {"S": counted.board.id}, "sk": {"S": keys.CONFIG_SK}},
    )
    counting.count(records)  # the first is known from the cache, the second asks anew
    assert sum(counts_of(counted.items()[0]).values()) == 1


def test_an_item_edited_by_hand_is_reported_twice(
    counting: Counting, counted: CountedBoard
) -> None:
    """An item edited in the table is reported when it is edited and when it is mended."""
    counted.submit("a", 10)
    counting.count(counted.records())
    before = counted.counted()
    counted.change("a", cell={"S": "0101"})
    counted.change("a", cell=counted.records()[0]["dynamodb"]["OldImage"]["cell"])
    counted.submit("a", 20)
    counting.count(counted.records())
    key = keys.score_pk(counted.board.id, WINDOW, "a")
    assert [one["key"] for one in counting.queue.messages] == [key]
    assert counted.counted() != before


def _store(
    counting: Counting, counted: CountedBoard, layouts: tuple[Layout, ...], first_layout: int = 1
) -> Any:
    board = type(counted.board)(counted.board.id, BoardConfig(), first_layout, layouts)
    counting.engine.put_item(TableName=counting.tables.boards, Item=_item_of(board))
    return board
