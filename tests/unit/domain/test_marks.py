"""Marks: their bytes, which every later version must be able to read."""

import pytest

from lambdas.domain.marks import Mark, is_stale, mark_name, pack_mark, pack_sequence, unpack_mark


def test_the_bytes_of_a_mark() -> None:
    """17 bytes of the sequence number and 3 of the hour, big end first."""
    assert pack_mark(Mark(0x0102, 0x030405)) == bytes(15) + b"\x01\x02\x03\x04\x05"
    assert unpack_mark(bytes(15) + b"\x01\x02\x03\x04\x05") == Mark(0x0102, 0x030405)
    assert pack_sequence(10**40 - 1).hex() == "1d6329f1c35ca4bfabb9f560ffffffffff"


def test_the_name_of_a_mark() -> None:
    """A tilde and eight characters, the same for a stream shard for ever."""
    assert mark_name("shardId-00000001700000000000-00000001") == "~AXvATqDf"
    assert mark_name("shardId-00000001700000000000-00000002") != mark_name("shardId-0")


@pytest.mark.parametrize("number", [-1, 10**40])
def test_what_is_no_sequence_number_is_refused(number: int) -> None:
    """Nothing below zero, nothing of 41 digits."""
    with pytest.raises(ValueError, match="no sequence number"):
        pack_sequence(number)
    assert len(pack_sequence(0)) == len(pack_sequence(10**40 - 1)) == 17


@pytest.mark.parametrize("size", [0, 17, 19, 21])
def test_what_is_no_mark_is_refused(size: int) -> None:
    """Only 20 bytes are read as a mark."""
    with pytest.raises(ValueError, match=f"^a mark has 20 bytes, not {size}$"):
        unpack_mark(bytes(size))


@pytest.mark.parametrize(("age", "stale"), [(-1, False), (0, False), (30, False), (31, True)])
def test_a_mark_is_kept_thirty_hours(age: int, stale: bool) -> None:
    """The hour after the thirtieth it guards nothing any more."""
    assert is_stale(Mark(1, 498_000), 498_000 + age) is stale
