"""The read function in this process, over the benchmarks' tables, and boards it can find."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from types import ModuleType

import boto3
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec
from lambdas.domain.lives import first_life
from lambdas.logic.tables import Connection
from lambdas.names import READ
from lambdas.settings import HttpSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.meter import Meter
from ops.bench.fixtures import TABLES
from ops.rig.service import import_handlers


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def read_function(client: DynamoDBClient) -> Iterator[ModuleType]:
    """The read function's module with a connection to this engine; what it logs goes nowhere.

    A module is imported once a process, so the connection it made then may lead to an engine that
    has gone.
    """
    with redirect_stdout(_Nowhere()):
        module = import_handlers(client.meta.endpoint_url, TABLES)[READ]
        module.logger.registered_handler.setStream(_Nowhere())
        connect(module, boto3.client("dynamodb", config=CLIENT_CONFIG))
        yield module


def connect(
    module: ModuleType, client: DynamoDBClient, clock: Callable[[], float] | None = None
) -> Connection:
    """Gives the function a connection of its own over a client, as a new container would."""
    settings = read_settings(HttpSettings, os.environ)
    connection = Connection(client, settings, clock) if clock else Connection(client, settings)
    module.connection = connection  # type: ignore[attr-defined]
    return connection


def store_board(
    client: DynamoDBClient, board: str, config: BoardConfig, layout: LayoutSpec
) -> Board:
    """A board that the function finds in its table."""
    made = first_life(board, config, layout, now_ms=0)
    Boards(Dynamo(client, Meter()), TABLES.boards).write(made, over=None)
    return made
