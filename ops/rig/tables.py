"""The tables of a deployment, made on an engine that CloudFormation does not reach.

A test holds them equal to what `DataStack` synthesizes: keys, index, projection, stream and TTL.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import (
        CreateTableInputTypeDef,
        GlobalSecondaryIndexUnionTypeDef,
    )


@dataclass(frozen=True, kw_only=True)
class TableNames:
    """What the tables of one deployment are called."""

    scores: str = "Scores"
    counters: str = "Counters"
    boards: str = "Boards"
    submissions: str = "Submissions"


WITH_TTL: Final = ("scores", "counters", "submissions")
"""The fields of `TableNames` whose tables expire items on `expires_at`."""


def definitions(tables: TableNames) -> "tuple[CreateTableInputTypeDef, ...]":
    """Returns the `CreateTable` arguments of the tables, in the order of `TableNames`."""
    others = (tables.counters, tables.boards, tables.submissions)
    return _scores(tables.scores), *(_pk_and_sk(name) for name in others)


def create_tables(client: DynamoDBClient, tables: TableNames | None = None) -> TableNames:
    """Creates the tables and switches TTL on; four requests, three more for TTL.

    Make them before the first write: see `ops.rig.engine`.

    Returns:
        The names, as they were given.
    """
    tables = tables or TableNames()
    for definition in definitions(tables):
        client.create_table(**definition)
    for field in WITH_TTL:
        client.update_time_to_live(
            TableName=getattr(tables, field),
            TimeToLiveSpecification={"AttributeName": names.EXPIRES_AT, "Enabled": True},
        )
    return tables


def _scores(name: str) -> "CreateTableInputTypeDef":
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": names.PK, "AttributeType": "S"},
            {"AttributeName": names.RANK_PARTITION, "AttributeType": "S"},
            {"AttributeName": names.RANK_KEY, "AttributeType": "S"},
            {"AttributeName": names.EXPIRY_PARTITION, "AttributeType": "S"},
            {"AttributeName": names.ACHIEVED_AT, "AttributeType": "N"},
        ],
        "KeySchema": [{"AttributeName": names.PK, "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [
            _keys_only(names.RANK_INDEX, names.RANK_PARTITION, names.RANK_KEY),
            _keys_only(names.EXPIRY_INDEX, names.EXPIRY_PARTITION, names.ACHIEVED_AT),
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    }


def _keys_only(index: str, partition_key: str, sort_key: str) -> "GlobalSecondaryIndexUnionTypeDef":
    return {
        "IndexName": index,
        "KeySchema": [
            {"AttributeName": partition_key, "KeyType": "HASH"},
            {"AttributeName": sort_key, "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }


def _pk_and_sk(name: str) -> "CreateTableInputTypeDef":
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": key, "AttributeType": "S"} for key in (names.PK, names.SK)
        ],
        "KeySchema": [
            {"AttributeName": names.PK, "KeyType": "HASH"},
            {"AttributeName": names.SK, "KeyType": "RANGE"},
        ],
    }
