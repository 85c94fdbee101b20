"""One call of an HTTP function: answered, then logged and measured in one place."""

import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import names
from lambdas.api.resolver import TallyResolver
from lambdas.api.seen import Seen
from lambdas.observability import emit_throttles, make_metrics
from lambdas.store.meter import Meter

# Nodes and pages live as long in the function; who is asked for by a signature is the caller's own.
KEPT_BRIEFLY: Final = "private, max-age=1"


def serve(
    app: TallyResolver,
    logger: Logger,
    event: Mapping[str, Any],
    context: LambdaContext,
    *,
    function: str,
    meter: Meter,
    ledger_table: str = "",
    **parts: Any,
) -> dict[str, Any]:
    """Answers an event; routes find the meter, `seen` and the parts in `app.context`.

    Writes one log line and one EMF record, whatever became of the call; the write units of the
    `ledger_table` are told apart from those of scores.
    """
    started = time.perf_counter()
    # The caller knows the gateway's id (`apigw-requestid`), AWS's own logs the function's.
    logger.append_keys(
        aws_request_id=context.aws_request_id, request_id=event["requestContext"]["requestId"]
    )
    seen = Seen()
    app.append_context(meter=meter, seen=seen, **parts)  # type: ignore[no-untyped-call]
    answer = app.resolve(event, context)
    seen.status(answer["statusCode"])
    answer["headers"]["Cache-Control"] = cache_control(event, answer["statusCode"])
    route = event.get("routeKey", names.DEFAULT_ROUTE)
    logger.info(
        "call",
        route=route,
        status=answer["statusCode"],
        duration_ms=round((time.perf_counter() - started) * 1000, 1),
        requests=meter.requests,
        read_units=meter.read_units,
        write_units=meter.write_units - meter.write_units_of(ledger_table),
        index_write_units=meter.index_write_units,
        ledger_write_units=meter.write_units_of(ledger_table),
    )
    emit_throttles(function, meter.throttles)
    _emit(function, route, meter, ledger_table, seen)
    return answer


def cache_control(event: Mapping[str, Any], status: int) -> str:
    """What callers may keep: an answered GET for a second, if it was not to be consistent."""
    kept = event["requestContext"]["http"]["method"] == "GET" and status == HTTPStatus.OK
    if kept and "consistent" not in (event.get("queryStringParameters") or {}):
        return KEPT_BRIEFLY
    return "no-store"


def _emit(function: str, route: str, meter: Meter, ledger_table: str, seen: Seen) -> None:
    metrics = make_metrics(function)
    in_ledger = meter.write_units_of(ledger_table)
    metrics.add_dimension(names.DIMENSION_ROUTE, route)
    # First: a record goes out by itself with the hundredth, and one without metrics is a warning.
    for width in seen.range_widths:
        metrics.add_metric(names.METRIC_RANGE_WIDTH, MetricUnit.Percent, width)
    for name, units in (
        (names.METRIC_READ_UNITS, meter.read_units),
        (names.METRIC_SCORE_WRITE_UNITS, meter.write_units - in_ledger),
        (names.METRIC_LEDGER_WRITE_UNITS, in_ledger),
        (names.METRIC_INDEX_WRITE_UNITS, meter.index_write_units),
        *seen.counts(),
    ):
        metrics.add_metric(name, MetricUnit.Count, units)
    metrics.flush_metrics()
