"""Marks: their bytes, which every later version must be able to read."""

import pytest

from lambdas.domain.marks import Mark, is_stale, mark_name, pack_mark, pack_sequence, unpack_mark


def test_the_bytes_of_a_mark() -> None:
    """The sequence number's length, its bytes, and two of the hour, big end first."""
    assert pack_mark(Mark(0x0102, 0x070405)) == b"\x02\x01\x02\x04\x05"
    assert unpack_mark(b"\x02\x01\x02\x04\x05") == Mark(0x0102, 0x0405)
    assert pack_sequence(10**40 - 1).hex() == "111d6329f1c35ca4bfabb9f560ffffffffff"
    assert pack_mark(Mark(0, 0)) == bytes(3)


def test_the_name_of_a_mark() -> None:
    """A tilde and eight characters, the same for a stream shard for ever."""
    assert mark_name("shardId-00000001700000000000-00000001") == "~AXvATqDf"
    assert mark_name("shardId-00000001700000000000-00000002") != mark_name("shardId-0")


@pytest.mark.parametrize("number", [-1, 10**40])
def test_what_is_no_sequence_number_is_refused(number: int) -> None:
    """Nothing below zero, nothing of 41 digits."""
    with pytest.raises(ValueError, match="no sequence number"):
        pack_sequence(number)
    assert (len(pack_sequence(0)), len(pack_sequence(10**40 - 1))) == (1, 18)


@pytest.mark.parametrize("stored", ["", "00", "0000", "0100", "02010203", "0200050405", "01ff"])
def test_what_is_no_mark_is_refused(stored: str) -> None:
    """A length that lies, a number with a leading zero, a missing hour: none is read as a mark."""
    with pytest.raises(ValueError, match=f"^{stored} is no mark$"):
        unpack_mark(bytes.fromhex(stored))


@pytest.mark.parametrize(
    ("written", "age", "stale"),
    [
        (65_530, 30, False),
        (65_530, 31, True),
        (5, -6, False),
        (0, 32_767, True),
        (0, 32_768, False),
    ],
)
def test_hours_wrap(written: int, age: int, stale: bool) -> None:
    """Hours are kept modulo 65,536: a mark across the turn is as old as any other."""
    stored = unpack_mark(pack_mark(Mark(1, written)))
    assert is_stale(stored, written + age) is stale


@pytest.mark.parametrize(("age", "stale"), [(-1, False), (0, False), (30, False), (31, True)])
def test_a_mark_is_kept_thirty_hours(age: int, stale: bool) -> None:
    """The hour after the thirtieth it guards nothing any more."""
    assert is_stale(Mark(1, 498_000), 498_000 + age) is stale
