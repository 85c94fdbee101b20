"""Tables and boards for tests of transfers."""

from typing import Any
from uuid import uuid4

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec, TieBreaker
from lambdas.domain.cells import Span
from lambdas.domain.lives import first_life
from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.rig.tables import TableNames
from ops.transfer.tables import Tables
from tests.functional.transfer.files import MakeBoard, opened


@pytest.fixture
def tables(dynamodb_client: DynamoDBClient, table_names: TableNames) -> Tables:
    return opened(dynamodb_client, table_names)


@pytest.fixture
def make_board(dynamodb_client: DynamoDBClient, table_names: TableNames) -> MakeBoard:
    """Makes boards of scores -1,000 to 1,000 that rank ties by laps, fewer first."""

    def make(index_shards: int = 1, **config: Any) -> Board:
        laps = TieBreaker("laps", "asc", Span(0, 9))
        shape = {"score_range": Span(-1_000, 1_000), "tie_breakers": (laps,)} | config
        boards = Boards(Dynamo(dynamodb_client, Meter()), table_names.boards)
        spec = LayoutSpec(spacing="linear", index_shards=index_shards)
        made = first_life(f"b-{uuid4().hex[:12]}", BoardConfig(**shape), spec, now_ms=0)
        boards.write(made, over=None)
        return made

    return make
