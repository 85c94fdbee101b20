"""What every test may ask for: DynamoDB itself, as the official local engine, one a session.

Tests share its tables and are kept apart by board id: a table made after much has been written to
a stream would be slow for the rest of the session.
"""

from collections.abc import Iterator

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames, create_tables


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[DynamoDBLocal]:
    """A running engine that holds the deployment's tables, made before any write."""
    with DynamoDBLocal() as engine:
        create_tables(engine.client())
        yield engine


@pytest.fixture(scope="session")
def dynamodb_client(dynamodb_local: DynamoDBLocal) -> DynamoDBClient:
    """A boto3 client for the engine."""
    return dynamodb_local.client()


@pytest.fixture(scope="session")
def table_names(dynamodb_local: DynamoDBLocal) -> TableNames:  # noqa: ARG001 - makes the tables
    """The names of the engine's tables."""
    return TableNames()
