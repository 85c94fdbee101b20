"""Stream records as the mapping handles them: with the times and the size it decides by."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Record = Mapping[str, Any]
"""A stream record in the shape that a function is handed."""


@dataclass(frozen=True)
class Arrived:
    """A record in a stream shard.

    Attributes:
        sequence: its sequence number, as it stands.
        created: when it came into the stream, by which windows and ages go; seconds since 1970.
        arrived: when the mapping could first read it; seconds since 1970.
        size: its bytes in an event.
    """

    record: Record
    sequence: str
    created: float
    arrived: float
    size: int


def arrive(record: Record, now: float, created: float | None = None) -> Arrived:
    """A record that can be read from now on.

    Args:
        record: The record.
        now: The time.
        created: When it came into the stream, if not when it says itself.
    """
    stream = record["dynamodb"]
    if created is None:
        said = stream.get("ApproximateCreationDateTime")
        created = float(said) if isinstance(said, int | float) else now
    size = len(json.dumps(record, default=str).encode())
    return Arrived(record, str(stream.get("SequenceNumber")), created, now, size)


def partition_key_of(record: Record) -> str:
    """The item's key as text: what decides the stream shard that a record lies in."""
    return json.dumps(record["dynamodb"].get("Keys"), sort_keys=True, default=str)


def by_sequence(batch: Sequence[Arrived], identifier: str) -> int | None:
    """The place of a sequence number in a batch; None if it is not there."""
    return next((i for i, one in enumerate(batch) if one.sequence == identifier), None)


def instant(seconds: float) -> str:
    """A time as AWS spells it, e.g. `2026-11-30T12:00:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
