"""Reads a DynamoDB stream as an event source mapping would: from the oldest record on."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient
from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

_EMPTY_READS_AT_THE_END = 2


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

    def new_records(self) -> list[dict[str, Any]]:
        """The records written since the last call, in order."""
        self._find_shards()
        return [record for shard in list(self._iterators) for record in self._drain(shard)]

    def _find_shards(self) -> None:
        description = self._streams.describe_stream(StreamArn=self.arn)["StreamDescription"]
        for shard in description["Shards"]:
            if shard["ShardId"] not in self._iterators:
                answer = self._streams.get_shard_iterator(
                    StreamArn=self.arn,
                    ShardId=shard["ShardId"],
                    ShardIteratorType="TRIM_HORIZON",
                )
                self._iterators[shard["ShardId"]] = answer["ShardIterator"]

    def _drain(self, shard: str) -> Iterator[dict[str, Any]]:
        empty_reads = 0
        while empty_reads < _EMPTY_READS_AT_THE_END and self._iterators[shard]:
            answer = self._streams.get_records(ShardIterator=self._iterators[shard], Limit=1000)
            self._iterators[shard] = answer.get("NextShardIterator", "")
            empty_reads = 0 if answer["Records"] else empty_reads + 1
            yield from (as_lambda_record(record, self.arn) for record in answer["Records"])


def as_lambda_record(record: Any, arn: str) -> dict[str, Any]:
    """A record of the streams API in the shape that a function is handed."""
    stream = dict(record["dynamodb"])
    created = stream["ApproximateCreationDateTime"]
    if isinstance(created, datetime):
        stream["ApproximateCreationDateTime"] = created.timestamp()
    return {**record, "dynamodb": stream, "eventSourceARN": arn}
