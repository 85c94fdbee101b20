"""The audit of live windows on the rig, while a board of it takes fifty submits a second.

The writer and the rig, which counts, are processes of their own; the audit runs here, on its own
schedule. Minutes lie between two of its runs on AWS, and seconds here: so that a slow machine
changes nothing, the next run begins once counting has passed all that the last one may have seen.
"""

import json
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lambdas import names
from lambdas.domain.boards import Board
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.counting import NodeKey
from lambdas.domain.patrols import Patrol
from lambdas.domain.windows import ALL_TIME
from lambdas.logic.live_audit import BUDGET_UNITS, LiveAudit, Patrolled
from lambdas.logic.tables import Connection, Tables
from lambdas.settings import HttpSettings
from lambdas.store.dynamo import CLIENT_CONFIG
from lambdas.store.keys import score_pk
from lambdas.store.segments import Segments
from ops.client import Client, read_outputs
from ops.dynamodb import client_of
from ops.outputs import Outputs
from ops.processes import wait_until
from ops.rig import lifecycle
from ops.rig.mapping.shards import StreamShards
from ops.rig.service import STREAM_SHARDS
from ops.transfer.tables import tables_of
from tests.e2e.steady_writer import submit

ROOT = Path(__file__).parents[2]
SUBMITS_PER_SECOND = 50
ACHIEVED = 0.8  # of that, at least: else nothing is said about the audit
SECONDS = 10
LEAST_RUNS = 2
BOARD = "under-writes"
QUIET = 50  # a score of a bucket that nobody else reaches
MARKED = 10**9  # and of one that the marks alone reach
COUNTED_WITHIN_SECONDS = 60.0  # of a machine that hardly moves
LARGEST_REQUEST_UNITS = 128


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A running rig's folder."""
    lifecycle.up(tmp_path)
    yield tmp_path
    assert lifecycle.down(tmp_path), "the rig ended by itself"


@dataclass
class Audited:
    """A board of the rig, and runs of the live audit over it, one after the other."""

    outputs: Outputs
    patrol: Patrol = field(default_factory=Patrol)
    marked: int = 0

    def __post_init__(self) -> None:
        """Makes the board, with players in a bucket that stays quiet."""
        Client(self.outputs).put_board(BOARD, {"layout": {"buckets": 64}})
        self.dynamodb = client_of(self.outputs, CLIENT_CONFIG)
        settings = HttpSettings(
            names.STAGE_RIG,
            self.outputs.scores_table,
            self.outputs.counters_table,
            self.outputs.boards_table,
        )
        self._connection = Connection(self.dynamodb, settings)
        self._written = tables_of(self.outputs)
        for number in range(5):
            self.submit(f"quiet-{number}", QUIET)

    @property
    def board(self) -> Board:
        """The board as it is configured."""
        return self.tables.board(BOARD)

    @property
    def tables(self) -> Tables:
        """The tables for one call."""
        return self._connection.tables()

    def bucket(self, score: int) -> str:
        """The bucket of a score."""
        return self.board.cells(self.board.written_layout).path(score)[:CODE_LENGTH]

    def submit(self, player: str, score: int) -> None:
        """One result."""
        submit(self._written, BOARD, player, score)

    def run(self) -> Patrolled:
        """One run, once all is counted that the one before may have seen."""
        self._wait_counted()
        tables = self.tables
        segments = Segments(tables.dynamo, self.outputs.boards_table)
        done = LiveAudit(tables, segments, [self.board], sleep=time.sleep).run(self.patrol)
        self.patrol = done.patrol
        return done

    def _wait_counted(self) -> None:
        """A stream shard is counted in order: what was written before its mark is, if that is."""
        marks = self._marks()
        for player in marks:
            self.submit(player, MARKED)
        self.marked += len(marks)
        bucket, layout = self.bucket(MARKED), self.board.written_layout.number
        root = NodeKey(BOARD, ALL_TIME.name, layout, "")
        assert wait_until(
            lambda: self.tables.counters.sums(root).get(bucket, 0) == self.marked,
            seconds=COUNTED_WITHIN_SECONDS,
        ), "counting does not follow: nothing is said about the audit"

    def _marks(self) -> list[str]:
        """New players, one for each stream shard that their records lie in."""
        shards, found = StreamShards(STREAM_SHARDS), dict[str, str]()
        while len(found) < STREAM_SHARDS:
            player = f"mark-{uuid.uuid4()}"
            key = {names.PK: {"S": score_pk(BOARD, ALL_TIME.name, player)}}
            found.setdefault(shards.of({"dynamodb": {"Keys": key}}).id, player)
        return list(found.values())

    def add_one(self, bucket: str) -> None:
        """Makes a counter wrong behind everybody's back."""
        self.dynamodb.update_item(
            TableName=self.outputs.counters_table,
            Key={names.PK: {"S": f"{BOARD}#all#1#"}, names.SK: {"S": "0"}},
            UpdateExpression="ADD #bucket :one",
            ExpressionAttributeNames={"#bucket": bucket},
            ExpressionAttributeValues={":one": {"N": "1"}},
        )


@contextmanager
def written(folder: Path) -> Iterator[dict[str, float]]:
    """A board that is written to until the block ends; then what was taken, in how many seconds."""
    report: dict[str, float] = {}
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.steady_writer", folder, BOARD, str(SUBMITS_PER_SECOND)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        yield report
        said, _ = writer.communicate(timeout=60)
        assert writer.returncode == 0
        report |= json.loads(said)
    finally:
        writer.kill()
        writer.communicate()


def test_a_board_under_writes_is_clean_and_a_wrong_counter_of_it_is_found(folder: Path) -> None:
    """At fifty submits a second no run tells of drift; a counter that is off by one is, in two.

    Each run sees the whole board, differences that are on their way among them, within its budget.
    """
    audited = Audited(read_outputs(names.STAGE_RIG, folder))
    with written(folder) as writes:
        runs: list[Patrolled] = []
        until = time.monotonic() + SECONDS
        while time.monotonic() < until or len(runs) < LEAST_RUNS:
            runs.append(audited.run())
        quiet = audited.bucket(QUIET)
        audited.add_one(quiet)
        first, second = audited.run(), audited.run()
    assert [one for run in (*runs, first) for one in run.drift] == []
    assert {(one.spot.path, one.counted - one.found) for one in second.drift} == {(quiet, 1)}
    assert {run.is_pass for run in (*runs, first, second)} == {True}
    assert max(run.units for run in (*runs, first, second)) <= BUDGET_UNITS + LARGEST_REQUEST_UNITS
    achieved = writes["taken"] / writes["seconds"]
    wanted = ACHIEVED * SUBMITS_PER_SECOND
    assert achieved >= wanted, f"load not reached: {achieved:.1f} submits a second, not {wanted:g}"
    assert sum(len(run.patrol.sightings) for run in runs) > 0, "nothing was seen on its way"
