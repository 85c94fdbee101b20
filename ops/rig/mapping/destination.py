"""The record that a failure destination gets: where discarded records lay, not what they held."""

import uuid
from collections.abc import Sequence
from typing import Any, Final

from ops.rig.mapping.records import Arrived, instant

RETRIES_EXHAUSTED: Final = "RetryAttemptsExhausted"
# AWS's page shows the other condition alone; it spells this one so for asynchronous calls.
TOO_OLD: Final = "EventAgeExceeded"


def failure_record(
    *, condition: str, shard_id: str, batch: Sequence[Arrived], calls: int, now: float
) -> dict[str, Any]:
    """The body of the message about a discarded batch, at least one record."""
    first, last = batch[0], batch[-1]
    context: dict[str, Any] = {
        "requestContext": {
            "requestId": str(uuid.uuid4()),
            "functionArn": "arn:aws:lambda:us-east-1:000000000000:function:rig",
            "condition": condition,
            "approximateInvokeCount": calls,
        },
        "version": "1.0",
        "timestamp": instant(now),
        "DDBStreamBatchInfo": {
            "shardId": shard_id,
            "startSequenceNumber": first.sequence,
            "endSequenceNumber": last.sequence,
            "approximateArrivalOfFirstRecord": instant(first.created),
            "approximateArrivalOfLastRecord": instant(last.created),
            "batchSize": len(batch),
            "streamArn": first.record.get("eventSourceARN", ""),
        },
    }
    if calls:
        context["responseContext"] = {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": "Unhandled",
        }
    return context
