"""The audit of live windows while a board is written to and counted.

Submits come at fifty a second, or as fast as the machine takes them beside counting and audit.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.patrols import Patrol
from lambdas.logic.live_audit import BUDGET_UNITS, LiveAudit, Patrolled
from lambdas.store.segments import Segments
from ops.rig.tables import TableNames
from tests.functional.conftest import Api

SUBMITS_PER_SECOND = 50
LEAST_PER_SECOND = 5  # on a machine that does much else; below it nothing would be shown
BATCH = 10
SECONDS = 10
COUNTING_EVERY_SECONDS = 0.2
PAUSE_SECONDS = 1.0  # well above how far counting is behind here
QUIET = {f"q{i:02d}": i for i in range(10)}  # of buckets that no other submission reaches
LARGEST_REQUEST_UNITS = 128


def test_a_board_under_writes_is_clean_and_a_wrong_counter_of_it_is_found(
    api: Api,
    drain: Callable[[], None],
    board: str,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """Every run keeps still while counting follows, and tells what is off in a quiet bucket.

    In the window as a whole and in a segment of it; each run keeps to its budget.
    """
    api.make_board(
        board,
        windows=["all"],
        dimensions=["region"],
        layout={"levels": 2, "index_shards": 2},
    )
    for player, score in QUIET.items():
        api.submit(board, player, score, segments={"region": "eu"})
    drain()
    patrol = Patrol()
    with _played(api, board, drain):
        until = time.monotonic() + SECONDS
        runs = []
        while time.monotonic() < until:
            runs.append(_run(api, board, patrol))
            patrol = runs[-1].patrol
    assert len(runs) >= 3
    assert [one for run in runs for one in run.drift] == []
    assert {run.is_pass for run in runs} == {True}

    tampered = {"all": "01", "all@region:eu": "06"}
    for window, code in tampered.items():
        _add_one(dynamodb_client, table_names, f"{board}#{window}#1#", code)
    with _played(api, board, drain):
        first = _run(api, board, patrol)
        second = _run(api, board, first.patrol)
    assert first.drift == []
    found = {(one.spot.window, one.spot.path) for one in second.drift}
    assert found == set(tampered.items())
    units = [run.units for run in (*runs, first, second)]
    assert max(units) <= BUDGET_UNITS + LARGEST_REQUEST_UNITS


def _run(api: Api, board: str, patrol: Patrol) -> Patrolled:
    """One run, some time after the one before."""
    time.sleep(PAUSE_SECONDS)
    module = api.handlers[names.AUDIT]
    tables = module.connection.tables()
    segments = Segments(tables.dynamo, module.settings.boards_table)
    boards = [tables.boards.refresh(board)]
    pause: Callable[[float], None] = lambda _: time.sleep(PAUSE_SECONDS)  # noqa: E731
    return LiveAudit(tables, segments, boards, sleep=pause).run(patrol)


@contextmanager
def _played(api: Api, board: str, drain: Callable[[], None]) -> Iterator[None]:
    """Submits and counts in threads of their own until the block ends; both must have worked."""
    is_over = threading.Event()
    failures: list[BaseException] = []
    rates: list[float] = []

    def submit() -> None:
        chance, begun, done = random.Random(7), time.monotonic(), 0
        while not is_over.is_set():
            results = [_result(chance) for _ in range(BATCH)]
            path = f"/api/leaderboards/{board}/scores/batch"
            status, answer = api.call("POST", path, {"scores": results}, query={"rank": "false"})
            assert {one["status"] for one in answer["results"]} == {200}, (status, answer)
            done += BATCH
            is_over.wait(max(0.0, begun + done / SUBMITS_PER_SECOND - time.monotonic()))
        rates.append(done / (time.monotonic() - begun))

    def count() -> None:
        while not is_over.wait(COUNTING_EVERY_SECONDS):
            drain()

    def noted(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - told by the test's own thread
                failures.append(error)

        return run

    threads = [threading.Thread(target=noted(work)) for work in (submit, count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        drain()
    assert failures == []
    assert rates[0] >= LEAST_PER_SECOND


def _result(chance: random.Random) -> dict[str, Any]:
    """A result of one of 300 players; a tenth of them names a segment, too."""
    player = chance.randrange(300)
    segment = {"segments": {"region": "eu"}} if player % 10 == 0 else {}
    return {
        "player_id": f"p{player}",
        "score": 1_000 + int(chance.lognormvariate(10, 1)),
        **segment,
    }


def _add_one(client: DynamoDBClient, tables: TableNames, node: str, code: str) -> None:
    client.update_item(
        TableName=tables.counters,
        Key={names.PK: {"S": node}, names.SK: {"S": "0"}},
        UpdateExpression="ADD #code :one",
        ExpressionAttributeNames={"#code": code},
        ExpressionAttributeValues={":one": {"N": "1"}},
    )
