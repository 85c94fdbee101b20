"""Counting exactly once: whatever the stream does, the counters come to equal a recount.

The real `Counters.count` runs over a table in memory, driven by a stream that misbehaves in every
way its contract allows: batches delivered twice, in part, overlapping, out of order, half done by
a call that died and goes on writing later, its replies lost; stream shards replaced, a successor
read before its parent; clocks an hour off; marks grown old.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lambdas.domain.cells import Cells, Span, cells_of
from lambdas.domain.counting import (
    Change,
    NodeKey,
    NodeStep,
    Place,
    beyond,
    fold,
    group_by_node,
)
from lambdas.domain.errors import StoreError
from lambdas.domain.hashing import shard_of
from lambdas.store.counters import Counters, Writer
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from tests.fakes import TABLE, FakeCounters, lost_reply, throttled

SPAN: Final = Span(0, 10**12)
# Scores that part at the root, at the second level, at the third, and those that never part.
SCORES: Final = (0, 1, 10**6, 10**6 + 1, 10**6 + 3_000, 10**6 + 60_000, 10**11, 10**11 + 1, 10**12)
FIRST_SEQUENCE: Final = 10**20
FIRST_HOUR: Final = 498_000
LONGEST_AGE: Final = 20  # hours, the mapping's maximum record age
HOUR_MS: Final = 3_600_000

Key = tuple[str, str]


@dataclass
class Stream:
    """One stream shard.

    Attributes:
        counted: how many of its records a call has answered for; the rest come in order.
    """

    name: str
    records: list[Change] = field(default_factory=list)
    counted: int = 0


@dataclass
class Call:
    """What a call that died has not written yet, and may still write."""

    stream: Stream
    tasks: list[tuple[NodeKey, list[NodeStep]]]
    hour: int


class Fault:
    """Fails the nth request from now on, before or after it is carried out."""

    def __init__(self, fake: FakeCounters, nth: int, *, carried_out: bool) -> None:
        self._left = nth
        self._carried_out = carried_out
        fake.before = self._nothing if carried_out else self._count_down
        fake.after = self._count_down if carried_out else self._nothing

    def _nothing(self, operation: str) -> None:
        pass

    def _count_down(self, operation: str) -> None:
        self._left -= 1
        if self._left == 0:
            raise lost_reply(operation) if self._carried_out else throttled(operation)


class Counting(RuleBasedStateMachine):
    """Score items that move, streams that carry it, calls that count it."""

    @initialize(
        stream_shards=st.integers(1, 8),
        counter_shards=st.integers(1, 8),
        levels=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    )
    def begin(self, stream_shards: int, counter_shards: int, levels: tuple[int, int]) -> None:
        """Starts with empty tables, and one place for each stream shard's successors."""
        self.fake = FakeCounters()
        self.counters = Counters(Dynamo(self.fake, Meter()), TABLE)  # type: ignore[arg-type]
        self.counter_shards = counter_shards
        self.layouts: dict[int, Cells] = {
            number: cells_of(SPAN, 128, "log", depth) for number, depth in enumerate(levels, 1)
        }
        self.streams = [Stream(f"shard-{i}") for i in range(stream_shards)]
        self.current = list(self.streams)
        self.placed: dict[Key, Place] = {}
        self.dead: list[Call] = []
        self.sequence = FIRST_SEQUENCE
        self.hour = FIRST_HOUR

    # --- What players do ----------------------------------------------------------------------

    @rule(
        key=st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(("all", "w2026-W49"))),
        score=st.sampled_from(SCORES),
        layout=st.sampled_from((1, 1, 2)),
        gap=st.sampled_from((1, 1, 255, 10**15)),
    )
    def submit(self, key: Key, score: int, layout: int, gap: int) -> None:
        """Puts an entry into a cell, perhaps the one it is in, perhaps of another layout."""
        path = self.layouts[layout].path(score)
        self._record(key, Place("arena", key[1], layout, path), gap)

    @rule(data=st.data())
    @precondition(lambda self: self.placed)
    def remove(self, data: st.DataObject) -> None:
        """Takes an entry out of the counts: removed, or hidden."""
        self._record(data.draw(st.sampled_from(sorted(self.placed))), None, 1)

    def _record(self, key: Key, after: Place | None, gap: int) -> None:
        before = self.placed.pop(key, None)
        if after is not None:
            self.placed[key] = after
        self.sequence += gap
        stream = self.current[shard_of("#".join(key), len(self.current))]
        created_ms = self.hour * HOUR_MS + len(stream.records)
        stream.records.append(Change(self.sequence, created_ms, before, after))

    # --- What the stream does -----------------------------------------------------------------

    @rule(data=st.data(), size=st.integers(1, 12), off=st.integers(-1, 1))
    @precondition(lambda self: any(s.counted < len(s.records) for s in self.streams))
    def deliver(self, data: st.DataObject, size: int, off: int) -> None:
        """Delivers the next records of a stream shard, with some before them delivered again."""
        waiting = [i for i, s in enumerate(self.streams) if s.counted < len(s.records)]
        stream = self.streams[data.draw(st.sampled_from(waiting))]
        end = min(stream.counted + size, len(stream.records))
        start = data.draw(st.integers(max(0, stream.counted - 3), stream.counted))
        batch = [r for r in stream.records[start:end] if self._may_come(r)]
        again = data.draw(st.lists(st.sampled_from(batch), max_size=2))
        if self._call(data, stream, data.draw(st.permutations([*batch, *again])), off):
            stream.counted = end

    @rule(data=st.data(), off=st.integers(-1, 1))
    @precondition(lambda self: any(self._counted(s) for s in self.streams))
    def deliver_again(self, data: st.DataObject, off: int) -> None:
        """Delivers records that were answered for: any of them, in any order, any number."""
        known = [i for i, s in enumerate(self.streams) if self._counted(s)]
        stream = self.streams[data.draw(st.sampled_from(known))]
        batch = data.draw(st.lists(st.sampled_from(self._counted(stream)), min_size=1, max_size=12))
        self._call(data, stream, batch, off)

    @rule(data=st.data())
    @precondition(lambda self: self.dead)
    def write_late(self, data: st.DataObject) -> None:
        """A call that was given up goes on writing."""
        call = self.dead[data.draw(st.integers(0, len(self.dead) - 1))]
        node, steps = call.tasks.pop(data.draw(st.integers(0, len(call.tasks) - 1)))
        if not call.tasks:
            self.dead.remove(call)
        self._count(node, steps, call.stream, call.hour)

    @rule(place=st.integers(0, 7))
    def replace(self, place: int) -> None:
        """A stream shard is closed, and a successor takes its keys."""
        successor = Stream(f"shard-{len(self.streams)}")
        self.streams.append(successor)
        self.current[place % len(self.current)] = successor

    @rule(hours=st.sampled_from((1, 5, 19, 31, 40)))
    def wait(self, hours: int) -> None:
        """Hours pass; no record grows too old to be delivered, no call lives that long."""
        if any(s.counted < len(s.records) for s in self.streams):
            self._drain()
        self.dead.clear()
        self.hour += hours

    def _may_come(self, record: Change) -> bool:
        return self.hour - record.created_ms // HOUR_MS <= LONGEST_AGE

    def _counted(self, stream: Stream) -> list[Change]:
        return [r for r in stream.records[: stream.counted] if self._may_come(r)]

    def _call(self, data: st.DataObject, stream: Stream, batch: Sequence[Change], off: int) -> bool:
        tasks = data.draw(st.permutations(list(group_by_node(batch).items())))
        nth = data.draw(st.one_of(st.none(), st.integers(1, 2 * len(tasks))), label="fails at")
        if nth is not None:
            Fault(self.fake, nth, carried_out=data.draw(st.booleans(), label="carried out"))
        hour = self.hour + off
        try:
            for done, (node, steps) in enumerate(tasks):  # noqa: B007 - where it ended
                self._count(node, steps, stream, hour)
        except StoreError:
            self.dead.append(Call(stream, list(tasks[done:]), hour))
            return False
        finally:
            self.fake.before = self.fake.after = lambda _: None
        return True

    def _count(self, node: NodeKey, steps: Sequence[NodeStep], stream: Stream, hour: int) -> None:
        shard = shard_of(stream.name, self.counter_shards)
        counted = self.counters.count(node, shard, steps, Writer(stream.name, hour))
        assert counted.steps + counted.already_counted == len(steps)

    # --- What must hold -----------------------------------------------------------------------

    @invariant()
    def nothing_is_counted_twice(self) -> None:
        """What a node counts of one stream shard never exceeds what was sent to it."""
        for (_, _), item in self.fake.items.items():
            moved = sum(abs(int(v["N"])) for name, v in item.items() if len(name) == 2 and "N" in v)
            assert moved <= 2 * sum(len(stream.records) for stream in self.streams)

    @rule(data=st.data())
    def check_at_rest(self, data: st.DataObject) -> None:
        """When the stream has drained, counters equal a recount; again changes nothing."""
        self._drain()
        self._check()
        before = dict(self.fake.items)
        for stream in self.streams:
            if again := self._counted(stream):
                for node, steps in group_by_node(again[:: data.draw(st.integers(1, 3))]).items():
                    self._count(node, steps, stream, self.hour)
        assert self.fake.items == before

    def teardown(self) -> None:
        """Every history ends at rest, with what dead calls had left to write written first."""
        if not hasattr(self, "fake"):
            return
        self._drain()
        for call in self.dead:
            for node, steps in call.tasks:
                self._count(node, steps, call.stream, call.hour)
        self._check()

    def _drain(self) -> None:
        for stream in self.streams:
            batch = stream.records[stream.counted :]
            for node, steps in group_by_node(batch).items():
                self._count(node, steps, stream, self.hour)
            stream.counted = len(stream.records)

    def _check(self) -> None:
        recount: Counter[tuple[NodeKey, str]] = Counter()
        for place in self.placed.values():
            recount.update(cells_of_place(place))
        stored: Counter[tuple[str, str]] = Counter()
        for (pk, _), item in self.fake.items.items():
            for name, value in item.items():
                if "N" in value and name != "as_of":
                    stored[pk, name] += int(value["N"])
        expected = {("#".join(map(str, node)), code): n for (node, code), n in recount.items()}
        assert {key: n for key, n in stored.items() if n} == expected
        for node in {node for node, _ in recount}:
            read = self.counters.read(node).counts
            assert read == {code: n for (of, code), n in recount.items() if of == node}


def cells_of_place(place: Place) -> Iterator[tuple[NodeKey, str]]:
    """The counter of each level that a place is counted in."""
    for end in range(0, len(place.cell), 2):
        node = NodeKey(place.board, place.window, place.layout, place.cell[:end])
        yield node, place.cell[end : end + 2]


def test_counters_come_to_equal_a_recount() -> None:
    """Each record is counted once, whatever became of the calls and batches that carried it."""
    run_state_machine_as_test(
        Counting,
        settings=settings(max_examples=2 * settings().max_examples, stateful_step_count=40),
    )


CODES = st.sampled_from(("00", "01", "3j"))
STEPS = st.lists(
    st.builds(
        NodeStep,
        st.integers(0, 30),
        st.integers(0, 10**13),
        st.lists(st.tuples(CODES, st.sampled_from((-1, 1))), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=12,
)


@given(STEPS, st.randoms(use_true_random=False))
def test_folding_adds_up(steps: list[NodeStep], random: object) -> None:
    """An update moves each child by the sum of its steps, from the first of them to the last."""
    update = fold(steps)
    totals = Counter[str]()
    for step in steps:
        for code, delta in step.deltas:
            totals[code] += delta
    assert dict(update.deltas) == dict(totals)
    assert update.first == min(step.sequence for step in steps)
    assert update.last == max(step.sequence for step in steps)
    assert update.as_of == max(step.created_ms for step in steps)
    shuffled = list(steps)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fold(shuffled) == update


@given(STEPS, st.integers(-1, 31))
def test_beyond_a_mark(steps: list[NodeStep], mark: int) -> None:
    """What a mark has passed is dropped, the rest kept in its order."""
    rest = beyond(steps, mark)
    assert all(step.sequence > mark for step in rest)
    assert rest == [step for step in steps if step in rest]
    assert sum(step.sequence <= mark for step in steps) == len(steps) - len(rest)


PLACES = st.builds(
    Place,
    st.sampled_from(("a", "b")),
    st.sampled_from(("all", "s:x")),
    st.integers(1, 2),
    st.lists(CODES, min_size=1, max_size=4).map("".join),
)


@given(st.one_of(st.none(), PLACES), st.one_of(st.none(), PLACES))
def test_a_record_steps_through_every_node_of_its_paths(
    before: Place | None, after: Place | None
) -> None:
    """-1 along the old path, +1 along the new one; nodes where both cancel are kept."""
    change = Change(7, 1_000, before, after)
    moved = Counter[tuple[NodeKey, str]]()
    for node, steps in group_by_node([change, change]).items():
        assert [(step.sequence, step.created_ms) for step in steps] == [(7, 1_000)]
        for code, delta in steps[0].deltas:
            moved[node, code] += delta
    expected = Counter(cells_of_place(after) if after else ())
    expected.subtract(cells_of_place(before) if before else ())
    assert moved == expected
    assert set(group_by_node([change])) == {node for node, _ in expected}
