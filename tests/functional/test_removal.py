"""A player who is removed from a board: out of every window, whatever state their items are in."""

from collections.abc import Callable
from typing import Any

import pytest

from lambdas import names
from ops.rig.tables import TableNames
from tests.functional.clocks import At
from tests.functional.failing import THROTTLED, UNAVAILABLE, WatchedClient
from tests.functional.lives import LAPSED_MS, Sweeps, forget, items_of
from tests.functional.moderation import check, hide, path_of, remove, show

Drain = Callable[[], None]
SCORES = {"p": 5, "q": 4, "r": 3}
REST = {"q": 4, "r": 3}
pytestmark = pytest.mark.usefixtures("noon")


@pytest.fixture
def held(sweeps: Sweeps, table_names: TableNames) -> Callable[[str, str], set[str]]:
    """The windows in which a player has an item on a board, of whatever kind."""

    def of_player(board: str, player: str) -> set[str]:
        found = items_of(sweeps.client, table_names.scores, board)
        parts = [one["pk"]["S"].split("#", 2) for one in found]
        return {window for _, window, one in parts if one == player}

    return of_player


@pytest.mark.parametrize("layout", [{"levels": 1}, {"levels": 3, "index_shards": 3}])
def test_a_removed_player_is_in_no_window(
    api: Any, drain: Drain, board: str, held: Any, layout: dict[str, int]
) -> None:
    """Every read agrees; sent again, or of somebody who never played, it changes nothing."""
    api.make_board(board, windows=["all", "daily"], layout=layout)
    api.submit_all(board, SCORES)
    drain()
    for player in ("p", "p", "nobody"):
        remove(api, board, player)
        drain()
        for window in ("all", "d2026-11-30"):
            check(api, board, REST, window, absent=("p", "nobody"))
    assert held(board, "p") == set()
    assert api.submit(board, "p", 6)["outcome"] == "new"
    drain()
    check(api, board, {**REST, "p": 6}, "all")


def test_removed_before_anything_is_counted(api: Any, drain: Drain, board: str) -> None:
    """Played, improved, removed and played again within one batch of the stream."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    api.submit(board, "p", 90)
    remove(api, board, "p")
    remove(api, board, "q")
    api.submit(board, "p", 1)
    drain()
    check(api, board, {"p": 1, "r": 3}, "all", absent=("q",))


def test_windows_past_their_retention_are_cleared_too(
    api: Any, drain: Drain, board: str, at: At, held: Any
) -> None:
    """What nobody can read any more, and TTL has not taken yet, goes with the rest."""
    api.make_board(board, windows=["all", "daily"], retention_days=1)
    api.submit_all(board, SCORES)
    drain()
    at("2027-02-01T12:00")
    api.submit_all(board, SCORES)
    assert held(board, "p") == {"all", "d2026-11-30", "d2027-02-01"}
    remove(api, board, "p")
    assert held(board, "p") == set()
    assert held(board, "q") == {"all", "d2026-11-30", "d2027-02-01"}
    drain()
    check(api, board, REST, "d2027-02-01", absent=("p",))


def test_what_a_former_life_left_goes_too(
    api: Any, drain: Drain, board: str, sweeps: Sweeps, held: Any
) -> None:
    """Items of a board that was deleted, where the sweep has not come yet."""
    api.make_board(board, windows=["daily"])
    api.submit_all(board, SCORES)
    assert api.call("DELETE", f"/api/admin/leaderboards/{board}")[0] == 204
    forget(api.handlers)
    sweeps.clock.wait(LAPSED_MS)
    api.make_board(board)
    api.submit_all(board, SCORES)
    assert held(board, "p") == {"all", "d2026-11-30"}
    remove(api, board, "p")
    assert held(board, "p") == set()
    assert held(board, "q") == {"all", "d2026-11-30"}
    drain()
    check(api, board, REST, "all", absent=("p",))


def test_a_hidden_player_who_was_removed_comes_back_hidden(
    api: Any, drain: Drain, board: str, held: Any
) -> None:
    """A moderator's decision outlives the removal; shown again, the new result is in the list."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    hide(api, board, "p")
    remove(api, board, "p")
    assert held(board, "p") == set()
    answer = api.submit(board, "p", 9)
    assert (answer["outcome"], answer["windows"]["all"]["kind"]) == ("new", "unranked")
    drain()
    check(api, board, REST, "all", absent=("p",))
    show(api, board, "p")
    drain()
    check(api, board, {**REST, "p": 9}, "all")


def test_a_removed_sum_begins_anew(api: Any, drain: Drain, board: str) -> None:
    """The ledger is kept: a repeat of what was added before is told so, and adds nothing."""
    api.make_board(board, policy="sum")
    api.submit(board, "q", 1, submission_id="q")
    api.submit(board, "p", 5, submission_id="1")
    remove(api, board, "p")
    assert api.submit(board, "p", 5, submission_id="1")["outcome"] == "duplicate"
    drain()
    check(api, board, {"q": 1}, "all", absent=("p",))
    again = api.submit(board, "p", 2, submission_id="2")
    assert (again["outcome"], again["score"]) == ("new", 2)
    drain()
    check(api, board, {"q": 1, "p": 2}, "all")


@pytest.mark.parametrize(
    ("name", "after"), [("ThrottlingException", False), ("503", False), ("503", True)]
)
def test_a_removal_that_broke_off_is_completed_by_a_repeat(
    api: Any,
    drain: Drain,
    board: str,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
    held: Any,
    name: str,
    after: bool,
) -> None:
    """Whichever call is the last that DynamoDB serves; nothing is counted twice."""
    monkeypatch.setattr(api.handlers[names.ADMIN], "RETRY_SECONDS", 0.0)
    api.make_board(board, windows=["all", "daily"])
    players = {f"p{nth}": nth for nth in range(1, 5)}
    api.submit_all(board, {**players, "other": 9})
    for player, nth in players.items():
        error = {**THROTTLED, **UNAVAILABLE}[name]
        client.fail(error, lambda call, n=nth: call.number >= n, after=after)
        status, _ = api.call("DELETE", path_of(board, player))
        assert status == (429 if name in THROTTLED else 503)
        client.restart()
        drain()
        remove(api, board, player)
        assert held(board, player) == set()
    drain()
    for window in ("all", "d2026-11-30"):
        check(api, board, {"other": 9}, window, absent=tuple(players))


def test_a_passing_failure_is_not_the_moderators(
    api: Any, drain: Drain, board: str, client: WatchedClient
) -> None:
    """What DynamoDB does not serve at once is tried again within the call."""
    api.make_board(board)
    api.submit_all(board, SCORES)
    for nth in (2, 3):
        client.fail(THROTTLED["ThrottlingException"], lambda call, n=nth: call.number == n)
        remove(api, board, "p")
    client.restart()
    drain()
    check(api, board, REST, "all", absent=("p",))
