"""Logs and metrics: one structured line and one EMF record a call.

Board and player ids are fields of the log, never dimensions of a metric.
"""

import os
from collections.abc import Mapping

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from lambdas.names import (
    DIMENSION_FUNCTION,
    DIMENSION_REASON,
    DIMENSION_STAGE,
    ENV_STAGE,
    METRIC_NAMESPACE,
    METRIC_THROTTLES,
    SERVICE,
)


def make_logger(function: str) -> Logger:
    """The logger of one function; its level is set by `POWERTOOLS_LOG_LEVEL`."""
    return Logger(service=SERVICE, function=function)


def make_metrics(function: str) -> EphemeralMetrics:
    """The metrics of one call of a function, apart from any other's; `flush_metrics` emits them.

    Each is emitted twice: by the dimensions added later, and by stage and function, which is what
    alarms look at.
    """
    metrics = EphemeralMetrics(namespace=METRIC_NAMESPACE, service=SERVICE)
    of_stage = {DIMENSION_STAGE: os.environ[ENV_STAGE], DIMENSION_FUNCTION: function}
    metrics.add_dimensions(**of_stage)
    return metrics


def emit_throttles(function: str, throttles: Mapping[str, int]) -> None:
    """Emits the throttles of one call, a record for each reason; none where there were none."""
    for reason, count in throttles.items():
        metrics = make_metrics(function)
        metrics.add_dimension(DIMENSION_REASON, reason)
        metrics.add_metric(METRIC_THROTTLES, MetricUnit.Count, count)
        metrics.flush_metrics()
