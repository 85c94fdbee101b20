"""What units cost, and what other ways to rank a player would cost: arithmetic alone."""

from typing import Final

# Second-hand prices of us-east-1, on demand, noted in November 2026; dollars.
A_MILLION_WRITES: Final = 0.625
A_MILLION_READS: Final = 0.125
A_GB_HOUR: Final = 0.084  # of a serverless in-memory store
A_MILLION_PROCESSED: Final = 0.0023  # its processing units
HOURS_A_MONTH: Final = 730
SECONDS_A_MONTH: Final = HOURS_A_MONTH * 3_600
# Assumed of a sorted set: an id of 36 bytes in a hash table and a skip list, and a rank or a
# submit in one processing unit.
MEMBER_BYTES: Final = 150
# The histogram article's own figure on AWS, its transaction and index included.
ARTICLE_WRITE_UNITS: Final = 6.868
# AWS's documented limits of one partition, units a second.
PARTITION_WRITES: Final = 1_000
PARTITION_READS: Final = 3_000
LEAST_QUERY: Final = 0.5  # read units


def read_dollars(units: float) -> float:
    """Dollars for a million reads of so many units each."""
    return units * A_MILLION_READS


def write_dollars(units: float) -> float:
    """Dollars for a million submits of so many write units each."""
    return units * A_MILLION_WRITES


def a_month(a_million: float, a_second: float) -> float:
    """Dollars a month of calls, so many a second around the clock, at a price a million."""
    return a_million * a_second * SECONDS_A_MONTH / 1e6


def set_storage(players: int, member_bytes: int = MEMBER_BYTES) -> float:
    """Dollars a month to hold a sorted set in memory."""
    return players * member_bytes / 1e9 * A_GB_HOUR * HOURS_A_MONTH


def set_month(players: int, reads_a_second: float) -> float:
    """Dollars a month of a sorted set: its memory and its reads."""
    return set_storage(players) + a_month(A_MILLION_PROCESSED, reads_a_second)


def break_even(players: int, units: float, member_bytes: int = MEMBER_BYTES) -> float:
    """Reads a second, of so many read units, above which the sorted set costs less."""
    a_read = (read_dollars(units) - A_MILLION_PROCESSED) / 1e6
    return set_storage(players, member_bytes) / a_read / SECONDS_A_MONTH


def uncapped_units(ahead: float, counted: float, counted_ahead: int) -> float:
    """Read units of a count of everybody ahead, scaled from a smaller one; and of one item."""
    return LEAST_QUERY + counted * ahead / counted_ahead


def most_counted_ranks() -> float:
    """Ranks a second that one board can count in its index: each asks every index shard."""
    return PARTITION_READS / LEAST_QUERY
