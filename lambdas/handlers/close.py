"""The close function: on a schedule, makes windows that are over final once they are audited."""

import os
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import names
from lambdas.logic.closing import Closed, close_due
from lambdas.logic.tables import Connection
from lambdas.observability import make_logger, make_metrics
from lambdas.settings import HttpSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG

logger = make_logger(names.CLOSE)
settings = read_settings(HttpSettings, os.environ)
connection = Connection(boto3.client("dynamodb", config=CLIENT_CONFIG), settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Looks at every board once; the answer names the windows that were due."""
    tables = connection.tables()
    looked_at: list[Closed] = []
    for board in Boards(tables.dynamo, settings.boards_table).all():
        for found in close_due(tables, board):
            looked_at.append(found)
            _report(found)
    _emit(looked_at)
    return {
        "final": [f"{one.board} {one.window}" for one in looked_at if one.is_final],
        "drifting": [f"{one.board} {one.window}" for one in looked_at if not one.is_final],
    }


def _report(found: Closed) -> None:
    fields: dict[str, Any] = {
        "board": found.board,
        "window": found.window,
        "population": found.audited.population,
    }
    drift = [
        f"cell {one.path}: counted {one.counted}, found {one.found}" for one in found.audited.drift
    ]
    if drift:
        logger.error("window drifts", **fields, cells=len(drift), drift=drift[:20])
    else:
        logger.info("window is final", **fields)


def _emit(looked_at: list[Closed]) -> None:
    metrics = make_metrics()
    drifting = sum(not one.is_final for one in looked_at)
    metrics.add_metric(names.METRIC_WINDOWS_FINAL, MetricUnit.Count, len(looked_at) - drifting)
    metrics.add_metric(names.METRIC_WINDOWS_DRIFTING, MetricUnit.Count, drifting)
    metrics.flush_metrics()
