"""A function that only writes down what it is handed, and records to hand it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from ops.rig.mapping import EventSourceMapping, MappingSettings, VirtualClock

START = 1_800_000_000.0  # a whole minute


def record(number: int, key: str = "a", *, created: float = START, pad: int = 0) -> dict[str, Any]:
    """A stream record, its sequence number as long as AWS's are."""
    return {
        "eventName": "INSERT",
        "eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/Scores/stream/now",
        "dynamodb": {
            "ApproximateCreationDateTime": created,
            "Keys": {"pk": {"S": key}},
            "SequenceNumber": f"{number:021d}",
            "NewImage": {"pk": {"S": key}, "pad": {"S": "x" * pad}},
        },
    }


def numbers(event: dict[str, Any]) -> list[int]:
    """The sequence numbers of the records in an event."""
    return [int(one["dynamodb"]["SequenceNumber"]) for one in event["Records"]]


@dataclass
class Recorder:
    """A handler that writes down its events, and fails or answers as it is told.

    Attributes:
        answers: what to answer, call by call; an exception is raised. Then `{"state": {}}`.
        poison: sequence numbers whose batch always fails.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    poison: frozenset[int] = frozenset()

    def __call__(self, event: dict[str, Any], context: Any) -> Any:
        """Writes down an event."""
        del context
        self.events.append(event)
        answer = self.answers.pop(0) if self.answers else {"state": {}}
        if isinstance(answer, BaseException):
            raise answer
        if self.poison & set(numbers(event)):
            raise RuntimeError("poison")
        return answer

    @property
    def batches(self) -> list[list[int]]:
        """The sequence numbers of each call."""
        return [numbers(event) for event in self.events]


@pytest.fixture
def recorder() -> Recorder:
    """The function."""
    return Recorder()


@pytest.fixture
def clock() -> VirtualClock:
    """The time, which stands still."""
    return VirtualClock(START)


Make = Callable[..., EventSourceMapping]


@pytest.fixture
def make(recorder: Recorder, clock: VirtualClock) -> Make:
    """Makes a mapping with these settings; without more, none of its optional clauses is on."""

    def make_mapping(
        *, stream_shards: int = 1, parents_first: bool = True, **settings: Any
    ) -> EventSourceMapping:
        plain: dict[str, Any] = {
            "batching_window_seconds": 0,
            "tumbling_window_seconds": 0,
            "maximum_record_age_seconds": -1,
            "bisect_batch_on_function_error": False,
            "report_batch_item_failures": False,
        }
        return EventSourceMapping(
            recorder,
            settings=MappingSettings(**{**plain, **settings}),
            clock=clock,
            stream_shards=stream_shards,
            parents_first=parents_first,
        )

    return make_mapping
