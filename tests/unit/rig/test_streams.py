"""Records of the streams API in the shape that Lambda hands over."""

from datetime import UTC, datetime
from typing import Any

from lambdas.store.stream_records import Ignored, read_record
from ops.rig.streams import as_lambda_record

# As the engine answers `GetRecords` for an item that its TTL removed.
REMOVED_BY_TTL: dict[str, Any] = {
    "eventID": "a7c1e6b0",
    "eventName": "REMOVE",
    "eventSource": "aws:dynamodb",
    "awsRegion": "ddblocal",
    "dynamodb": {
        "ApproximateCreationDateTime": datetime(2026, 11, 30, 17, 50, tzinfo=UTC),
        "Keys": {"pk": {"S": "arena#all#ann"}},
        "OldImage": {"pk": {"S": "arena#all#ann"}, "expires_at": {"N": "1796060000"}},
        "SequenceNumber": "000000000000000000123",
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    },
    "userIdentity": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"},
}


def test_a_removal_by_ttl_is_told_from_any_other() -> None:
    """It names the service in Lambda's spelling, so that the count function ignores it."""
    record = as_lambda_record(REMOVED_BY_TTL, "arn:stream")
    assert record["userIdentity"] == {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    assert record["eventSourceARN"] == "arn:stream"
    assert isinstance(read_record(record, lambda *_: None), Ignored)


def test_times_are_seconds_since_1970() -> None:
    """boto3 makes dates of them; an event holds a number."""
    record = as_lambda_record(REMOVED_BY_TTL, "arn:stream")
    assert record["dynamodb"]["ApproximateCreationDateTime"] == 1_796_061_000.0
    assert REMOVED_BY_TTL["dynamodb"]["ApproximateCreationDateTime"].year == 2026
