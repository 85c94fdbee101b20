"""A DynamoDB client that tells what it was asked, and fails where a test wants it to.

The official local engine never throttles and never breaks off; these are the answers of the
service that it cannot give, put between the functions and their client.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from botocore.exceptions import ClientError, ConnectTimeoutError, ReadTimeoutError

READS = {"batch_get_item", "get_item", "query", "scan"}
_URL = "https://dynamodb.us-east-1.amazonaws.com"


class Call(NamedTuple):
    """One call: its place among the calls, from 1; what was asked, and answered."""

    number: int
    operation: str
    parameters: dict[str, Any]
    answer: dict[str, Any] | None


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and when."""

    error: Exception
    when: Callable[[Call], bool]
    after: bool = False


class WatchedClient:
    """Stands before a client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls: list[Call] = []
        self._fault: Fault | None = None

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """The operation, watched."""

        def call(**parameters: Any) -> Any:
            made = Call(len(self.calls) + 1, operation, parameters, None)
            self.calls.append(made)
            failing = self._fault if self._fault and self._fault.when(made) else None
            if failing and not failing.after:
                raise failing.error
            answer = getattr(self._client, operation)(**parameters)
            self.calls[made.number - 1] = made._replace(answer=answer)
            if failing:
                raise failing.error
            return answer

        return call

    def restart(self) -> None:
        """Forgets calls and faults."""
        self.calls.clear()
        self._fault = None

    def fail(
        self,
        error: Exception,
        when: Callable[[Call], bool] = lambda _: True,
        *,
        after: bool = False,
    ) -> None:
        """Fails the calls that `when` picks, counted anew; `after` loses the reply alone."""
        self.restart()
        self._fault = Fault(error, when, after)

    def operations(self) -> list[str]:
        """What was asked, in order."""
        return [call.operation for call in self.calls]

    def writes(self) -> list[Call]:
        """The calls that can change a table."""
        return [call for call in self.calls if call.operation not in READS]


def answered(code: str, status: int = 400) -> ClientError:
    """An error that DynamoDB answers with."""
    return ClientError(
        {
            "Error": {"Code": code, "Message": "made up by a test"},
            "ResponseMetadata": {"HTTPStatusCode": status},
        },  # type: ignore[typeddict-item]
        "Operation",
    )


def cancelled(*codes: str) -> ClientError:
    """A transaction's cancellation, with a reason an item."""
    response = answered("TransactionCanceledException").response
    reasons = [{"Code": code, "Message": "made up by a test"} for code in codes]
    return ClientError(response | {"CancellationReasons": reasons}, "Operation")  # type: ignore[arg-type]


THROTTLED = {
    "ThrottlingException": answered("ThrottlingException"),
    "ProvisionedThroughputExceededException": answered("ProvisionedThroughputExceededException"),
    "RequestLimitExceeded": answered("RequestLimitExceeded"),
}
UNAVAILABLE = {
    "InternalServerError": answered("InternalServerError", 500),
    "503": answered("503", 503),
    "ConnectTimeoutError": ConnectTimeoutError(endpoint_url=_URL),
    "ReadTimeoutError": ReadTimeoutError(endpoint_url=_URL),
}
UNEXPECTED = {"AccessDeniedException": answered("AccessDeniedException")}
