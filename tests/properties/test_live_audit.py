"""The audit of live windows over a model: 500 results a second, and counters that follow them.

Index and counters are lists in memory. Virtual time passes with every request and every pause;
results come in meanwhile, and each is counted one to three seconds later, in batches of its stream
shard. What the audit then says is held against what the model knows.
"""

from bisect import bisect_left, insort
from collections import Counter, deque
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lambdas.domain.boards import Board, BoardConfig, LayoutSpec
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.counting import NodeKey
from lambdas.domain.entries import Entry, place
from lambdas.domain.lives import first_life
from lambdas.domain.patrols import Patrol
from lambdas.logic.live_audit import LiveAudit, Patrolled
from lambdas.store import keys

PER_SECOND = 500
PLAYERS = 4_000
STREAM_SHARDS = 4
REQUEST_SECONDS = 0.005
BETWEEN_RUNS_SECONDS = 15.0
Delta = tuple[str, int]


@dataclass
class World:
    """A board that many play on, in virtual seconds.

    Attributes:
        rank_keys: the index, sorted.
        counts: the counters, by node.
        waiting: by stream shard, what is not counted yet: when it was written, and deltas.
    """

    seed: int
    board: Board = field(default_factory=lambda: first_life("m", BoardConfig(), LayoutSpec(), 0))
    now: float = 0.0
    rank_keys: list[str] = field(default_factory=list)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    waiting: list[deque[tuple[float, list[Delta]]]] = field(
        default_factory=lambda: [deque() for _ in range(STREAM_SHARDS)]
    )
    read_units: float = 0.0
    is_played: bool = True
    lost: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.standing: dict[int, tuple[str, str]] = {}
        self.lags = [self.random.uniform(1, 3) for _ in self.waiting]
        for player in range(PLAYERS):
            self.submit(player)
        self.pass_by(5)

    def submit(self, player: int) -> None:
        """One result: in the index at once, counted later."""
        entry = Entry(f"p{player:05d}", int(self.random.lognormvariate(8, 1)), int(self.now * 1e3))
        record = place(self.board, self.board.written_layout, entry)
        deltas = [(record.cell, 1)]
        if player in self.standing:
            old_key, old_cell = self.standing[player]
            del self.rank_keys[bisect_left(self.rank_keys, old_key)]
            deltas.append((old_cell, -1))
        key = keys.rank_key(record)
        insort(self.rank_keys, key)
        self.standing[player] = key, record.cell
        if self.lost:
            self.lost -= 1
            return
        self.waiting[player % STREAM_SHARDS].append((self.now, deltas))

    def pass_by(self, seconds: float) -> None:
        """Lets time pass: results come in, and what is old enough is counted."""
        due = int((self.now + seconds) * PER_SECOND) - int(self.now * PER_SECOND)
        self.now += seconds
        for _ in range(due if self.is_played else 0):
            self.submit(self.random.randrange(PLAYERS))
        for shard, lag in zip(self.waiting, self.lags, strict=True):
            while shard and shard[0][0] + lag <= self.now:
                for cell, delta in shard.popleft()[1]:
                    self._count(cell, delta)
        if self.random.random() < seconds:  # about once a second the next batch is another
            self.lags[self.random.randrange(STREAM_SHARDS)] = self.random.uniform(1, 3)

    def _count(self, cell: str, delta: int) -> None:
        for end in range(0, len(cell), CODE_LENGTH):
            node = self.counts.setdefault(cell[:end], Counter())
            node[cell[end : end + CODE_LENGTH]] += delta

    # --- What the audit asks, as the tables would answer -------------------------------------
    def sums(self, node: NodeKey) -> dict[str, int]:
        """A node's counters."""
        self.pass_by(REQUEST_SECONDS)
        self.read_units += 0.5
        return dict(self.counts.get(node.path, {}))

    def pages(self, operation: str, **query: Any) -> list[dict[str, Any]]:
        """A count in the index."""
        assert (operation, query["Select"]) == ("query", "COUNT")
        self.pass_by(REQUEST_SECONDS)
        values = query["ExpressionAttributeValues"]
        start, end = values[":start"]["S"], values[":end"]["S"]
        found = bisect_left(self.rank_keys, end) - bisect_left(self.rank_keys, start)
        counted = min(found, query["Limit"])
        self.read_units += max(0.5, counted / 54)
        last = {"rank_key": {"S": end}} if counted < found else None
        return [{"Count": counted} | ({"LastEvaluatedKey": last} if last else {})]

    def audit(self, patrol: Patrol) -> Patrolled:
        """One run of the audit."""
        tables = SimpleNamespace(
            now_ms=int(self.now * 1e3),
            meter=self,
            counters=self,
            dynamo=self,
            scores_table="Scores",
            pages=None,
            fences=None,
            nodes=None,
        )
        segments = SimpleNamespace(windows=lambda *_: [])
        audit = LiveAudit(cast(Any, tables), cast(Any, segments), [self.board], sleep=self.pass_by)
        return audit.run(patrol)


@pytest.mark.parametrize("seed", range(4))
def test_a_clean_board_under_500_results_a_second_is_never_told_to_drift(seed: int) -> None:
    """Every run sees differences, and none of them is there unchanged in the next."""
    world, patrol, seen = World(seed), Patrol(), 0
    for _ in range(5):
        done = world.audit(patrol)
        patrol = done.patrol
        seen += len(patrol.sightings)
        assert done.drift == []
        assert done.is_pass
        assert done.units <= 2_000 + 128
        world.pass_by(BETWEEN_RUNS_SECONDS)
    assert seen > 0, "the model is busy enough to be seen in motion"


@pytest.mark.parametrize("seed", range(2))
def test_counts_that_were_lost_are_found_once_nobody_plays(seed: int) -> None:
    """Thirty records that were never counted: each cell they moved is drift in two runs."""
    world, patrol = World(seed), Patrol()
    world.lost = 30
    world.pass_by(1)
    world.is_played = False
    world.pass_by(10)
    patrol = world.audit(patrol).patrol
    world.pass_by(300)
    done = world.audit(patrol)
    told = {one.spot.path: one.found - one.counted for one in done.drift if one.kind == "index"}
    right = Counter(cell[:CODE_LENGTH] for _, cell in world.standing.values())
    root = world.counts[""]
    assert told == {
        code: right[code] - root[code] for code in right | root if right[code] != root[code]
    }
    assert told
