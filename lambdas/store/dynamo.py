"""Calls to DynamoDB: capacity asked for on each, failures turned into ours, values converted.

Cost: one request a call, retried by botocore up to `MAX_ATTEMPTS` times. A write whose reply was
lost may therefore be sent again; every write of the store tells its own record when that happens.
A transaction needs not even that: botocore gives each a `ClientRequestToken`, under which DynamoDB
answers a repeat within ten minutes as it did the first try.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnectionError

from lambdas.domain.errors import (
    ConditionFailedError,
    ConflictError,
    RefusedError,
    StoreError,
    ThrottledError,
    UnavailableError,
    UnexpectedStoreError,
)
from lambdas.store.meter import Meter

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = Mapping[str, Mapping[str, Any]]
"""An item as DynamoDB's low-level API spells it: `{"score": {"N": "7"}}`."""

MAX_ATTEMPTS: Final = 3
MOST_AT_ONCE: Final = 100  # keys that one BatchGetItem takes
CLIENT_CONFIG: Final = Config(
    retries={"mode": "standard", "total_max_attempts": MAX_ATTEMPTS},
    connect_timeout=2,
    read_timeout=8,  # below the 10 s an HTTP function has
    max_pool_connections=32,
)

_THROTTLED: Final = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "LimitExceededException",
    }
)
_UNAVAILABLE: Final = frozenset(
    {
        "InternalServerError",
        "InternalFailure",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "TransactionConflictException",
        "TransactionInProgressException",
        "ReplicatedWriteConflictException",
        "RequestTimeout",
        "RequestTimeoutException",
        "500",
        "502",
        "503",
        "504",
    }
)
_REFUSED: Final = frozenset({"ValidationException", "ItemCollectionSizeLimitExceededException"})


# What `CancellationReasons` call each failure; the items that did not fail say "None".
_REASONS_OF_CONFLICTS: Final = frozenset({"ConditionalCheckFailed", "TransactionConflict"})
_REASONS_OF_THROTTLING: Final = frozenset({"ProvisionedThroughputExceeded", "ThrottlingError"})
_REASONS_OF_REFUSALS: Final = frozenset({"ValidationError", "ItemCollectionSizeLimitExceeded"})


class Dynamo:
    """A DynamoDB client whose calls are metered and whose errors are Tallyboard's."""

    def __init__(self, client: "DynamoDBClient", meter: Meter) -> None:
        self._client = client
        self.meter = meter

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        """Makes one request, e.g. `call("update_item", TableName=...)`.

        Raises:
            ConditionFailedError: with the item, where the call asked for it.
            ConflictError: a transaction met another write; it may pass if tried again.
            ThrottledError, UnavailableError: may pass if tried again.
            RefusedError, UnexpectedStoreError: will not.
        """
        method = getattr(self._client, operation)
        try:
            answer: dict[str, Any] = method(ReturnConsumedCapacity="INDEXES", **parameters)
        except ClientError as error:
            failure = _from_client_error(error)
            if isinstance(failure, ThrottledError) and not isinstance(failure, ConflictError):
                self.meter.throttled(failure.reasons)
            raise failure from error
        except (HTTPClientError, NoConnectionError) as error:
            raise UnavailableError(type(error).__name__) from error
        except BotoCoreError as error:
            raise UnexpectedStoreError(type(error).__name__) from error
        self.meter.add(operation, answer)
        return answer

    def pages(self, operation: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Makes as many requests as a query or scan has pages; stop early by not asking on."""
        while True:
            page = self.call(operation, **parameters)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            parameters["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _from_client_error(error: ClientError) -> StoreError:
    details = error.response.get("Error", {})
    code = details.get("Code", "Unknown")
    if code == "ConditionalCheckFailedException":
        return ConditionFailedError(code, error.response.get("Item", {}))  # type: ignore[arg-type]
    if code == "TransactionCanceledException":
        return _from_reasons(code, error.response.get("CancellationReasons", ()))
    reasons: Any = error.response.get("ThrottlingReasons", ())
    if code in _THROTTLED:
        return ThrottledError(code, reasons)
    if code in _UNAVAILABLE:
        return UnavailableError(code, reasons)
    if code in _REFUSED:
        return RefusedError(code)
    return UnexpectedStoreError(code)


def _from_reasons(code: str, reasons: Sequence[Mapping[str, Any]]) -> StoreError:
    """What cancelled a transaction: what no retry mends first, then what passes."""
    found = {reason.get("Code", "Unknown") for reason in reasons} - {"None"}
    passing = _REASONS_OF_CONFLICTS | _REASONS_OF_THROTTLING
    if not found or found - passing - _REASONS_OF_REFUSALS:
        return UnexpectedStoreError(", ".join((code, *sorted(found))))
    if found & _REASONS_OF_REFUSALS:
        return RefusedError(", ".join((code, *sorted(found))))
    if found & _REASONS_OF_CONFLICTS:
        return ConflictError(code, reasons)
    return ThrottledError(code, reasons)


def string(value: str) -> dict[str, str]:
    """A string attribute."""
    return {"S": value}


def number(value: int) -> dict[str, str]:
    """A number attribute, exact."""
    return {"N": str(value)}


def binary(value: bytes) -> dict[str, bytes]:
    """A binary attribute."""
    return {"B": value}


def text_of(item: Item, name: str) -> str:
    """A string attribute's value.

    Raises:
        ValueError: the attribute is absent or no string.
    """
    value = item.get(name, {}).get("S")
    if not isinstance(value, str):
        raise ValueError(f"{name} is no string")
    return value


def integer_of(item: Item, name: str) -> int:
    """A number attribute's value, exact.

    Raises:
        ValueError: the attribute is absent or no integer.
    """
    value = item.get(name, {}).get("N")
    if not isinstance(value, str):
        raise ValueError(f"{name} is no number")
    return int(value)
