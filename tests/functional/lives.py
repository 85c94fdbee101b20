"""A board's lives in tests: a clock to wait with, and sweeps over the very tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.logic.removing import Pace
from lambdas.logic.retrying import Retrying
from lambdas.logic.sweep import Slice, Sweep
from lambdas.store.boards import Boards
from lambdas.store.counters import Counters
from lambdas.store.dynamo import Dynamo
from lambdas.store.leftovers import Leftovers
from lambdas.store.meter import Meter
from lambdas.store.segments import Segments
from ops.rig.tables import TableNames

LAPSED_MS = 70_000
SETTLED_MS = 130_000


@dataclass
class AdminClock:
    """The admin function's clock, and a sweep's: it stands still until it is moved."""

    now_ms: int

    def __call__(self) -> int:
        """The time, ms since 1970."""
        return self.now_ms

    def wait(self, milliseconds: int) -> None:
        """Lets time pass."""
        self.now_ms += milliseconds


@dataclass
class Sweeps:
    """Sweeps of the tables, without a rate."""

    client: Any
    tables: TableNames
    clock: AdminClock

    def sweep(self, requests: int = 10_000) -> Sweep:
        """A sweep that works in slices of some requests."""
        dynamo = Dynamo(self.client, Meter())
        return Sweep(
            boards=Boards(dynamo, self.tables.boards),
            counters=Counters(dynamo, self.tables.counters),
            leftovers=Leftovers(dynamo, self.tables.scores, self.tables.counters),
            segments=Segments(dynamo, self.tables.boards),
            retrying=lambda: Retrying(deadline=0),
            pace=Pace(1e9),
            now_ms=self.clock,
            requests=requests,
        )

    def slices(self, board: str, requests: int = 10_000) -> Iterator[Slice]:
        """The slices of one sweep to its end; the clock moves where one asks to wait."""
        sweep, position = self.sweep(requests), None
        while True:
            done = sweep.slice(board, position)
            yield done
            if done.is_done:
                return
            self.clock.wait(done.wait_ms)
            position = done.position

    def run(self, board: str, requests: int = 10_000) -> tuple[int, int]:
        """Sweeps a board to the end; the score and counter items removed."""
        slices = list(self.slices(board, requests))
        return sum(one.scores for one in slices), sum(one.counters for one in slices)


def items_of(client: DynamoDBClient, table: str, board: str) -> list[dict[str, Any]]:
    """Every item of a board in a table."""
    pages = client.get_paginator("scan").paginate(
        TableName=table,
        ConsistentRead=True,
        FilterExpression="begins_with(pk, :prefix)",
        ExpressionAttributeValues={":prefix": {"S": f"{board}#"}},
    )
    return [item for page in pages for item in page["Items"]]


def forget(handlers: dict[str, ModuleType]) -> None:
    """Lets every cached config lapse, in every function."""
    for name in (names.SUBMIT, names.READ):
        handlers[name].connection.forget()
    handlers[names.COUNT].board_cache.clear()
