"""Reads a DynamoDB stream as an event source mapping would: from the oldest record on."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError
from mypy_boto3_dynamodb import DynamoDBClient
from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

_EMPTY_READS_AT_THE_END = 2
_LOST_ITERATOR = ("TrimmedDataAccessException", "ExpiredIteratorException")


class StreamReader:
    """Hands out each record of a table's stream once, shaped as Lambda shapes it.

    The engine's one stream stands for as many stream shards as the caller splits it into.
    """

    def __init__(
        self, dynamodb: DynamoDBClient, streams: DynamoDBStreamsClient, table: str
    ) -> None:
        self._streams = streams
        self.arn = dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]
        self._iterators: dict[str, str] = {}
        self._last_read: dict[str, str] = {}
        self._read_until = 0.0

    def new_records(self) -> list[dict[str, Any]]:
        """The records written since the last call, in order.

        The engine tells a record's creation to the minute. What is read now was not there yet when
        the last call began, which is told where it is the later of the two.
        """
        begun = time.time()
        self._find_shards()
        records = [record for shard in list(self._iterators) for record in self._drain(shard)]
        for record in records:
            stream = record["dynamodb"]
            created = max(stream["ApproximateCreationDateTime"], self._read_until)
            stream["ApproximateCreationDateTime"] = created
        self._read_until = begun
        return records

    def _find_shards(self) -> None:
        description = self._streams.describe_stream(StreamArn=self.arn)["StreamDescription"]
        for shard in description["Shards"]:
            if shard["ShardId"] not in self._iterators:
                self._iterators[shard["ShardId"]] = self._iterator(shard["ShardId"])

    def _iterator(self, shard: str) -> str:
        last = self._last_read.get(shard)
        if last is None:
            answer = self._streams.get_shard_iterator(
                StreamArn=self.arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
            )
        else:
            answer = self._streams.get_shard_iterator(
                StreamArn=self.arn,
                ShardId=shard,
                ShardIteratorType="AFTER_SEQUENCE_NUMBER",
                SequenceNumber=last,
            )
        return answer["ShardIterator"]

    def _drain(self, shard: str) -> Iterator[dict[str, Any]]:
        empty_reads = 0
        while empty_reads < _EMPTY_READS_AT_THE_END and self._iterators[shard]:
            answer = self._get(shard)
            self._iterators[shard] = answer.get("NextShardIterator", "")
            empty_reads = 0 if answer["Records"] else empty_reads + 1
            if answer["Records"]:
                self._last_read[shard] = answer["Records"][-1]["dynamodb"]["SequenceNumber"]
            yield from (as_lambda_record(record, self.arn) for record in answer["Records"])

    def _get(self, shard: str) -> Any:
        try:
            return self._streams.get_records(ShardIterator=self._iterators[shard], Limit=1000)
        except ClientError as error:
            # The engine lets go of an iterator that found nothing for a while.
            if error.response["Error"]["Code"] not in _LOST_ITERATOR:
                raise
            self._iterators[shard] = self._iterator(shard)
        return self._streams.get_records(ShardIterator=self._iterators[shard], Limit=1000)


def as_lambda_record(record: Any, arn: str) -> dict[str, Any]:
    """A record of the streams API in the shape that a function is handed."""
    stream = dict(record["dynamodb"])
    created = stream["ApproximateCreationDateTime"]
    if isinstance(created, datetime):
        stream["ApproximateCreationDateTime"] = created.timestamp()
    shaped = {**record, "dynamodb": stream, "eventSourceARN": arn}
    if identity := record.get("userIdentity"):  # the streams API begins its names in capitals
        shaped["userIdentity"] = {name[0].lower() + name[1:]: identity[name] for name in identity}
    return shaped
