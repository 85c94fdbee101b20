"""The lines that the contributor rule adds up: one an update of a root, with what it consumed."""

import json
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest

from lambdas import names
from lambdas.logic.count import ROOTS_NAMED
from tests.functional.counting.boards import SHARD, CountedBoard, Counting

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def root_lines(counting: Counting) -> Iterator[Lines]:
    """The lines about roots that were logged since the last look."""
    logger = counting.module.logger
    handler, level = logger.registered_handler, logger.log_level
    stream = handler.setStream(StringIO())
    logger.setLevel("INFO")  # as deployed; the other tests want warnings alone

    def lines() -> list[dict[str, Any]]:
        text = handler.setStream(StringIO()).getvalue()
        found = [json.loads(line) for line in text.splitlines()]
        return [line for line in found if line["message"] == names.LOG_ROOT_UPDATED]

    yield lines
    logger.setLevel(level)
    handler.setStream(stream)


def test_a_batch_names_each_root_once_with_its_units(
    counting: Counting, counted: CountedBoard, root_lines: Lines
) -> None:
    """Deeper nodes are not named, and a redelivery, which writes nothing, names nothing."""
    for player in "abc":
        counted.submit(player, 10)
    records = counted.records()
    counting.count(records)
    (line,) = root_lines()
    assert line[names.LOG_COUNTER_ITEM] == f"{counted.board.id}#all#1# 0"
    assert line[names.LOG_WRITE_UNITS] == 1.0
    counting.count(records)
    assert root_lines() == []


def test_only_the_heaviest_roots_of_a_batch_are_named(
    counting: Counting, board: str, root_lines: Lines
) -> None:
    """What lines cost is bounded, and the hottest root is among those that took the most."""
    boards = [counting.make_board(f"{board}-{i}", levels=1) for i in range(ROOTS_NAMED + 5)]
    counting.reader.new_records()
    for one in boards:
        one.submit("a", 10)
    for player in "bcd":
        boards[-1].submit(player, 10)
    records = counting.reader.new_records()
    counting.count(records, shard=f"{SHARD}-roots")
    lines = root_lines()
    assert len(lines) == ROOTS_NAMED
    assert lines[0][names.LOG_COUNTER_ITEM].startswith(f"{boards[-1].board.id}#")
    assert all(line[names.LOG_WRITE_UNITS] == 1.0 for line in lines)
