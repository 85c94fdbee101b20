"""High-water marks: how far one counter item has counted one stream shard.

A mark is the last sequence number counted, as one byte that says in how many bytes it is written
and those bytes, big end first, and then the hour it was written in two bytes. Sequence numbers have
21 to 40 digits; written so they compare like the numbers, and a whole mark compares with a bare
sequence number as its number does, so `mark < :first` is false exactly when `first` was counted
already. The 28 digits of AWS's own examples make a mark of 15 bytes: with eight of them a
full item of 128 children of up to six digits stays within the 1 KB that one write unit pays for.

Hours are kept modulo 65,536. Clocks need agree only to the hours between the oldest record a
mapping delivers (20 h) and the age at which a mark is dropped (30 h).
"""

from typing import Final, NamedTuple

from lambdas.domain.hashing import short_hash

_HOUR_BYTES: Final = 2
_HOURS: Final = 256**_HOUR_BYTES
_AHEAD: Final = _HOURS // 2  # from here on an age is another clock's lead, not time passed
MARK_PREFIX: Final = "~"
KEPT_HOURS: Final = 30  # the mapping sends nothing older than 20 h, the stream keeps 24 h
MAX_SEQUENCE: Final = 10**40 - 1


class Mark(NamedTuple):
    """A mark, read.

    Attributes:
        sequence: the last sequence number counted.
        hour: hours since 1970, modulo 65,536 once it was stored.
    """

    sequence: int
    hour: int


def mark_name(stream_shard: str) -> str:
    """The attribute that holds a stream shard's mark: `~` and a 48-bit hash."""
    return MARK_PREFIX + short_hash(stream_shard)


def pack_sequence(sequence: int) -> bytes:
    """A sequence number in 1 to 18 bytes that compare as numbers do.

    Raises:
        ValueError: not a sequence number of at most 40 digits.
    """
    if not 0 <= sequence <= MAX_SEQUENCE:
        raise ValueError(f"{sequence} is no sequence number")
    size = (sequence.bit_length() + 7) // 8
    return bytes([size]) + sequence.to_bytes(size)


def pack_mark(mark: Mark) -> bytes:
    """A mark as it is stored."""
    return pack_sequence(mark.sequence) + (mark.hour % _HOURS).to_bytes(_HOUR_BYTES)


def unpack_mark(stored: bytes) -> Mark:
    """The mark that was stored.

    Raises:
        ValueError: no mark was stored as these bytes.
    """
    sequence, hour = stored[1:-_HOUR_BYTES], stored[-_HOUR_BYTES:]
    mark = Mark(int.from_bytes(sequence), int.from_bytes(hour))
    if pack_mark(mark) != stored:
        raise ValueError(f"{stored.hex()} is no mark")
    return mark


def is_stale(mark: Mark, hour: int) -> bool:
    """Whether what a mark guarded can no longer be delivered."""
    return KEPT_HOURS < (hour - mark.hour) % _HOURS < _AHEAD
