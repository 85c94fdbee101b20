"""Counting is exact whatever the stream and the store do, and stays so under redelivery.

Each case is a history of writes in rounds, a stream that is cut, replaced and redelivered, and
store calls that fail. When a round's records are all done the counters must equal a recount of
the score items, and another delivery of everything there was must change not one attribute.
"""

import os
import uuid
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ops.rig.events import Context
from ops.rig.mapping import (
    EventSourceMapping,
    Fault,
    FrozenWorkers,
    MappingSettings,
    Twice,
    event_again,
    shard_records,
)
from tests.functional.counting.boards import CountedBoard, Counting

EXAMPLES = int(os.environ.get("TALLY_EXAMPLES", "50"))
PLAYERS = [f"p{i}" for i in range(7)]
# Neighbours that part at different levels, one score twice a cell, both ends of the range.
SCORES = [0, 7, 500_000_000, 500_000_001, 500_400_000, 560_000_000, 10**12 - 1, 10**12]
PASSING = [Fault.THROTTLED, Fault.UNAVAILABLE, Fault.UNREACHABLE, Fault.REPLY_LOST]
DEADLY = [Fault.DIES_BEFORE, Fault.DIES_AFTER]

Write = tuple[str, str, int]


@dataclass(frozen=True)
class Round:
    """Some writes, and what goes wrong while they are counted.

    Attributes:
        writes: what is done to whom, and the score where one is submitted.
        replaced_after: after how many records the stream shards are replaced, with how many
            successors each; None if they are not.
        fault: how a store call fails: its kind, which call, how often in a row.
        rewound: how many records of each stream shard come again in one batch with the new ones.
        frozen_at: the store call in front of which a worker freezes, to go on at the end.
    """

    writes: tuple[Write, ...]
    replaced_after: tuple[int, int] | None = None
    fault: tuple[Fault, int, int] | None = None
    rewound: int = 0
    frozen_at: int | None = None


@dataclass(frozen=True)
class History:
    """A case.

    Attributes:
        patient: calls have time to retry what passes; else they raise at the first failure.
    """

    rounds: tuple[Round, ...]
    levels: int = 2
    counter_shards: int = 1
    stream_shards: int = 1
    batch_size: int = 4
    parents_first: bool = True
    twice: bool = False
    bisect: bool = True
    final_with_records: bool = True
    patient: bool = True
    again: tuple[tuple[int, int], ...] = ((0, 3), (2, 9))


writes = st.one_of(
    st.tuples(st.just("submit"), st.sampled_from(PLAYERS), st.sampled_from(SCORES)),
    st.tuples(st.sampled_from(["remove", "hide"]), st.sampled_from(PLAYERS), st.just(0)),
)
rounds = st.builds(
    Round,
    writes=st.lists(writes, min_size=1, max_size=10).map(tuple),
    replaced_after=st.none() | st.tuples(st.integers(0, 8), st.sampled_from([1, 2])),
    fault=st.none()
    | st.tuples(st.sampled_from(PASSING + DEADLY), st.integers(1, 12), st.integers(1, 3)),
    rewound=st.integers(0, 6),
    frozen_at=st.none() | st.integers(1, 8),
)
histories = st.builds(
    History,
    rounds=st.lists(rounds, min_size=1, max_size=3).map(tuple),
    levels=st.integers(1, 4),
    counter_shards=st.integers(1, 8),
    stream_shards=st.integers(1, 8),
    batch_size=st.sampled_from([1, 2, 5, 100]),
    parents_first=st.booleans(),
    twice=st.booleans(),
    bisect=st.booleans(),
    final_with_records=st.booleans(),
    patient=st.booleans(),
    again=st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), max_size=4).map(tuple),
)

GROWTH = tuple(("submit", player, SCORES[i]) for i, player in enumerate(PLAYERS))
RISE = tuple(("submit", player, SCORES[-1 - i]) for i, player in enumerate(PLAYERS[:3]))
PLAIN = History((Round(GROWTH), Round((*RISE, ("remove", "p3", 0), ("hide", "p4", 0)))), levels=3)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=histories)
@example(history=PLAIN)
@example(history=replace(PLAIN, twice=True, stream_shards=8, counter_shards=8, levels=4))
@example(history=replace(PLAIN, rounds=(Round(GROWTH, fault=(Fault.DIES_AFTER, 2, 1)),)))
@example(history=replace(PLAIN, rounds=(Round(GROWTH, fault=(Fault.REPLY_LOST, 2, 1)),)))
@example(history=replace(PLAIN, rounds=(Round(GROWTH, frozen_at=2), Round(RISE, frozen_at=3))))
@example(history=replace(PLAIN, rounds=(Round(GROWTH), Round(RISE, rewound=3)), batch_size=100))
@example(
    history=replace(
        PLAIN,
        rounds=(Round(GROWTH, replaced_after=(0, 2)), Round(RISE, replaced_after=(1, 1))),
        parents_first=False,
        patient=False,
        stream_shards=2,
        counter_shards=3,
    )
)
def test_counters_equal_a_recount(counting: Counting, history: History) -> None:
    """At each quiet point counters equal a recount, and redelivery changes nothing."""
    layout = {"levels": history.levels, "counter_shards": history.counter_shards}
    board = counting.make_board(f"b-{uuid.uuid4().hex[:12]}", **layout)
    workers = FrozenWorkers(counting.handler, counting.client)
    mapping = _mapping(history, workers)
    for one in history.rounds:
        _write(board, one.writes)
        _count(mapping, workers, counting, board, one)
        assert board.counted() == board.recounted()
        before = board.all_items()
        _deliver_again(counting, mapping, history.again)
        assert board.all_items() == before
    assert counting.queue.messages == []


def _mapping(history: History, workers: FrozenWorkers) -> EventSourceMapping:
    return EventSourceMapping(
        Twice(workers) if history.twice else workers,
        context=lambda: Context(timeout_seconds=60 if history.patient else 1),
        stream_shards=history.stream_shards,
        parents_first=history.parents_first,
        settings=MappingSettings(
            batch_size=history.batch_size,
            bisect_batch_on_function_error=history.bisect,
            final_calls_with_records=history.final_with_records,
            maximum_record_age_seconds=-1,
        ),
    )


def _write(board: CountedBoard, writes: tuple[Write, ...]) -> None:
    for kind, player, score in writes:
        if kind == "submit":
            board.submit(player, score)
        else:
            getattr(board, kind)(player)


def _count(
    mapping: EventSourceMapping,
    workers: FrozenWorkers,
    counting: Counting,
    board: CountedBoard,
    one: Round,
) -> None:
    records = board.records()
    after, successors = one.replaced_after or (len(records), 0)
    mapping.put(records[:after])
    if successors:
        mapping.replace(successors=successors)
    mapping.put(records[after:])
    mapping.rewind(one.rewound)
    if one.frozen_at:
        workers.freeze(at=one.frozen_at)
    elif one.fault:
        fault, at, times = one.fault
        counting.client.arm(fault, at=at, times=times)
    mapping.drain(close_windows=True)
    workers.thaw()
    counting.client.arm()


def _deliver_again(
    counting: Counting, mapping: EventSourceMapping, again: tuple[tuple[int, int], ...]
) -> None:
    """Every batch, the oldest last; every stream shard whole; and stretches cut anew."""
    for delivery in reversed(mapping.deliveries):
        counting.handler(delivery.event, Context())
    for shard, records in shard_records(mapping.deliveries).items():
        stretches: list[list[Any]] = [list(records[start : start + n]) for start, n in again]
        for some in [list(records), *stretches]:
            counting.handler(event_again(shard, some), Context())
