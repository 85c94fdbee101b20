"""Hashes: the same everywhere and always, and spread evenly."""

from collections import Counter
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.domain.hashing import shard_of, short_hash
from tests.properties.strategies import player_ids

STREAM_SHARD = "shardId-00000001700000000000-{:08x}"


@given(player_ids(), st.integers(1, 32))
def test_a_shard_is_one_of_those_there_are(player: str, shards: int) -> None:
    """Any text has one of the shards, the same whenever it is asked for."""
    assert 0 <= shard_of(player, shards) < shards
    assert shard_of(player, shards) == shard_of(player, shards)
    assert shard_of(player, 1) == 0


@pytest.mark.parametrize("shards", [2, 4, 7, 32])
@pytest.mark.parametrize("form", ["player-{}", "{}", STREAM_SHARD])
def test_texts_spread_evenly(form: str, shards: int) -> None:
    """Of 20,000 ids that differ in a number alone, each shard gets its share, as by dice.

    Five standard deviations: of these cases none is met by chance in a hundred thousand hashes.
    """
    spread = Counter(shard_of(form.format(i), shards) for i in range(20_000))
    share = 20_000 / shards
    assert len(spread) == shards
    deviation = sqrt(share * (1 - 1 / shards))
    assert all(abs(count - share) < 5 * deviation for count in spread.values())


def test_names_of_marks_differ() -> None:
    """No two of 100,000 stream shards share a mark; they are eight characters of base64."""
    names = {short_hash(STREAM_SHARD.format(i)) for i in range(100_000)}
    assert len(names) == 100_000
    assert {len(name) for name in names} == {8}


def test_hashes_never_change() -> None:
    """What is stored must be found again by every later version."""
    assert shard_of("ada", 32) == 7
    assert shard_of("ada", 2**64) == 1_562_989_052_550_317_351
    assert short_hash("shardId-00000001700000000000-00000001") == "AXvATqDf"
