"""The operator's sweep on the official local engine: it waits, removes, and tells how far it is."""

from uuid import uuid4

import pytest

from lambdas.domain.boards import BoardConfig, LayoutSpec
from lambdas.domain.entries import Entry, place
from lambdas.domain.lives import first_life
from lambdas.store.score_items import item_of
from ops import sweep
from ops.audit import tables_of
from ops.client import NotRunningError, Outputs
from ops.processes import free_port
from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames
from ops.sweep import SweepError, Swept, sweep_board


def outputs_of(endpoint_url: str, tables: TableNames) -> Outputs:
    """A local stage whose DynamoDB is at an address."""
    return Outputs(
        stage="rig",
        api_url="http://127.0.0.1:9",
        scores_table=tables.scores,
        counters_table=tables.counters,
        boards_table=tables.boards,
        submissions_table=tables.submissions,
        endpoint_url=endpoint_url,
    )


@pytest.fixture
def outputs(dynamodb_local: DynamoDBLocal, table_names: TableNames) -> Outputs:
    """The engine as a stage."""
    return outputs_of(dynamodb_local.endpoint_url, table_names)


def test_a_deleted_board_is_swept_to_the_end(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for caches and late writers a second at a time, telling how long is left."""
    tables, board_id = tables_of(outputs), f"sweep-{uuid4().hex[:8]}"
    board = first_life(board_id, BoardConfig(), LayoutSpec(), 1_800_000_000_000)
    tables.boards.write(board, None)
    for player in ("a", "b", "c"):
        record = place(board, board.written_layout, Entry(player, 7, 1_000))
        item = item_of(board, "all", record)
        tables.dynamo.call("put_item", TableName=tables.scores_table, Item=item)
    now = [1_800_000_100_000.0]
    monkeypatch.setattr(sweep, "now_ms", lambda: round(now[0]))
    tables.boards.delete(board_id, round(now[0]))

    def sleep(seconds: float) -> None:
        now[0] += seconds * 1_000

    told = list(sweep_board(outputs, board_id, sleep=sleep))
    assert told[-1] == Swept(scores=3, population=0, is_done=True)
    assert now[0] == 1_800_000_100_000 + 130_000
    assert [round(one.wait_seconds) for one in told[:10]] == [*range(10, 0, -1)]
    assert list(sweep_board(outputs, board_id, sleep=sleep)) == [Swept(population=0, is_done=True)]


def test_a_board_that_never_was_is_told(outputs: Outputs) -> None:
    with pytest.raises(SweepError, match="There never was a board 'no-such-board'"):
        list(sweep_board(outputs, "no-such-board"))


def test_tables_that_do_not_answer_are_told(
    table_names: TableNames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "PATIENCE_SECONDS", 0)
    nowhere = outputs_of(f"http://127.0.0.1:{free_port()}", table_names)
    with pytest.raises(NotRunningError, match="do not answer"):
        list(sweep_board(nowhere, "arena"))
