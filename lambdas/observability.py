"""Logs and metrics: one structured line and one EMF record a call.

Board and player ids are fields of the log, never dimensions of a metric.
"""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics

from lambdas.names import METRIC_NAMESPACE, SERVICE


def make_logger(function: str) -> Logger:
    """The logger of one function; its level is set by `POWERTOOLS_LOG_LEVEL`."""
    return Logger(service=SERVICE, function=function)


def make_metrics() -> EphemeralMetrics:
    """The metrics of one call, apart from any other's; `flush_metrics` emits them."""
    return EphemeralMetrics(namespace=METRIC_NAMESPACE, service=SERVICE)
