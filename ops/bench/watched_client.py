"""A client of DynamoDB that notes what passes through it."""

import time
from collections.abc import Callable
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.store.meter import Meter


class WatchedClient:
    """Passes calls on, for one thread at a time.

    Attributes:
        meter: what the calls consumed.
        seconds: how long they took by the clock, boto3 included.
        empty_queries: queries that the engine charged nothing for.
    """

    def __init__(
        self, client: DynamoDBClient, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._client = client
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """Starts anew."""
        self.meter = Meter()
        self.seconds = 0.0
        self.empty_queries = 0

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**parameters: Any) -> Any:
            started = self._clock()
            answer = getattr(self._client, operation)(**parameters)
            self.seconds += self._clock() - started
            before = self.meter.read_units
            self.meter.add(operation, answer)
            self.empty_queries += operation == "query" and self.meter.read_units == before
            return answer

        return call
