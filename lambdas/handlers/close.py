"""The close function: on a schedule, looks after what is over.

Windows that are over are audited and made final; what deleted boards left is swept.
"""

import os
import time
from typing import Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import names
from lambdas.domain.boards import Board
from lambdas.logic.closing import Closed, close_due
from lambdas.logic.retrying import Retrying
from lambdas.logic.sweep import REMOVALS_PER_SECOND, Pace, Sweep
from lambdas.logic.sweeping import Swept, sweep_on
from lambdas.logic.tables import Connection, Tables
from lambdas.observability import make_logger, make_metrics
from lambdas.settings import HttpSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG
from lambdas.store.leftovers import Leftovers

_PATIENCE_SECONDS: Final = 30  # with a table that does not serve a request
_MARGIN_MS: Final = 60_000  # left of the function's time when sweeping ends

logger = make_logger(names.CLOSE)
settings = read_settings(HttpSettings, os.environ)
connection = Connection(boto3.client("dynamodb", config=CLIENT_CONFIG), settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Looks at every board once; the answer names the windows that were due and what was swept."""
    tables = connection.tables()
    boards = Boards(tables.dynamo, settings.boards_table)
    sweep = _sweep(tables, boards)
    closed: list[Closed] = []
    swept: list[Swept] = []
    for stored in boards.stored():
        if isinstance(stored, Board):
            closed += close_due(tables, stored)
        found = sweep_on(sweep, stored, lambda: context.get_remaining_time_in_millis() > _MARGIN_MS)
        swept += [found] if found else []
    for window in closed:
        _report_window(window)
    for board in swept:
        logger.info("board swept", board=board.board, scores=board.scores, done=board.is_done)
    _emit(closed, swept)
    return {
        "final": [f"{one.board} {one.window}" for one in closed if one.is_final],
        "drifting": [f"{one.board} {one.window}" for one in closed if not one.is_final],
        "swept": [one.board for one in swept if one.is_done],
    }


def _sweep(tables: Tables, boards: Boards) -> Sweep:
    return Sweep(
        boards=boards,
        counters=tables.counters,
        leftovers=Leftovers(tables.dynamo, settings.scores_table, settings.counters_table),
        retrying=lambda: Retrying(time.monotonic() + _PATIENCE_SECONDS),
        pace=Pace(REMOVALS_PER_SECOND),
        now_ms=lambda: tables.now_ms,
    )


def _report_window(found: Closed) -> None:
    audited = found.audited
    fields: dict[str, Any] = {
        "board": found.board,
        "window": found.window,
        "population": audited.population,
    }
    drift = [f"cell {one.path}: counted {one.counted}, found {one.found}" for one in audited.drift]
    if drift:
        logger.error("window drifts", **fields, cells=len(drift), drift=drift[:20])
    else:
        logger.info("window is final", **fields)


def _emit(closed: list[Closed], swept: list[Swept]) -> None:
    drifting = sum(not one.is_final for one in closed)
    metrics = make_metrics()
    for name, value in (
        (names.METRIC_WINDOWS_FINAL, len(closed) - drifting),
        (names.METRIC_WINDOWS_DRIFTING, drifting),
        (names.METRIC_ITEMS_SWEPT, sum(one.scores + one.counters for one in swept)),
    ):
        metrics.add_metric(name, MetricUnit.Count, value)
    metrics.flush_metrics()
