"""A DynamoDB client whose n-th call fails, in the ways that DynamoDB and the network can.

DynamoDB Local never throttles, never loses a reply and never dies: here that is injected.
"""

from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from threading import Lock
from typing import Any

from botocore.exceptions import ClientError, ConnectTimeoutError, ReadTimeoutError

from ops.rig.mapping.poller import WorkerDiedError


class Fault(StrEnum):
    """How a call fails."""

    THROTTLED = "throttled"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"
    REPLY_LOST = "reply lost"  # it took effect, nobody was told
    REFUSED = "refused"
    DIES_BEFORE = "dies before"  # and so do all calls after it, until `revive`
    DIES_AFTER = "dies after"  # it took effect, then the worker died


class FaultyClient:
    """Stands before a client; its operations can be told to fail.

    Attributes:
        calls: calls made since the last `arm`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = Lock()
        self._dead = False
        self._fault: Fault | None = None
        self._before: Callable[[], None] | None = None
        self._at = self._times = self.calls = 0
        self._only: str | None = None

    def arm(
        self,
        fault: Fault | None = None,
        *,
        at: int = 1,
        times: int = 1,
        only: str | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        """Lets calls fail, from the `at`-th on; `arm()` lets none.

        Args:
            fault: How.
            at: The first call to fail, counted from 1.
            times: How many fail.
            only: The one operation that is counted and fails, e.g. `update_item`.
            before: What happens meanwhile, just before the `at`-th call.
        """
        with self._lock:
            self._fault, self._at, self._times = fault, at, times
            self._only, self._before, self.calls = only, before, 0
            self._dead = False

    def revive(self) -> None:
        """A new worker: calls go through again."""
        self._dead = False

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """The operation of that name."""
        method = getattr(self._client, operation)
        return lambda **parameters: self._call(operation, method, parameters)

    def _call(self, operation: str, method: Callable[..., Any], parameters: dict[str, Any]) -> Any:
        fault, before = self._next(operation)
        if before:
            before()
        if fault in (Fault.REPLY_LOST, Fault.DIES_AFTER):
            with suppress(ClientError):  # lost as well
                method(**parameters)
        if fault in (Fault.DIES_BEFORE, Fault.DIES_AFTER):
            self._dead = True
        if self._dead:
            raise WorkerDiedError(f"died at {operation}")
        if fault:
            raise _error(fault, operation)
        return method(**parameters)

    def _next(self, operation: str) -> tuple[Fault | None, Callable[[], None] | None]:
        with self._lock:
            if self._dead or self._only not in (None, operation):
                return None, None
            self.calls += 1
            fault = self._fault if self._at <= self.calls < self._at + self._times else None
            return fault, self._before if self.calls == self._at else None


def _error(fault: Fault, operation: str) -> Exception:
    if fault is Fault.REPLY_LOST:
        return ReadTimeoutError(endpoint_url="https://dynamodb")
    if fault is Fault.UNREACHABLE:
        return ConnectTimeoutError(endpoint_url="https://dynamodb")
    code = {
        Fault.THROTTLED: "ThrottlingException",
        Fault.UNAVAILABLE: "InternalServerError",
        Fault.REFUSED: "ValidationException",
    }[fault]
    return ClientError({"Error": {"Code": code, "Message": "injected"}}, operation)
