"""The expire function: every minute, removes entries that are older than their board keeps them."""

import os
import time
from collections import defaultdict
from typing import Any, Final

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import names
from lambdas.logic.expiring import Expiring, Queue
from lambdas.logic.removing import REMOVALS_PER_SECOND, Pace
from lambdas.logic.retrying import Retrying
from lambdas.observability import make_logger, make_metrics
from lambdas.settings import ExpireSettings, read_settings
from lambdas.store.boards import Boards
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.expired_entries import ExpiredEntries
from lambdas.store.meter import Meter

_PATIENCE_SECONDS: Final = 5  # with a request that DynamoDB does not serve
_MARGIN_MS: Final = 10_000  # left of the function's time when the last page begins

logger = make_logger(names.EXPIRE)
settings = read_settings(ExpireSettings, os.environ)
client = boto3.client("dynamodb", config=CLIENT_CONFIG)


def now_ms() -> int:
    """The server's clock, ms since 1970."""
    return time.time_ns() // 1_000_000


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:  # noqa: ARG001
    """Looks at every board whose entries expire; the answer says how many went, by board.

    Raises:
        ThrottledError, UnavailableError: DynamoDB did not serve some; what it did serve is done,
            and the next call finds the rest.
    """
    dynamo = Dynamo(client, Meter())
    expiring = Expiring(
        entries=ExpiredEntries(dynamo, settings.scores_table),
        retrying=lambda: Retrying(time.monotonic() + _PATIENCE_SECONDS),
        pace=Pace(REMOVALS_PER_SECOND),
        has_time=lambda: context.get_remaining_time_in_millis() > _MARGIN_MS,
    )
    queues = expiring.run(Boards(dynamo, settings.boards_table).all(), now_ms())
    by_board: dict[str, list[Queue]] = defaultdict(list)
    for queue in queues:
        by_board[queue.board].append(queue)
    for board, ours in by_board.items():
        _report(board, ours)
    _emit(queues)
    for queue in queues:
        if queue.error:
            raise queue.error
    return {board: sum(one.removed for one in ours) for board, ours in by_board.items()}


def _report(board: str, queues: list[Queue]) -> None:
    """One line, of a board that had anything to remove or could not be looked at."""
    removed = sum(one.removed for one in queues)
    fields: dict[str, Any] = {"board": board, "removed": removed, "lag_ms": _lag_ms(queues)}
    errors = [f"{one.partition}: {one.error}" for one in queues if one.error]
    if errors:
        logger.error("expiry failed", **fields, errors=errors)
    elif removed or not all(one.is_done for one in queues):
        logger.info("entries expired", **fields, done=all(one.is_done for one in queues))


def _emit(queues: list[Queue]) -> None:
    metrics = make_metrics(names.EXPIRE)
    removed = sum(one.removed for one in queues)
    metrics.add_metric(names.METRIC_ENTRIES_EXPIRED, MetricUnit.Count, removed)
    metrics.add_metric(names.METRIC_EXPIRY_LAG, MetricUnit.Seconds, _lag_ms(queues) / 1_000)
    metrics.flush_metrics()


def _lag_ms(queues: list[Queue]) -> int:
    """For how long the oldest entry found had expired; 0 where none was."""
    return max((one.lag_ms or 0 for one in queues), default=0)
