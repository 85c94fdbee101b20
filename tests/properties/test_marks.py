"""Marks: what is stored compares like the numbers it stands for, and reads back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.marks import (
    KEPT_HOURS,
    MARK_PREFIX,
    MAX_SEQUENCE,
    Mark,
    is_stale,
    mark_name,
    pack_mark,
    pack_sequence,
    unpack_mark,
)

SEQUENCES = st.one_of(
    st.integers(0, MAX_SEQUENCE),
    st.integers(10**20, 10**21 + 300),
    st.integers(0, 132).map(lambda bits: min(1 << bits, MAX_SEQUENCE)),
)
HOURS = st.one_of(st.integers(0, 2**24 - 1), st.integers(498_000, 498_100))


@given(SEQUENCES, HOURS)
@example(MAX_SEQUENCE, 2**24 - 1)
def test_a_mark_reads_back(sequence: int, hour: int) -> None:
    """A mark of up to 40 digits and its hour are 20 bytes at most, and come back as they were."""
    stored = pack_mark(Mark(sequence, hour))
    assert len(stored) <= 20
    assert unpack_mark(stored) == (sequence, hour % 65_536)


@given(SEQUENCES, SEQUENCES)
@example(255, 256)
@example(10**21 - 1, 10**21)
def test_sequences_compare_like_numbers(a: int, b: int) -> None:
    """DynamoDB compares bytes, first to last: a longer number's length tells it first."""
    assert (pack_sequence(a) < pack_sequence(b)) == (a < b)


@given(SEQUENCES, SEQUENCES, HOURS)
@example(10**30, 10**30, 0)
def test_a_mark_is_below_what_it_has_not_passed(last: int, first: int, hour: int) -> None:
    """A whole mark against a bare sequence number: below exactly if that was not counted yet."""
    assert (pack_mark(Mark(last, hour)) < pack_sequence(first)) == (last < first)


@given(st.integers().filter(lambda n: not 0 <= n <= MAX_SEQUENCE))
@example(-1)
@example(10**40)
def test_what_is_no_sequence_number_is_refused(number: int) -> None:
    """A sequence number has at most 40 digits and no sign."""
    with pytest.raises(ValueError, match=f"^{number} is no sequence number$"):
        pack_sequence(number)


@given(st.binary(max_size=24))
def test_what_reads_as_a_mark_was_stored_as_one(stored: bytes) -> None:
    """There is one way to write a mark: other bytes are refused, not taken for something near."""
    try:
        mark = unpack_mark(stored)
    except ValueError:
        return
    assert pack_mark(mark) == stored


@given(SEQUENCES, HOURS, st.integers(-1, 1), st.integers(-1, 1), st.integers(0, 20))
def test_a_clock_an_hour_off_drops_no_mark_that_guards(
    sequence: int, hour: int, writer_off: int, pruner_off: int, age: int
) -> None:
    """What may still be delivered, 20 hours old at most, is guarded with both clocks wrong."""
    mark = Mark(sequence, hour + writer_off)
    assert not is_stale(mark, hour + age + pruner_off)


@given(HOURS, st.integers(-50, 100))
def test_marks_grow_stale_after_thirty_hours(hour: int, age: int) -> None:
    """A mark is kept through its thirtieth hour, and is stale after it."""
    assert is_stale(Mark(1, hour), hour + age) == (age > KEPT_HOURS == 30)


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_a_mark_and_its_name_are_small(stream_shard: str) -> None:
    """Name and mark of a number of 28 digits take 24 bytes: eight of them fit beside the counts."""
    name = mark_name(stream_shard)
    assert name.startswith(MARK_PREFIX)
    assert len(name.encode()) + len(pack_mark(Mark(10**28 - 1, 0))) == 24
