"""The audit of live windows: it finds what drifts and keeps still about what is on its way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.errors import UnavailableError
from lambdas.domain.patrols import Patrol
from lambdas.logic.live_audit import LiveAudit, Patrolled
from lambdas.store.patrols import Patrols
from lambdas.store.segments import Segments
from ops.rig.events import Context
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.conftest import Api
from tests.functional.failing import UNAVAILABLE, WatchedClient

SCORES = {f"p{i:03d}": 3 * i * i for i in range(40)}
FEW = ("p012", "p018", "p024", "p030", "p039")  # in five buckets, each with three levels or two
LAYOUT = {"levels": 3, "index_shards": 2}


@dataclass
class Audits:
    """Runs of the live audit over one board, one after the other."""

    api: Api
    board: str
    budget_units: float = 2_000
    patrol: Patrol = field(default_factory=Patrol)
    pauses: int = 0

    def run(self) -> Patrolled:
        """One run, which goes on from the one before."""
        module = self.api.handlers[names.AUDIT]
        tables = module.connection.tables()

        def sleep(_: float) -> None:
            self.pauses += 1

        boards = [tables.boards.refresh(self.board)]
        segments = Segments(tables.dynamo, module.settings.boards_table)
        audit = LiveAudit(tables, segments, boards, sleep=sleep, budget_units=self.budget_units)
        done = audit.run(self.patrol)
        self.patrol = done.patrol
        return done


@pytest.fixture
def audits(api: Api, drain: Callable[[], None], board: str, clock: Clock) -> Audits:
    """A counted board of 120 players on levels 3, with days."""
    clock("2026-11-30T12:00")
    api.make_board(board, windows=["all", "daily"], layout=LAYOUT)
    api.submit_all(board, SCORES)
    drain()
    return Audits(api, board)


@pytest.fixture
def tamper(
    dynamodb_client: DynamoDBClient, table_names: TableNames, board: str
) -> Callable[[str, str, int], None]:
    """Adds to a counter behind everybody's back."""

    def add(node: str, code: str, delta: int) -> None:
        dynamodb_client.update_item(
            TableName=table_names.counters,
            Key={names.PK: {"S": f"{board}#all#1#{node}"}, names.SK: {"S": "0"}},
            UpdateExpression="ADD #code :delta",
            ExpressionAttributeNames={"#code": code},
            ExpressionAttributeValues={":delta": {"N": str(delta)}},
        )

    return add


def test_a_board_at_rest_is_clean_and_wholly_passed(audits: Audits) -> None:
    """One run goes through every bucket of every live window, and leaves nothing to look at."""
    done = audits.run()
    assert (done.drift, done.is_pass, done.skipped) == ([], True, 0)
    assert audits.patrol == Patrol()
    assert audits.pauses == 0
    assert done.cells >= 2 * 100  # some of 128 buckets hold no integer
    assert 0 < done.units < 300


@pytest.mark.parametrize(
    ("node", "code", "kind"),
    [("", "0s", "index"), ("", "01", "index"), ("0s", "0b", "node"), ("0v32", "01", "node")],
)
def test_a_counter_that_is_wrong_is_drift_in_the_second_run(
    audits: Audits, tamper: Callable[[str, str, int], None], node: str, code: str, kind: str
) -> None:
    """In the first it is only seen; once it is right again nothing is told any more.

    A bucket, one that no score leads to, and a node on each level that no longer comes to what
    its parent counts.
    """
    tamper(node, code, 1)
    assert audits.run().drift == []
    for _ in range(2):
        drift = audits.run().drift
        assert {one.spot.window for one in drift} == {"all"}
        assert kind in {one.kind for one in drift}
    assert audits.pauses == 2
    tamper(node, code, -1)
    assert audits.run().drift == []
    assert audits.patrol.sightings == ()


def test_what_the_stream_has_not_counted_yet_is_no_drift(
    audits: Audits, drain: Callable[[], None]
) -> None:
    """A difference that is gone, or another one by the next run, was on its way."""
    for turn in range(3):
        audits.api.submit(audits.board, f"late-{turn}", 50)
        done = audits.run()
        assert done.drift == []
        assert audits.patrol.sightings
        drain()
    assert audits.run().drift == []
    assert audits.patrol.sightings == ()


def test_a_run_stays_in_its_budget_and_the_next_goes_on(
    audits: Audits, tamper: Callable[[str, str, int], None]
) -> None:
    """Small budgets take several runs to pass every cell once; drift is found all the same."""
    whole = audits.run()
    tamper("", "0s", 1)
    audits.budget_units = 40
    runs = [audits.run()]
    while not runs[-1].is_pass:
        runs.append(audits.run())
    assert len(runs) > 3
    assert all(one.units <= 45 for one in runs)
    assert sum(one.cells for one in runs) == whole.cells
    assert any(one.drift for one in runs[1:])


def test_a_large_cell_is_looked_at_child_by_child(
    api: Api,
    drain: Callable[[], None],
    board: str,
    monkeypatch: pytest.MonkeyPatch,
    tamper: Callable[[str, str, int], None],
) -> None:
    """What differs is found below it; one score held by too many is left out and said."""
    api.make_board(board, layout=LAYOUT | {"index_shards": 1})
    api.submit_all(board, {player: SCORES[player] for player in FEW})
    drain()
    audits = Audits(api, board)
    monkeypatch.setattr("lambdas.logic.live_audit.ENTRIES_PER_UNIT", 0.003)
    done = audits.run()
    assert (done.drift, audits.patrol.sightings, done.is_pass) == ([], (), True)
    assert done.cells > 5 * 100
    tamper("0s", "0b", 1)
    audits.run()
    assert {one.spot.path for one in audits.run().drift} >= {"0s0b"}
    monkeypatch.setattr("lambdas.logic.live_audit.ENTRIES_PER_UNIT", 0.0001)
    audits.patrol = Patrol()
    assert audits.run().skipped > 0


def test_windows_that_are_over_are_left_to_the_close_function(
    audits: Audits, clock: Clock, tamper: Callable[[str, str, int], None]
) -> None:
    """What was seen in them is not looked at again."""
    tamper("", "0s", 1)
    audits.run()
    (seen,) = {one.spot.window for one in audits.patrol.sightings}
    assert seen == "all"
    clock("2026-12-01T12:00")
    done = audits.run()
    assert {one.spot.window for one in done.drift} == {"all"}
    whole = Audits(audits.api, audits.board)
    whole.run()
    assert "d2026-11-30" not in {one.spot.window for one in whole.patrol.sightings}


def test_a_board_that_is_gone_is_forgotten(
    audits: Audits, tamper: Callable[[str, str, int], None]
) -> None:
    """Its sightings go with it."""
    tamper("", "0s", 1)
    audits.run()
    module = audits.api.handlers[names.AUDIT]
    tables = module.connection.tables()
    segments = Segments(tables.dynamo, module.settings.boards_table)
    done = LiveAudit(tables, segments, [], sleep=lambda _: None).run(audits.patrol)
    assert (done.drift, done.patrol, done.is_pass) == ([], Patrol(), True)


def test_the_function_keeps_its_patrol_and_tells_what_drifts(
    api: Api,
    audits: Audits,
    tamper: Callable[[str, str, int], None],
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Between runs it is a table that remembers; a call that fails changes nothing."""
    module = api.handlers[names.AUDIT]
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    monkeypatch.setattr(module.Boards, "all", lambda boards: iter([boards.get(audits.board)]))
    tamper("", "0s", 1)

    def run() -> dict[str, Any]:
        answer: dict[str, Any] = module.handler({}, Context(timeout_seconds=240))
        return answer

    assert run()["drift"] == []
    client.fail(UNAVAILABLE["503"], lambda call: call.operation == "query")
    with pytest.raises(UnavailableError):
        run()
    client.restart()
    where = f"{audits.board} all layout 1 cell 0s"
    assert run()["drift"] == [
        f"{where}: counted 3, the index holds 2",
        f"{where}: counted 3, its own node sums up to 2",
    ]
    assert '"AuditDrift":[2.0]' in capsys.readouterr().out.replace(" ", "")
    tamper("", "0s", -1)
    assert run()["drift"] == []


@pytest.mark.parametrize("held", ["", "{}", '{"after": [1], "sightings": []}', "[]"])
def test_a_patrol_that_nobody_can_read_begins_anew(
    api: Api, dynamodb_client: DynamoDBClient, table_names: TableNames, held: str
) -> None:
    """Whatever stands in its item."""
    tables = api.handlers[names.AUDIT].connection.tables()
    dynamodb_client.put_item(
        TableName=table_names.boards,
        Item={names.PK: {"S": "#audit"}, names.SK: {"S": "patrol"}, "patrol": {"S": held or "x"}},
    )
    assert Patrols(tables.dynamo, table_names.boards).read() == Patrol()
