"""Empties the tables of an engine, whose stream makes new tables slow."""

from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from ops.rig.tables import TableNames, definitions

_A_REQUEST = 25


def empty(client: DynamoDBClient, tables: TableNames) -> None:
    """Deletes every item of the tables."""
    for definition in definitions(tables):
        table = definition["TableName"]
        pages = client.get_paginator("scan").paginate(
            TableName=table,
            ConsistentRead=True,
            ProjectionExpression=", ".join(key["AttributeName"] for key in definition["KeySchema"]),
        )
        deletes: list[Any] = [
            {"DeleteRequest": {"Key": key}} for page in pages for key in page["Items"]
        ]
        for start in range(0, len(deletes), _A_REQUEST):
            request = {table: deletes[start : start + _A_REQUEST]}
            assert not client.batch_write_item(RequestItems=request)["UnprocessedItems"]
