"""The audit on the official local engine: it agrees with true counters, and finds every drift."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec
from lambdas.domain.cells import Span
from lambdas.domain.counting import Change, NodeKey, Place, group_by_node
from lambdas.domain.entries import Entry, place
from lambdas.domain.lives import first_life
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.boards import Boards
from lambdas.store.counters import Counters, Writer
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.score_items import item_of
from ops.audit import Difference, Tables, WindowAudit, audit_window
from ops.present import DIFFERENCES_SHOWN, audit_lines
from ops.rig.tables import TableNames

SCORES = [0, 7, 7, 500, 501, 99_000, 1_000_000]


@pytest.fixture
def tables(dynamodb_client: DynamoDBClient, table_names: TableNames) -> Tables:
    dynamo = Dynamo(dynamodb_client, Meter())
    return Tables(
        0,
        dynamo,
        table_names.scores,
        Boards(dynamo, table_names.boards),
        Counters(dynamo, table_names.counters),
    )


@pytest.fixture
def make(tables: Tables) -> Callable[..., Board]:
    """Makes a board whose entries are stored and counted."""

    def make(scores: list[int], *, counted: int | None = None, **layout: int) -> Board:
        config = BoardConfig(score_range=Span(-1_000_000, 1_000_000))
        board_id = f"audit-{uuid4().hex[:8]}"
        board = first_life(board_id, config, LayoutSpec(**layout), 1_000)  # type: ignore[arg-type]
        tables.boards.write(board, None)
        records = [
            place(board, board.written_layout, Entry(f"p{i}", score, 1_000))
            for i, score in enumerate(scores)
        ]
        for record in records:
            item = item_of(board, "all", record)
            tables.dynamo.call("put_item", TableName=tables.scores_table, Item=item)
        changes = [
            Change(sequence, 1_000, None, Place(board.id, "all", 1, record.cell))
            for sequence, record in enumerate(records[:counted], start=1)
        ]
        for node, steps in group_by_node(changes).items():
            tables.counters.count(node, 0, steps, Writer("shardId-1", 1))
        return board

    return make


def add(tables: Tables, table: str, node: NodeKey, code: str, delta: int) -> None:
    """Move one counter behind everybody's back."""
    tables.dynamo.call(
        "update_item",
        TableName=table,
        Key={PK: {"S": keys.counter_pk(node)}, SK: {"S": "3"}},
        UpdateExpression="SET as_of = :now ADD #code :delta",
        ExpressionAttributeNames={"#code": code},
        ExpressionAttributeValues={":delta": {"N": str(delta)}, ":now": {"N": "1"}},
    )


@pytest.mark.parametrize("levels", [1, 2, 3, 6])
@pytest.mark.parametrize("index_shards", [1, 3])
def test_true_counters_agree(
    tables: Tables, make: Callable[..., Board], levels: int, index_shards: int
) -> None:
    board = make([*SCORES, -4, -900_000], levels=levels, index_shards=index_shards)
    audit = audit_window(tables, board, "all")
    assert (audit.players, audit.differences) == (9, ())
    assert levels > 1 or audit.nodes == 1
    assert audit_lines(audit)[0].endswith("agree with a recount")


def test_an_empty_board_agrees(tables: Tables, make: Callable[..., Board]) -> None:
    audit = audit_window(tables, make([]), "all")
    assert (audit.players, audit.nodes, audit.cells, audit.differences) == (0, 0, 0, ())


def test_what_was_not_counted_is_found_on_every_level(
    tables: Tables, make: Callable[..., Board]
) -> None:
    """An entry stored and not counted: its nodes are expected, though none leads there."""
    board = make([5, 1_000_000], counted=1, levels=3)
    found = audit_window(tables, board, "all").differences
    path = board.cells(board.written_layout).path(1_000_000)
    places = [(d.node, d.child, d.counted, d.recounted) for d in found if d.kind == "count"]
    assert places == [(path[:i], path[i : i + 2], 0, 1) for i in range(0, len(path), 2)]
    assert all(d.low is not None and d.low <= 1_000_000 <= (d.high or 0) for d in found)


def test_a_moved_counter_is_found_with_its_node_child_and_scores(
    tables: Tables, table_names: TableNames, make: Callable[..., Board]
) -> None:
    board = make(SCORES)
    path = board.cells(board.written_layout).path(500)
    node = NodeKey(board.id, "all", 1, path[:2])
    add(tables, table_names.counters, node, path[2:], -3)
    low, high = board.cells(board.written_layout).bounds(path)
    bucket = board.cells(board.written_layout).bounds(path[:2])
    in_bucket = sum(bucket.low <= score <= bucket.high for score in SCORES)
    in_cell = sum(low <= score <= high for score in SCORES)
    assert audit_window(tables, board, "all").differences == (
        Difference("count", 1, path[:2], path[2:], low, high, in_cell - 3, in_cell),
        Difference("sum", 1, path[:2], None, *bucket, in_bucket - 3, in_bucket),
    )


def test_a_child_that_no_cell_has_is_found(
    tables: Tables, table_names: TableNames, make: Callable[..., Board]
) -> None:
    board = make(SCORES, levels=1)
    add(tables, table_names.counters, NodeKey(board.id, "all", 1, ""), "5k", 2)
    (found,) = audit_window(tables, board, "all").differences
    assert found == Difference("count", 1, "", "5k", None, None, 2, 0)


def test_a_node_left_under_a_child_that_is_back_at_zero_is_found(
    tables: Tables, table_names: TableNames, make: Callable[..., Board]
) -> None:
    board = make([])
    path = board.cells(board.written_layout).path(900_000)
    root, node = NodeKey(board.id, "all", 1, ""), NodeKey(board.id, "all", 1, path[:2])
    add(tables, table_names.counters, root, path[:2], 1)
    add(tables, table_names.counters, root, path[:2], -1)
    add(tables, table_names.counters, node, path[2:], 1)
    found = audit_window(tables, board, "all").differences
    assert [(d.kind, d.node, d.counted) for d in found] == [
        ("count", path[:2], 1),
        ("sum", path[:2], 1),
    ]


def test_people_see_the_first_differences_and_how_many_more() -> None:
    differences = tuple(Difference("count", 1, "", f"{i:02d}", i, i, 2, 1) for i in range(30))
    lines = audit_lines(WindowAudit("arena", "all", 8_636, 1, 30, differences))
    assert lines[0] == "arena: 8,636 players, 30 cells in 1 node: 30 differ from a recount"
    assert lines[1] == "  node root, child 00 (0 to 0): counted 2, recounted 1"
    assert len(lines) == DIFFERENCES_SHOWN + 2
    assert lines[-1] == "  and 10 more (all of them with --json)"
