"""What a function's answer says about its batch: done, done in part, or failed."""

from collections.abc import Mapping, Sequence
from typing import Any

from ops.rig.mapping.records import Arrived, by_sequence
from ops.rig.mapping.settings import MappingSettings


def has_failed(answer: Any, settings: MappingSettings) -> bool:
    """Whether an answer fails the call as a whole: with a window, one without a `state`."""
    if not settings.tumbling_window_seconds:
        return False
    return not (isinstance(answer, Mapping) and "state" in answer)


def state_in(answer: Any) -> Any:
    """The state to hand to the window's next call."""
    state = answer.get("state") if isinstance(answer, Mapping) else None
    return {} if state is None else state


def done_records(answer: Any, batch: Sequence[Arrived], settings: MappingSettings) -> int | None:
    """How many records of a batch, from its first on, an answer says are done.

    All of them, unless the mapping heeds `batchItemFailures` and the answer names some: then
    those before the lowest.

    Returns:
        None if an identifier is empty, missing or not of this batch, which fails it whole.
    """
    failures = answer.get("batchItemFailures") if isinstance(answer, Mapping) else None
    if not settings.report_batch_item_failures or not failures:
        return len(batch)
    places = [_place(failure, batch) for failure in failures]
    return None if None in places else min(place for place in places if place is not None)


def _place(failure: Any, batch: Sequence[Arrived]) -> int | None:
    identifier = failure.get("itemIdentifier") if isinstance(failure, Mapping) else None
    return by_sequence(batch, identifier) if isinstance(identifier, str) else None
