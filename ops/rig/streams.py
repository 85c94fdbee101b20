"""Reads a DynamoDB stream as an event source mapping would: from the oldest record on."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

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
        self._read_to: dict[str, str] = {}
        self._last_read: dict[str, str] = {}

    def new_records(self) -> list[dict[str, Any]]:
        """The records written since the last call, in order."""
        self._find_shards()
        return [record for shard in list(self._iterators) for record in self._drain(shard)]

    def _find_shards(self) -> None:
        description = self._streams.describe_stream(StreamArn=self.arn)["StreamDescription"]
        for shard in description["Shards"]:
            if shard["ShardId"] not in self._iterators:
                self._iterators[shard["ShardId"]] = self._iterator(shard["ShardId"])

    def _iterator(self, shard: str) -> str:
        """An iterator that goes on behind the last record read, or begins with the oldest one."""
        where: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if last := self._read_to.get(shard):
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        answer = self._streams.get_shard_iterator(StreamArn=self.arn, ShardId=shard, **where)
        return answer["ShardIterator"]

    def _drain(self, shard: str) -> Iterator[dict[str, Any]]:
        empty_reads = 0
        while empty_reads < _EMPTY_READS_AT_THE_END and self._iterators[shard]:
            answer = self._read(shard)
            self._iterators[shard] = answer.get("NextShardIterator", "")
            empty_reads = 0 if answer["Records"] else empty_reads + 1
            for record in answer["Records"]:
                self._read_to[shard] = record["dynamodb"]["SequenceNumber"]
                yield as_lambda_record(record, self.arn)

    def _read(self, shard: str) -> Any:
        try:
            return self._streams.get_records(ShardIterator=self._iterators[shard], Limit=1000)
        except self._streams.exceptions.TrimmedDataAccessException:
            # The engine sometimes refuses an iterator that stood at the end for some seconds.
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
