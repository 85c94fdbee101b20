"""Records of the streams API in the shape that Lambda hands over."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lambdas.store.stream_records import Ignored, read_record
from ops.rig import streams
from ops.rig.streams import StreamReader, as_lambda_record

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


def test_a_creation_is_told_to_the_poll_where_the_engine_tells_it_to_the_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Never later than it was: what a read finds was written since the one before began."""
    minute, written = 1_796_061_000, iter([[10.0], [30.0, 31.0], [], [70.0]])
    clock = iter([minute + 12.0, minute + 32.0, minute + 33.0, minute + 71.0])

    def records() -> list[dict[str, Any]]:
        said = [datetime.fromtimestamp(minute + at // 60 * 60, UTC) for at in next(written)]
        return [
            {**REMOVED_BY_TTL, "dynamodb": {"ApproximateCreationDateTime": one}} for one in said
        ]

    description = {"StreamDescription": {"Shards": [{"ShardId": "s"}]}}
    table = {"Table": {"LatestStreamArn": "arn"}}
    dynamodb = SimpleNamespace(describe_table=lambda **_: table)
    engine = SimpleNamespace(
        describe_stream=lambda **_: description,
        get_shard_iterator=lambda **_: {"ShardIterator": "i"},
    )
    reader = StreamReader(cast(Any, dynamodb), cast(Any, engine), "Scores")
    monkeypatch.setattr(streams.time, "time", lambda: next(clock))
    monkeypatch.setattr(
        reader, "_drain", lambda _: (as_lambda_record(one, "arn") for one in records())
    )
    created = [
        [one["dynamodb"]["ApproximateCreationDateTime"] - minute for one in reader.new_records()]
        for _ in range(4)
    ]
    assert created == [[0.0], [12.0, 12.0], [], [60.0]]
