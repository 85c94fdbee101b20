"""Transactions that DynamoDB cancels: told by the codes of their reasons, never by their text."""

from typing import Any, cast

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.errors import (
    ConflictError,
    RefusedError,
    StoreError,
    ThrottledError,
    UnexpectedStoreError,
)
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from tests.functional.failing import cancelled


class Cancelling:
    """A client whose transactions are cancelled for the reasons of a test."""

    def __init__(self, *codes: str) -> None:
        self._codes = codes

    def transact_write_items(self, **_: Any) -> Any:
        """Fails."""
        raise cancelled(*self._codes)


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (("ConditionalCheckFailed", "None"), ConflictError),
        (("None", "TransactionConflict"), ConflictError),
        (("ThrottlingError", "TransactionConflict"), ConflictError),
        (("None", "ThrottlingError"), ThrottledError),
        (("ProvisionedThroughputExceeded",), ThrottledError),
        (("ValidationError", "ConditionalCheckFailed"), RefusedError),
        (("ItemCollectionSizeLimitExceeded", "None"), RefusedError),
        (("AccessDenied", "ThrottlingError"), UnexpectedStoreError),
        (("None", "None"), UnexpectedStoreError),
        ((), UnexpectedStoreError),
    ],
)
def test_the_reasons_tell_what_a_cancellation_is(
    codes: tuple[str, ...], kind: type[StoreError]
) -> None:
    """What no retry mends outweighs what passes, and the error names every code.

    Only want of room is a throttle: a conflict met another submission of the same player.
    """
    dynamo = Dynamo(cast(DynamoDBClient, Cancelling(*codes)), Meter())
    with pytest.raises(StoreError) as failed:
        dynamo.call("transact_write_items", TransactItems=[])
    assert type(failed.value) is kind
    assert dynamo.meter.throttles == ({"Unsaid": 1} if kind is ThrottledError else {})
    named = {code for code in codes if code != "None"}
    if kind in (ConflictError, ThrottledError):
        assert {one["Code"] for one in failed.value.reasons} - {"None"} == named
    else:
        assert all(code in failed.value.code for code in named)


def test_a_transactions_units_are_told_apart_by_table() -> None:
    """Writes of each table without its index; a repeat under its token consumes reads alone."""
    meter = Meter()
    of_scores = {
        "TableName": "Scores",
        "CapacityUnits": 8.0,
        "WriteCapacityUnits": 8.0,
        "GlobalSecondaryIndexes": {"byRank": {"CapacityUnits": 6.0}},
    }
    of_ledger = {"TableName": "Submissions", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}
    meter.add("transact_write_items", {"ConsumedCapacity": [of_scores, of_ledger]})
    repeated = {"TableName": "Scores", "CapacityUnits": 3.0, "ReadCapacityUnits": 3.0}
    meter.add("transact_write_items", {"ConsumedCapacity": [repeated]})
    assert (meter.write_units_of("Scores"), meter.write_units_of("Submissions")) == (2.0, 2.0)
    assert (meter.write_units, meter.index_write_units, meter.read_units) == (4.0, 6.0, 3.0)
    assert (meter.write_units_of("Boards"), meter.requests) == (0.0, 2)
