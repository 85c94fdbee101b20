"""The sweep: all that a former life left is removed, and nothing of a life that stands."""

from collections.abc import Callable
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.counting import NodeKey, NodeStep
from lambdas.domain.errors import BoardNotFoundError, ThrottledError
from lambdas.logic.removing import Pace
from lambdas.store import keys
from lambdas.store.counters import Writer
from ops.rig.events import Context
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.failing import THROTTLED, UNAVAILABLE, WatchedClient
from tests.functional.lives import LAPSED_MS, SETTLED_MS, AdminClock, Sweeps, forget, items_of
from tests.functional.test_board_changes import path_of

Drain = Callable[[], None]
SCORES = {f"p{i:02d}": 100 * i * i for i in range(30)}
DAY_MS = 86_400_000


@pytest.fixture
def left(
    dynamodb_client: DynamoDBClient, table_names: TableNames
) -> Callable[[str], tuple[int, int]]:
    """How many score and counter items of a board there are."""

    def count(board: str) -> tuple[int, int]:
        return (
            len(items_of(dynamodb_client, table_names.scores, board)),
            len(items_of(dynamodb_client, table_names.counters, board)),
        )

    return count


def hide(sweeps: Sweeps, board: str, player: str, window: str = "all") -> None:
    """Moves a player's item to the hidden partition."""
    sweeps.client.update_item(
        TableName=sweeps.tables.scores,
        Key={names.PK: {"S": keys.score_pk(board, window, player)}},
        UpdateExpression=f"SET {names.RANK_PARTITION} = :hidden",
        ExpressionAttributeValues={":hidden": {"S": keys.hidden_partition(board, window)}},
    )


def delete(api: Any, board: str) -> None:
    """Deletes a board, and lets every cached config lapse."""
    assert api.call("DELETE", path_of(board)) == (204, None)
    forget(api.handlers)


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("index_shards", [1, 3])
@pytest.mark.parametrize("requests", [1, 17, 10_000])
def test_nothing_of_a_deleted_board_is_left(
    api: Any,
    drain: Drain,
    board: str,
    sweeps: Sweeps,
    left: Any,
    levels: int,
    index_shards: int,
    requests: int,
) -> None:
    """Score items, hidden ones too, and counters of every level go, in slices of any size."""
    windows = ["all", "daily", "weekly", {"season": "one", "start": 1, "end": 10**13 - 1}]
    layout = {"levels": levels, "index_shards": index_shards}
    api.make_board(board, windows=windows, layout=layout)
    api.submit_all(board, SCORES, sweeps.clock.now_ms)
    hide(sweeps, board, "p03")
    drain()
    delete(api, board)
    scores, counters = left(board)
    assert scores == 4 * len(SCORES)
    assert counters >= 4 * levels
    assert sweeps.run(board, requests) == (scores, counters)
    assert left(board) == (0, 0)
    drain()  # the removals' own records
    assert left(board) == (0, 0)


def test_a_swept_board_costs_one_read(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, client: WatchedClient
) -> None:
    """What a sweep has finished it does not look through again."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    drain()
    delete(api, board)
    sweeps.run(board)
    sweeps.client = client
    client.restart()
    assert sweeps.run(board) == (0, 0)
    assert client.operations() == ["get_item"]
    sweeps.clock.wait(LAPSED_MS)
    api.make_board(board)
    assert sweeps.run(board) == (0, 0)


def test_a_live_board_has_nothing_to_sweep(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any
) -> None:
    """A sweep of a board that was never deleted touches nothing; of none at all it says so."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    drain()
    before = left(board)
    assert sweeps.run(board) == (0, 0)
    assert left(board) == before
    with pytest.raises(BoardNotFoundError):
        sweeps.run(f"{board}-unknown")


def test_a_life_that_stands_is_never_touched(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any, admin_clock: AdminClock
) -> None:
    """Between any two requests of a sweep a player of the new life may come; all of them stay."""
    api.make_board(board, layout={"levels": 3})
    api.submit_all(board, SCORES)
    drain()
    delete(api, board)
    admin_clock.wait(LAPSED_MS)
    api.make_board(board, layout={"levels": 3})
    players = iter(SCORES)
    for _ in sweeps.slices(board, requests=3):
        if (player := next(players, None)) is not None:
            assert api.submit(board, player, 3)["outcome"] == "new"
            hide(sweeps, board, player) if player == "p05" else None
            drain()
    for player in players:
        api.submit(board, player, 3)
    drain()
    scores, _ = left(board)
    assert scores == len(SCORES)
    page = api.call("GET", f"/api/leaderboards/{board}/top")[1]
    assert {one["player_id"] for one in page["entries"]} == {*SCORES} - {"p05"}
    assert page["population"] == len(SCORES) - 1
    assert sweeps.run(board) == (0, 0)
    items = items_of(sweeps.client, sweeps.tables.counters, board)
    assert {item["pk"]["S"].split("#")[2] for item in items} == {"2"}


def test_what_a_late_writer_adds_is_swept_too(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any
) -> None:
    """A submit that still had the config adds to a swept board: the sweep is not done before."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    drain()
    api.submit(board, "p00", 1)  # the submit function knows the board now
    known = api.handlers["submit"].connection._boards.get(board).value
    delete(api, board)
    late = iter(["late-1", "late-2"])
    for slice_ in sweeps.slices(board):
        if not slice_.is_done and (player := next(late, None)):
            api.handlers["submit"].connection._boards.put(board, known)
            assert api.submit(board, player, 10**9)["outcome"] == "new"
            forget(api.handlers)
    assert next(late, None) is None
    drain()
    assert left(board) == (0, 0)
    sweeps.clock.wait(LAPSED_MS)
    api.make_board(board)
    assert api.rank(board, "late-1")["kind"] == "unranked"


def test_a_late_count_is_swept_too(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any
) -> None:
    """A batch that still had the config counts, even below 0; its counters go as well."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    drain()
    known = api.handlers["count"].board_cache.get(board).value
    delete(api, board)
    slices = sweeps.slices(board)
    assert next(slices).wait_ms == 10_000
    assert next(slices).scores == len(SCORES)
    api.handlers["count"].board_cache.put(board, known)
    drain()  # counts the removals
    forget(api.handlers)
    assert left(board)[0] == 0
    assert sum(one.counters for one in slices) > 0
    assert left(board) == (0, 0)


def test_a_node_that_a_late_batch_makes_again_is_swept_too(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any, table_names: TableNames
) -> None:
    """A batch that had written the root before it was removed cannot leave a node without one."""
    api.make_board(board, layout={"levels": 2})
    api.submit_all(board, SCORES)
    drain()
    delete(api, board)
    items = items_of(sweeps.client, table_names.counters, board)
    path = max(item["pk"]["S"].rpartition("#")[2] for item in items)
    slices = sweeps.slices(board)
    assert [next(slices).scores for _ in range(2)] == [0, len(SCORES)]
    step = NodeStep(10**25, 1, (("00", -1),))
    node = NodeKey(board, "all", 1, path)
    sweeps.sweep().counters.count(node, 0, [step], Writer("shardId-late", 1))
    assert sum(one.counters for one in slices) >= len(items)
    assert left(board) == (0, 0)


def test_every_window_that_a_board_can_have_had_is_swept(
    api: Any, board: str, sweeps: Sweeps, left: Any, admin_clock: AdminClock
) -> None:
    """Also those of a schedule it no longer has, of the days between, and of lives before."""
    api.make_board(board, windows=["daily"], time_zone="Asia/Tokyo")
    client, tables = sweeps.client, sweeps.tables
    boards, start = sweeps.sweep().boards, admin_clock.now_ms

    def enter(at_ms: int) -> None:
        """Stores an entry in each of a day's windows, as the board stands."""
        standing = boards.get(board)
        for window in standing.schedule.current(at_ms):
            partition = keys.rank_partition(board, window.name, standing.first_layout, 0)
            item = {
                names.PK: {"S": keys.score_pk(board, window.name, "p")},
                names.RANK_PARTITION: {"S": partition},
                names.RANK_KEY: {"S": "1"},
                "layout": {"N": str(standing.first_layout)},
            }
            client.put_item(TableName=tables.scores, Item=item)

    for day in (-1, 0, 1, 2):
        enter(start + day * DAY_MS)
    admin_clock.wait(2 * DAY_MS)
    change = {"windows": ["weekly", {"season": "x", "start": 1, "end": 10**13 - 1}]}
    assert api.call("PUT", path_of(board), change)[0] == 200
    admin_clock.wait(LAPSED_MS)  # from then on the new schedule is in force
    enter(admin_clock.now_ms)
    delete(api, board)
    admin_clock.wait(40 * DAY_MS)
    api.make_board(board, windows=["monthly"])
    enter(admin_clock.now_ms)
    delete(api, board)
    scores, _ = left(board)
    assert scores == 4 + 2 + 1
    assert sweeps.run(board) == (scores, 0)
    assert left(board) == (0, 0)


@pytest.mark.parametrize("after", [False, True], ids=["refused", "reply lost"])
def test_a_sweep_that_is_killed_anywhere_is_run_again(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any, client: WatchedClient, after: Any
) -> None:
    """Whichever request fails, before or after it took effect, the next run removes the rest."""
    api.make_board(board, layout={"levels": 3})
    api.submit_all(board, {f"p{i}": 10 * i for i in range(4)})
    drain()
    delete(api, board)
    sweeps.clock.wait(SETTLED_MS)
    sweeps.client = client
    killed = 0
    for nth in range(1, 200):
        client.fail(UNAVAILABLE["503"], lambda call, n=nth: call.number >= n, after=after)
        try:
            sweeps.run(board)
        except Exception:  # noqa: BLE001 - whatever it is, the run has ended there
            killed += 1
            continue
        break
    client.restart()
    assert killed > 10
    assert sweeps.run(board) == (0, 0)
    assert left(board) == (0, 0)


def test_a_sweep_goes_on_from_where_it_failed(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, client: WatchedClient
) -> None:
    """A refused request raises, and the slice's own position is good to go on from."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    drain()
    delete(api, board)
    sweeps.clock.wait(SETTLED_MS)
    sweeps.client = client
    sweep = sweeps.sweep(requests=1)
    first = sweep.slice(board, None)
    client.fail(THROTTLED["ThrottlingException"])
    with pytest.raises(ThrottledError):
        sweep.slice(board, first.position)
    client.restart()
    assert sweep.slice(board, first.position).position is not None


def test_a_deletion_amid_a_sweep_begins_it_anew(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, left: Any, admin_clock: AdminClock
) -> None:
    """A position of former lives is no good once there is one more of them."""
    for _ in range(2):
        api.make_board(board)
        api.submit_all(board, SCORES)
        drain()
        delete(api, board)
        admin_clock.wait(SETTLED_MS)
    sweep = sweeps.sweep(requests=1)
    position = sweep.slice(board, None).position
    assert position is not None
    api.make_board(board)
    assert sweep.slice(board, position).position.first_layout == 3  # type: ignore[union-attr]
    delete(api, board)
    admin_clock.wait(SETTLED_MS)
    assert sweep.slice(board, position).position.first_layout == 4  # type: ignore[union-attr]
    assert sum(sweeps.run(board)) > 0
    assert left(board) == (0, 0)


def test_how_many_are_left_is_read_from_the_roots(
    api: Any, drain: Drain, board: str, sweeps: Sweeps
) -> None:
    """The players that the counters know, over all windows; too many windows are not read."""
    api.make_board(board, windows=["all", "daily"])
    api.submit_all(board, SCORES)
    drain()
    assert sweeps.sweep().population(board) == 0
    delete(api, board)
    assert sweeps.sweep().population(board) == 2 * len(SCORES)
    sweeps.run(board)
    assert sweeps.sweep().population(board) == 0
    admin_clock = sweeps.clock
    admin_clock.wait(LAPSED_MS)
    api.make_board(board, windows=["daily"])
    admin_clock.wait(300 * DAY_MS)
    delete(api, board)
    assert sweeps.sweep().population(board) is None


def test_removals_keep_a_rate() -> None:
    """After a burst it waits until as much may be done again; idle time saves nothing up."""
    now, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        now[0] += seconds

    pace = Pace(50.0, clock=lambda: now[0], sleep=sleep)
    pace.spend(100)
    now[0] += 1_000
    pace.spend(25)
    now[0] += 0.25
    pace.spend(50)
    assert slept == [2.0, 0.5, 0.75 + 0.25]


def test_the_close_function_sweeps_in_the_background(
    api: Any, drain: Drain, board: str, left: Any, clock: Clock
) -> None:
    """Without anybody's command: nothing at once, everything on its schedule, and then no more."""
    api.make_board(board, windows=["all", "daily"])
    api.submit_all(board, SCORES)
    drain()
    delete(api, board)
    handler = api.handlers[names.CLOSE].handler
    assert board not in handler({}, Context(timeout_seconds=900))["swept"]
    assert left(board) != (0, 0)
    clock("2027-01-01T00:00")
    assert board in handler({}, Context(timeout_seconds=900))["swept"]
    assert left(board) == (0, 0)
    assert board not in handler({}, Context(timeout_seconds=900))["swept"]


def test_a_call_that_runs_out_of_time_is_gone_on_with(
    api: Any, drain: Drain, board: str, left: Any, clock: Clock
) -> None:
    """A function with no time left sweeps nothing and says so; the next one does."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    drain()
    delete(api, board)
    clock("2027-01-01T00:00")
    handler = api.handlers[names.CLOSE].handler
    assert board not in handler({}, Context(timeout_seconds=30))["swept"]
    assert left(board) != (0, 0)
    assert board in handler({}, Context(timeout_seconds=900))["swept"]
