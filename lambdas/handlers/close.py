"""The close function: on a schedule, looks after what is over.

Windows that are over are audited and made final; what deleted boards left is swept; flags of
players who were hidden or shown are settled.
"""

import os
import time
from typing import Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import names
from lambdas.domain.boards import Board
from lambdas.domain.lives import id_of
from lambdas.logic.closing import Closed, close_due
from lambdas.logic.removing import REMOVALS_PER_SECOND, Pace
from lambdas.logic.retrying import Retrying
from lambdas.logic.sweep import Sweep
from lambdas.logic.sweeping import Swept, sweep_on
from lambdas.logic.tables import Connection, Tables
from lambdas.logic.visibility import Moderation
from lambdas.observability import make_logger, make_metrics
from lambdas.settings import HttpSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG
from lambdas.store.leftovers import Leftovers
from lambdas.store.segments import Segments

_PATIENCE_SECONDS: Final = 30  # with a table that does not serve a request
_MARGIN_MS: Final = 60_000  # left of the function's time when sweeping ends

logger = make_logger(names.CLOSE)
settings = read_settings(HttpSettings, os.environ)
connection = Connection(boto3.client("dynamodb", config=CLIENT_CONFIG), settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Looks at every board once; the answer says which windows were due and what was swept."""
    tables = connection.tables()
    moderation = _moderation(tables)
    segments = Segments(tables.dynamo, settings.boards_table)
    boards = {id_of(one): one for one in moderation.boards.stored()}
    sweep = _sweep(tables, moderation.boards, segments)

    def has_time() -> bool:
        return context.get_remaining_time_in_millis() > _MARGIN_MS

    settled = moderation.settle_due(boards, has_time)
    closed: list[Closed] = []
    swept: list[Swept] = []
    for stored in boards.values():
        if isinstance(stored, Board):
            closed += close_due(tables, segments, stored)
        found = sweep_on(sweep, stored, has_time)
        swept += [found] if found else []
    for window in closed:
        _report_window(window)
    for board in swept:
        logger.info("board swept", board=board.board, scores=board.scores, done=board.is_done)
    if settled:
        logger.info("visibility settled", players=settled)
    _emit(closed, swept)
    return {
        "final": [f"{one.board} {one.window}" for one in closed if one.is_final],
        "drifting": [f"{one.board} {one.window}" for one in closed if not one.is_final],
        "swept": [one.board for one in swept if one.is_done],
        "settled": settled,
    }


def _moderation(tables: Tables) -> Moderation:
    return Moderation.over(
        tables.dynamo,
        scores_table=settings.scores_table,
        boards_table=settings.boards_table,
        patience_seconds=_PATIENCE_SECONDS,
        now_ms=tables.now_ms,
    )


def _sweep(tables: Tables, boards: Boards, segments: Segments) -> Sweep:
    return Sweep(
        boards=boards,
        counters=tables.counters,
        leftovers=Leftovers(tables.dynamo, settings.scores_table, settings.counters_table),
        segments=segments,
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
    metrics = make_metrics(names.CLOSE)
    for name, value in (
        (names.METRIC_WINDOWS_FINAL, len(closed) - drifting),
        (names.METRIC_WINDOWS_DRIFTING, drifting),
        (names.METRIC_ITEMS_SWEPT, sum(one.scores + one.counters for one in swept)),
        (names.METRIC_AUDIT_DRIFT, sum(len(one.audited.drift) for one in closed)),
    ):
        metrics.add_metric(name, MetricUnit.Count, value)
    metrics.flush_metrics()
