"""The count function: consumes the stream of the `Scores` table."""

import os
import time
from dataclasses import asdict
from typing import Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from lambdas import names
from lambdas.domain.lives import CONFIG_LIFETIME_SECONDS
from lambdas.logic.count import Counter, Report, stream_shard_of
from lambdas.logic.retrying import Retrying
from lambdas.observability import emit_throttles, make_logger, make_metrics
from lambdas.settings import CountSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.cached_boards import (
    CACHED_BOARDS,
    BoardCache,
    CachedBoards,
)
from lambdas.store.caches import Cache
from lambdas.store.counters import Counters, Writer
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.failures import Failures
from lambdas.store.meter import Meter

_MARGIN_SECONDS: Final = 10  # left of the function's time when retrying ends, to report in
# A queue that does not answer costs at most 8 s and some: less than that.
_QUEUE_CONFIG: Final = Config(
    retries={"mode": "standard", "total_max_attempts": 2}, connect_timeout=1, read_timeout=3
)

logger = make_logger(names.COUNT)
settings = read_settings(CountSettings, os.environ)
client = boto3.client("dynamodb", config=CLIENT_CONFIG)
failures = Failures(boto3.client("sqs", config=_QUEUE_CONFIG), settings.failure_queue_url)
board_cache: BoardCache = Cache(
    size=CACHED_BOARDS, lifetime_seconds=CONFIG_LIFETIME_SECONDS, clock=time.monotonic
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Counts one batch, and hands the window's state back: without it Lambda sees a failure."""
    records = event.get("Records") or []
    stream_shard = stream_shard_of(event, settings.stage)
    dynamo = Dynamo(client, Meter())
    remaining_seconds = context.get_remaining_time_in_millis() / 1000
    retrying = Retrying(deadline=time.monotonic() + remaining_seconds - _MARGIN_SECONDS)
    counter = Counter(
        counters=Counters(dynamo, settings.counters_table),
        boards=CachedBoards(Boards(dynamo, settings.boards_table), board_cache),
        retrying=retrying,
        writer=Writer(stream_shard, hour=int(time.time() // 3600)),
    )
    report = counter.count(records)
    _report(report, stream_shard, retrying, dynamo.meter, context)
    return {"state": event.get("state") or {}, "batchItemFailures": []}


def _report(
    report: Report, stream_shard: str, retrying: Retrying, meter: Meter, context: LambdaContext
) -> None:
    messages = [{**asdict(one), "stream_shard": stream_shard} for one in report.skipped]
    unsent = failures.send(messages)
    for message in messages:
        logger.error("record skipped", **message)
    logger.info(
        "batch",
        aws_request_id=context.aws_request_id,
        stream_shard=stream_shard,
        records=report.records,
        nodes=report.nodes,
        already_counted=report.already_counted,
        ignored=report.ignored,
        skipped=len(report.skipped),
        unsent_failures=unsent,
        marks_pruned=report.marks_pruned,
        retries=retrying.retries,
        requests=meter.requests,
        write_units=meter.write_units,
    )
    for root in report.roots:
        logger.info(
            names.LOG_ROOT_UPDATED,
            extra={names.LOG_COUNTER_ITEM: root.item, names.LOG_WRITE_UNITS: root.write_units},
        )
    emit_throttles(names.COUNT, meter.throttles)
    _emit(report, retrying, meter)


def _emit(report: Report, retrying: Retrying, meter: Meter) -> None:
    metrics = make_metrics(names.COUNT)
    for name, value in (
        (names.METRIC_RECORDS_RECEIVED, report.records),
        (names.METRIC_RECORDS_UNREADABLE, len(report.skipped)),
        (names.METRIC_RECORDS_IGNORED, report.ignored),
        (names.METRIC_NODES_WRITTEN, report.nodes),
        (names.METRIC_STEPS_ALREADY_COUNTED, report.already_counted),
        (names.METRIC_STORE_RETRIES, retrying.retries),
        (names.METRIC_COUNTER_WRITE_UNITS, meter.write_units),
    ):
        metrics.add_metric(name, MetricUnit.Count, value)
    if report.newest_ms is not None:
        lag_ms = max(0, time.time_ns() // 1_000_000 - report.newest_ms)
        metrics.add_metric(names.METRIC_COUNT_LAG, MetricUnit.Milliseconds, lag_ms)
    metrics.flush_metrics()
