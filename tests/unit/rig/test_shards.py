"""Stream shards: where records go, and how shards follow one another."""

import re
from collections import defaultdict

import pytest

from tests.unit.rig.conftest import START, Make, Recorder, numbers, record


def by_shard(recorder: Recorder) -> dict[str, list[int]]:
    """The sequence numbers that were delivered, by stream shard."""
    found: dict[str, list[int]] = defaultdict(list)
    for event in recorder.events:
        found[event["shardId"]] += numbers(event)
    return dict(found)


def test_shard_ids_look_like_aws_s(make: Make) -> None:
    """A stream shard's id has 20 digits and 8 hexadecimal ones, and is never used twice."""
    mapping = make(stream_shards=4)
    mapping.replace(successors=2)
    ids = [shard.id for shard in mapping.shards]
    assert len(set(ids)) == 12
    assert all(re.fullmatch(r"shardId-\d{20}-[0-9a-f]{8}", one) for one in ids)


def test_an_item_stays_in_one_shard(make: Make, recorder: Recorder) -> None:
    """Records of one item lie in one stream shard, in order; all shards get some."""
    mapping = make(stream_shards=8, tumbling_window_seconds=60)
    mapping.put(record(i, key=f"k{i % 50}") for i in range(500))
    mapping.drain()
    shards = by_shard(recorder)
    assert len(shards) == 8
    of_item = {n % 50: shard for shard, some in shards.items() for n in some}
    for shard, some in shards.items():
        assert some == sorted(some)
        assert all(of_item[n % 50] == shard for n in some)


def test_each_call_is_about_one_shard(make: Make, recorder: Recorder) -> None:
    """A batch holds records of one stream shard only, and none is in two."""
    mapping = make(stream_shards=3, tumbling_window_seconds=60, batch_size=10)
    mapping.put(record(i, key=f"k{i}") for i in range(200))
    mapping.drain()
    assert sorted(n for some in by_shard(recorder).values() for n in some) == list(range(200))


@pytest.mark.parametrize("successors", [1, 2])
def test_successors_take_over_their_parents_keys(
    make: Make, recorder: Recorder, successors: int
) -> None:
    """What is written after a shard was replaced goes to its successors, who share its keys."""
    mapping = make(stream_shards=2, tumbling_window_seconds=60)
    mapping.put(record(i, key=f"k{i}") for i in range(100))
    children = mapping.replace(successors=successors)
    mapping.put(record(100 + i, key=f"k{i}") for i in range(100))
    mapping.drain()
    shards = by_shard(recorder)
    parent_of = {child.id: child.parent.id for child in children if child.parent}
    assert len(parent_of) == 2 * successors
    for child, parent in parent_of.items():
        assert {n - 100 for n in shards[child]} <= set(shards[parent])


def test_a_parent_is_drained_first(make: Make, recorder: Recorder) -> None:
    """While a parent retries, its successors' records wait."""
    recorder.answers = [RuntimeError("no")] * 3
    mapping = make()
    mapping.put([record(1)])
    mapping.replace(successors=2)
    mapping.put([record(2)])
    mapping.replace()
    mapping.put([record(3)])
    mapping.drain()
    assert recorder.batches == [[1], [1], [1], [1], [2], [3]]


def test_told_to_misbehave_successors_do_not_wait(make: Make, recorder: Recorder) -> None:
    """Without parents first a successor is read while its parent still retries."""
    recorder.poison = frozenset({1})
    mapping = make(parents_first=False)
    mapping.put([record(1)])
    mapping.replace()
    mapping.put([record(2)])
    mapping.run_until(START + 1)
    assert [2] in recorder.batches
    assert not mapping.drained


def test_a_shard_is_replaced_once(make: Make) -> None:
    """A closed stream shard has its successors already."""
    mapping = make()
    shard = next(iter(mapping.shards))
    mapping.replace(shard)
    with pytest.raises(ValueError, match="open stream shard"):
        mapping.replace(shard)
