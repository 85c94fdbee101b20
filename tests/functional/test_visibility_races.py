"""Hiding that breaks off, or that a submit under way does not know of: made good, and when."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from lambdas import names
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo
from lambdas.store.holdings import Holdings
from lambdas.store.meter import Meter
from lambdas.store.visibility import Flag, Visibility
from ops.rig.tables import TableNames
from tests.functional.clocks import At
from tests.functional.failing import THROTTLED, UNAVAILABLE, Call, WatchedClient
from tests.functional.moderation import check, hide, path_of, settle, show

Drain = Callable[[], None]
WINDOWS = ["all", "daily"]
FlagOf = Callable[[str, str], Flag | None]
DAY = "d2026-11-30"
ERRORS = {name: {**THROTTLED, **UNAVAILABLE}[name] for name in ("ThrottlingException", "503")}
pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def impatient(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No function tries again for long."""
    monkeypatch.setattr(api.handlers[names.ADMIN], "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(api.handlers[names.CLOSE], "_PATIENCE_SECONDS", 0.0)


@pytest.fixture
def flag_of(dynamodb_client: Any, table_names: TableNames) -> FlagOf:
    """Reads a player's flag on a board."""
    return Visibility(Dynamo(dynamodb_client, Meter()), table_names.boards).find


def before_the_first(operation: str, board: str, act: Callable[[], None]) -> Callable[[Call], bool]:
    """Acts before the first call of an operation on a board is served, and fails none."""
    waiting = [act]

    def look(call: Call) -> bool:
        if call.operation == operation and f"'{board}#" in repr(call.parameters) and waiting:
            waiting.pop()()
        return False

    return look


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
@pytest.mark.parametrize("hidden", [True, False])
@pytest.mark.parametrize("played", [True, False])
def test_a_submit_that_read_the_flag_before_it_was_changed(
    api: Any,
    drain: Drain,
    board: str,
    at: At,
    client: WatchedClient,
    policy: str,
    hidden: bool,
    played: bool,
) -> None:
    """What it writes behind the change's own pass is put in its place when the flag settles."""
    api.make_board(board, policy=policy, windows=WINDOWS)
    api.submit(board, "q", 1, submission_id="q")
    if not hidden:
        hide(api, board, "p")
    if played:
        api.submit(board, "p", 5, submission_id="1")
    write = "transact_write_items" if policy == "sum" else "update_item"
    change = before_the_first(write, board, lambda: hide(api, board, "p", hidden=hidden))
    client.fail(UNAVAILABLE["503"], change)
    api.submit(board, "p", 7, submission_id="2")
    client.restart()
    at("2026-11-30T12:01:09.999")
    settle(api)
    at("2026-11-30T12:01:10")
    settle(api)
    drain()
    held = {"p": 12 if policy == "sum" and played else 7, "q": 1}
    for window in ("all", DAY):
        if hidden:
            check(api, board, {"q": 1}, window, absent=("p",))
        else:
            check(api, board, held, window)


def test_a_sum_that_stands_is_never_written_by_a_flag_that_was_changed(
    api: Any, drain: Drain, board: str, client: WatchedClient
) -> None:
    """Its transaction sees that the item has moved, and reads both anew."""
    api.make_board(board, policy="sum")
    api.submit(board, "p", 5, submission_id="1")
    change = before_the_first("transact_write_items", board, lambda: hide(api, board, "p"))
    client.fail(UNAVAILABLE["503"], change)
    answer = api.submit(board, "p", 7, submission_id="2")
    assert (answer["score"], answer["windows"]["all"]["kind"]) == (12, "unranked")
    drain()
    check(api, board, {}, "all", absent=("p",))


def test_a_flag_is_settled_once_and_kept_or_goes(
    api: Any, board: str, at: At, flag_of: FlagOf
) -> None:
    """Not before a lapse is over; a hidden player's stays, one that hides nobody is removed."""
    api.make_board(board)
    hide(api, board, "p")
    hide(api, board, "q")
    show(api, board, "q")
    at("2026-11-30T12:01:09.999")
    settle(api)
    found = [flag_of(board, player) for player in ("p", "q")]
    assert [(one.hidden, one.is_settled) for one in found if one] == [(True, False), (False, False)]
    at("2026-11-30T12:01:10")
    settle(api)
    kept = flag_of(board, "p")
    assert kept is not None
    assert kept.is_settled
    assert flag_of(board, "q") is None
    settle(api)
    assert flag_of(board, "p") == kept
    hide(api, board, "p")  # once more: it is settled once more
    found_again = flag_of(board, "p")
    assert found_again is not None
    assert not found_again.is_settled


@pytest.mark.parametrize("hidden", [True, False])
def test_a_flag_that_changes_while_it_is_settled_is_settled_again(
    api: Any,
    drain: Drain,
    board: str,
    at: At,
    client: WatchedClient,
    hidden: bool,
    flag_of: FlagOf,
) -> None:
    """The last word stands, whatever the pass of the one before has moved meanwhile."""
    api.make_board(board, windows=WINDOWS)
    api.submit(board, "p", 5)
    hide(api, board, "p", hidden=hidden)
    at("2026-11-30T12:02")
    turn = before_the_first(
        "batch_get_item", board, lambda: hide(api, board, "p", hidden=not hidden)
    )
    client.fail(UNAVAILABLE["503"], turn)
    settle(api)
    turned = flag_of(board, "p")
    assert turned is not None
    assert (turned.hidden, turned.is_settled) == (not hidden, False)
    client.restart()
    at("2026-11-30T12:04")
    settle(api)
    drain()
    for window in ("all", DAY):
        if hidden:
            check(api, board, {"p": 5}, window)
        else:
            check(api, board, {}, window, absent=("p",))


@pytest.mark.parametrize(
    ("name", "after"), [("ThrottlingException", False), ("503", False), ("503", True)]
)
@pytest.mark.parametrize("hidden", [True, False])
@pytest.mark.usefixtures("impatient")
def test_what_broke_off_is_completed_by_a_repeat_or_by_settling(
    api: Any,
    drain: Drain,
    board: str,
    at: At,
    client: WatchedClient,
    name: str,
    after: bool,
    hidden: bool,
) -> None:
    """Whichever call is the last that DynamoDB serves, with its reply or without."""
    api.make_board(board, windows=WINDOWS)
    players = {f"{way}{nth}": nth for nth in range(1, 6) for way in ("repeat", "settle")}
    api.submit_all(board, {**players, "other": 9})
    for player, nth in players.items():
        if not hidden:
            hide(api, board, player)
        client.fail(ERRORS[name], lambda call, n=nth: call.number >= n, after=after)
        body = {"hidden": hidden}
        status, answer = api.call("PUT", f"{path_of(board, player)}/visibility", body)
        assert status == (429 if name in THROTTLED else 503), answer
        client.restart()
        if player.startswith("repeat") or nth < 3:  # before that there is no flag to settle
            hide(api, board, player, hidden=hidden)
    at("2026-11-30T12:02")
    settle(api)
    drain()
    shown = {"other": 9} if hidden else {**players, "other": 9}
    for window in ("all", DAY):
        check(api, board, shown, window, absent=tuple(players) if hidden else ())


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.usefixtures("impatient")
def test_settling_that_breaks_off_goes_on_the_next_time(
    api: Any, drain: Drain, board: str, at: At, client: WatchedClient, name: str, flag_of: FlagOf
) -> None:
    """Whichever call fails: what was not settled is settled later."""
    api.make_board(board, windows=WINDOWS)
    players = [f"p{nth}" for nth in range(1, 6)]
    api.submit_all(board, {**dict.fromkeys(players, 5), "other": 9})
    for nth, player in enumerate(players, start=1):
        at(f"2026-11-30T12:{4 * nth:02d}")
        hide(api, board, player)
        for window in ("all", DAY):  # as a submit would that had read the former flag
            put_back(api, board, window, player)
        at(f"2026-11-30T12:{4 * nth + 2:02d}")
        numbers = count(1)
        client.fail(
            ERRORS[name],
            lambda call, one=player, n=nth, numbers=numbers: (
                f"#{one}'" in repr(call.parameters) and next(numbers) == n
            ),
        )
        with pytest.raises((ThrottledError, UnavailableError)):
            settle(api)
        client.restart()
        before = flag_of(board, player)
        assert before is not None
        assert not before.is_settled
        settle(api)
    drain()
    for window in ("all", DAY):
        check(api, board, {"other": 9}, window, absent=tuple(players))


def put_back(api: Any, board: str, window: str, player: str) -> None:
    """Moves a hidden item back to the list, whatever the flag says."""
    tables = api.handlers[names.SUBMIT].connection.tables()
    holdings = Holdings(tables.dynamo, tables.scores_table)
    (item,) = holdings.of_player(board, [window], player)
    assert holdings.move(item, keys.rank_partition(board, window, 1, 0)) is None
