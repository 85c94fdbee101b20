"""The DynamoDB client of an operator's command that opens the tables themselves."""

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from ops.client import LOCAL_KEY
from ops.outputs import Outputs

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def client_of(outputs: Outputs, config: Config) -> "DynamoDBClient":
    """A client with the operator's credentials; for a local stage, the emulator's."""
    if not outputs.is_local:
        return boto3.client("dynamodb", region_name=outputs.region, config=config)
    return boto3.client(
        "dynamodb",
        endpoint_url=outputs.dynamodb_url,
        region_name=outputs.region,
        aws_access_key_id=LOCAL_KEY,
        aws_secret_access_key=LOCAL_KEY,
        config=config,
    )
