"""The audit function: on a schedule, holds the counters of live windows against the index."""

import os
import time
from typing import Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import names
from lambdas.domain.patrols import Sighting
from lambdas.logic.live_audit import LiveAudit, Patrolled
from lambdas.logic.tables import Connection
from lambdas.observability import make_logger, make_metrics
from lambdas.settings import HttpSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG
from lambdas.store.patrols import Patrols
from lambdas.store.segments import Segments

_MARGIN_MS: Final = 30_000  # left of the function's time when it looks no further
_LOGGED: Final = 20  # drifting cells that the log names

logger = make_logger(names.AUDIT)
settings = read_settings(HttpSettings, os.environ)
connection = Connection(boto3.client("dynamodb", config=CLIENT_CONFIG), settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Goes on with the audit; the answer says what drifts and how far it came."""
    tables = connection.tables()
    patrols = Patrols(tables.dynamo, settings.boards_table)
    audit = LiveAudit(
        tables,
        Segments(tables.dynamo, settings.boards_table),
        list(Boards(tables.dynamo, settings.boards_table).all()),
        sleep=time.sleep,
        has_time=lambda: context.get_remaining_time_in_millis() > _MARGIN_MS,
    )
    done = audit.run(patrols.read())
    patrols.write(done.patrol)
    _emit(done)
    drift = [_described(one) for one in done.drift]
    fields: dict[str, Any] = {
        "cells": done.cells,
        "skipped": done.skipped,
        "read_units": done.units,
    }
    if drift:
        logger.error("live windows drift", **fields, drifting=len(drift), drift=drift[:_LOGGED])
    else:
        logger.info("live windows audited", **fields)
    return {"drift": drift, "cells": done.cells, "read_units": done.units, "is_pass": done.is_pass}


def _described(found: Sighting) -> str:
    board, window, layout, path = found.spot
    what = "its own node sums up to" if found.kind == "node" else "the index holds"
    where = f"{board} {window} layout {layout} cell {path}"
    return f"{where}: counted {found.counted}, {what} {found.found}"


def _emit(done: Patrolled) -> None:
    metrics = make_metrics(names.AUDIT)
    for name, value in (
        (names.METRIC_AUDIT_RUNS, 1),
        (names.METRIC_AUDIT_DRIFT, len(done.drift)),
        (names.METRIC_AUDIT_CELLS, done.cells),
        (names.METRIC_AUDIT_CELLS_SKIPPED, done.skipped),
        (names.METRIC_AUDIT_PASSES, int(done.is_pass)),
    ):
        metrics.add_metric(name, MetricUnit.Count, value)
    metrics.add_metric(names.METRIC_AUDIT_READ_UNITS, MetricUnit.Count, done.units)
    metrics.flush_metrics()
