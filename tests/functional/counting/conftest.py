"""The count function with a client that can fail and a queue that can be read."""

from collections.abc import Iterator
from types import ModuleType

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.store.failures import Failures
from ops.rig.mapping import FaultyClient
from ops.rig.streams import StreamReader
from ops.rig.tables import TableNames
from tests.functional.counting.boards import CountedBoard, Counting, MakeBoard, Queue


@pytest.fixture(scope="module")
def running(
    handlers: dict[str, ModuleType],
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    reader: StreamReader,
) -> Iterator[Counting]:
    """The count function, once a file."""
    module = handlers[names.COUNT]
    client, queue = FaultyClient(module.client), Queue()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "client", client)
        patch.setattr(module, "failures", Failures(queue, "queue"))  # type: ignore[arg-type]
        yield Counting(module, dynamodb_client, table_names, reader, client, queue)


@pytest.fixture
def counting(running: Counting) -> Counting:
    """The count function, with nothing failing and nothing in its queue."""
    running.client.arm()
    running.queue.messages.clear()
    return running


@pytest.fixture
def counted(counting: Counting, board: str) -> CountedBoard:
    """A board of two levels and one counter shard."""
    return counting.make_board(board, levels=2, counter_shards=1)


@pytest.fixture
def make_counted(counting: Counting, board: str) -> MakeBoard:
    """Makes the test's board with another layout."""
    return lambda **layout: counting.make_board(board, **layout)
