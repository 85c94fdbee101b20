"""High-water marks: how far one counter item has counted one stream shard.

A mark is 20 bytes: the last sequence number counted in 17 bytes, big end first, then the hour
it was written in 3. Sequence numbers have 21 to 40 digits; 17 bytes hold 40 and compare like
the numbers, and a whole mark compares with a bare 17-byte sequence number as its number does,
so `mark < :first` is false exactly when `first` was counted already.

An hour that wrapped would need the year 3885; clocks need agree only to the hours between the
oldest record a mapping delivers (20 h) and the age at which a mark is dropped (30 h).
"""

from typing import Final, NamedTuple

from lambdas.domain.hashing import short_hash

SEQUENCE_BYTES: Final = 17
_HOUR_BYTES: Final = 3
MARK_SIZE: Final = SEQUENCE_BYTES + _HOUR_BYTES
MARK_PREFIX: Final = "~"
KEPT_HOURS: Final = 30  # the mapping sends nothing older than 20 h, the stream keeps 24 h
MAX_SEQUENCE: Final = 10**40 - 1


class Mark(NamedTuple):
    """A mark, read."""

    sequence: int
    hour: int


def mark_name(stream_shard: str) -> str:
    """The attribute that holds a stream shard's mark: `~` and a 48-bit hash."""
    return MARK_PREFIX + short_hash(stream_shard)


def pack_sequence(sequence: int) -> bytes:
    """A sequence number in 17 bytes that compare as numbers do.

    Raises:
        ValueError: not a sequence number of at most 40 digits.
    """
    if not 0 <= sequence <= MAX_SEQUENCE:
        raise ValueError(f"{sequence} is no sequence number")
    return sequence.to_bytes(SEQUENCE_BYTES)


def pack_mark(mark: Mark) -> bytes:
    """A mark as it is stored."""
    return pack_sequence(mark.sequence) + mark.hour.to_bytes(_HOUR_BYTES)


def unpack_mark(stored: bytes) -> Mark:
    """The mark that was stored.

    Raises:
        ValueError: not 20 bytes.
    """
    if len(stored) != MARK_SIZE:
        raise ValueError(f"a mark has {MARK_SIZE} bytes, not {len(stored)}")
    return Mark(int.from_bytes(stored[:SEQUENCE_BYTES]), int.from_bytes(stored[SEQUENCE_BYTES:]))


def is_stale(mark: Mark, hour: int) -> bool:
    """Whether what a mark guarded can no longer be delivered."""
    return hour - mark.hour > KEPT_HOURS
