"""A board deleted and made again: gone everywhere, then empty, whatever is in the tables."""

from collections.abc import Callable
from typing import Any

import pytest

from ops.rig.events import http_event
from tests.functional.failing import UNAVAILABLE, WatchedClient
from tests.functional.lives import LAPSED_MS, AdminClock, forget
from tests.functional.test_board_changes import path_of

Drain = Callable[[], None]
OLD = {f"old{i}": 5_000 + i for i in range(12)}


def delete(api: Any, board: str) -> None:
    """Deletes a board, and lets every cached config lapse."""
    assert api.call("DELETE", path_of(board)) == (204, None)
    forget(api.handlers)


def make_again(api: Any, board: str, admin_clock: AdminClock, **config: Any) -> dict[str, Any]:
    """Makes a deleted board again as soon as it can be."""
    admin_clock.wait(LAPSED_MS)
    made: dict[str, Any] = api.make_board(board, **config)
    return made


def reads(board: str) -> list[tuple[str, str, Any]]:
    """Every route that names a board, with a body that is right."""
    path = f"/api/leaderboards/{board}"
    return [
        ("GET", path, None),
        ("GET", f"{path}/top", None),
        ("GET", f"{path}/players/old1/rank", None),
        ("GET", f"{path}/players/old1/around", None),
        ("GET", f"{path}/standing", None),
        ("GET", f"{path}/distribution", None),
        ("POST", f"{path}/friends", {"player_id": "old1", "friend_ids": ["old2"]}),
        ("POST", f"{path}/ranks", {"scores": [5_000]}),
        ("POST", f"{path}/scores", {"player_id": "p", "score": 1}),
        ("POST", f"{path}/scores/batch", {"scores": [{"player_id": "p", "score": 1}]}),
        ("GET", path_of(board), None),
    ]


@pytest.mark.usefixtures("admin_clock")
def test_a_deleted_board_is_404_everywhere_and_in_no_list(api: Any, board: str) -> None:
    """No route knows it once caches have lapsed, and no list shows it."""
    api.make_board(board)
    api.submit_all(board, OLD)
    delete(api, board)
    for method, path, body in reads(board):
        query = {"rank": "1"} if path.endswith("/standing") else None
        status, answer = api.call(method, path, body, query=query)
        assert (status, answer["code"]) == (404, "board_not_found"), path
    listed = api.call("GET", "/api/admin/leaderboards")[1]["boards"]
    assert board not in [one["board"] for one in listed]


@pytest.mark.usefixtures("admin_clock")
def test_deleting_again_is_as_once_and_of_nothing_is_404(
    api: Any, board: str, client: WatchedClient
) -> None:
    """A board deleted already answers 204 and is not touched; one that never was answers 404."""
    for unknown in (board, "UPPER"):
        status, answer = api.call("DELETE", path_of(unknown))
        assert (status, answer["code"]) == (404, "board_not_found")
    api.make_board(board)
    assert api.call("DELETE", path_of(board)) == (204, None)
    client.restart()
    assert api.call("DELETE", path_of(board)) == (204, None)
    assert client.operations() == ["update_item"]
    assert client.calls[0].answer is None


def test_it_can_be_made_again_once_nobody_knows_it(
    api: Any, board: str, admin_clock: AdminClock
) -> None:
    """Until the last cached config has lapsed and the last call ended, the answer says how long."""
    api.make_board(board)
    delete(api, board)
    for waited, left in ((0, 70), (1, 70), (999, 69), (68_000, 1), (999, 1)):
        admin_clock.wait(waited)
        status, answer = api.call("PUT", path_of(board), {})
        assert (status, answer["code"]) == (409, "board_deleted_lately")
        assert f"in {left} s" in answer["detail"]
    admin_clock.wait(1)
    made = api.make_board(board)
    assert (made["version"], made["layout"]["number"]) == (3, 2)


def test_the_wait_is_told_in_a_header(api: Any, board: str) -> None:
    """`Retry-After` says the seconds left, so that a client can wait by itself."""
    api.make_board(board)
    delete(api, board)
    answer = api.raw(http_event("PUT", path_of(board), body="{}"))
    assert 60 <= int(answer["headers"]["Retry-After"]) <= 70
    assert api.call("PUT", path_of(board), {"order": "asc"})[0] == 409


def test_a_new_life_starts_empty_and_takes_worse_scores(
    api: Any, drain: Drain, board: str, admin_clock: AdminClock
) -> None:
    """Nothing of the former life is in any answer; a worse score than an old one is new."""
    api.make_board(board)
    api.submit_all(board, OLD)
    drain()
    cursor = api.call("GET", f"/api/leaderboards/{board}/top", query={"limit": "3"})[1]
    delete(api, board)
    make_again(api, board, admin_clock)
    path = f"/api/leaderboards/{board}"
    assert api.call("GET", f"{path}/top")[1]["entries"] == []
    assert api.rank(board, "old1")["kind"] == "unranked"
    assert api.call("GET", f"{path}/players/old1/around")[1]["entries"] == []
    friends = {"player_id": "old1", "friend_ids": ["old2"]}
    assert api.call("POST", f"{path}/friends", friends)[1]["entries"] == []
    assert api.call("GET", f"{path}/distribution")[1]["population"] == 0
    assert api.call("GET", f"{path}/standing", query={"rank": "1"})[1]["kind"] == "vacant"
    ranks = api.call("POST", f"{path}/ranks", {"scores": [1]})[1]["ranks"]
    assert [one["rank"] for one in ranks] == [1]
    status, answer = api.call("GET", f"{path}/top", query={"cursor": cursor["next_cursor"]})
    assert (status, answer["code"]) == (400, "invalid_cursor")
    assert api.submit(board, "old1", 3)["outcome"] == "new"
    drain()
    assert [one["score"] for one in api.call("GET", f"{path}/top")[1]["entries"]] == [3]
    assert api.rank(board, "old1")["population"] == 1


def test_records_of_the_former_life_are_dropped(
    api: Any, drain: Drain, board: str, admin_clock: AdminClock
) -> None:
    """What was written before the deletion and is counted after it counts nowhere."""
    api.make_board(board)
    api.submit_all(board, OLD)
    delete(api, board)
    make_again(api, board, admin_clock)
    api.submit(board, "old3", 7)  # replaces an old item: -1 there is dropped, +1 here counts
    drain()
    path = f"/api/leaderboards/{board}/distribution"
    assert api.call("GET", path)[1]["population"] == 1


def test_another_config_can_be_chosen_for_a_new_life(
    api: Any, board: str, admin_clock: AdminClock
) -> None:
    """What a live board keeps, a board made again may have otherwise."""
    api.make_board(board)
    delete(api, board)
    made = make_again(api, board, admin_clock, order="asc", layout={"levels": 1, "index_shards": 3})
    assert made["order"] == "asc"
    assert [one["number"] for one in made["layouts"]] == [2]


def test_a_change_from_before_the_deletion_makes_nothing(
    api: Any, board: str, admin_clock: AdminClock
) -> None:
    """A change that names a version does not bring a deleted board back."""
    api.make_board(board)
    delete(api, board)
    admin_clock.wait(LAPSED_MS)
    for version in (1, 2, 3):
        status, answer = api.call("PUT", path_of(board), {"version": version})
        assert (status, answer["code"]) == (409, "version_conflict")


def test_a_change_under_way_does_not_undo_a_deletion(
    api: Any, board: str, client: WatchedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that read the board before it was deleted is refused."""
    api.make_board(board)
    real = client._client.put_item

    def delete_first(**parameters: Any) -> Any:
        assert api.call("DELETE", path_of(board))[0] == 204
        return real(**parameters)

    monkeypatch.setattr(client._client, "put_item", delete_first)
    status, answer = api.call("PUT", path_of(board), {"display_name": "a"})
    assert (status, answer["code"]) == (409, "version_conflict")
    assert api.call("GET", path_of(board))[0] == 404


@pytest.mark.parametrize("after", [False, True], ids=["refused", "reply lost"])
def test_a_deletion_that_was_half_heard_of_is_made_once(
    api: Any, board: str, client: WatchedClient, admin_clock: AdminClock, *, after: bool
) -> None:
    """The repeat deletes it, or leaves it deleted when it was: the wait is not begun anew."""
    api.make_board(board)
    client.fail(UNAVAILABLE["503"], after=after)
    assert api.call("DELETE", path_of(board))[0] == 503
    client.restart()
    assert (api.call("GET", path_of(board))[0] == 404) == after
    admin_clock.wait(LAPSED_MS - 1_000)
    assert api.call("DELETE", path_of(board))[0] == 204
    _, answer = api.call("PUT", path_of(board), {})
    assert ("in 1 s" in answer["detail"]) == after


@pytest.mark.parametrize("after", [False, True], ids=["refused", "reply lost"])
@pytest.mark.parametrize("operation", ["get_item", "put_item"])
def test_a_board_made_again_and_half_heard_of_is_made_once(
    api: Any,
    board: str,
    client: WatchedClient,
    admin_clock: AdminClock,
    operation: str,
    *,
    after: bool,
) -> None:
    """Whichever call fails, before or after it took effect, there is one new life."""
    api.make_board(board)
    delete(api, board)
    admin_clock.wait(LAPSED_MS)
    client.fail(UNAVAILABLE["503"], lambda call: call.operation == operation, after=after)
    assert api.call("PUT", path_of(board), {})[0] == 503
    client.restart()
    made = after and operation == "put_item"
    status, answer = api.call("PUT", path_of(board), {})
    assert status == (200 if made else 201)
    assert (answer["version"], answer["layout"]["number"]) == (3, 2)


def test_a_config_that_served_past_its_time_writes_over_nothing(
    api: Any, drain: Drain, board: str, admin_clock: AdminClock
) -> None:
    """A submit with a config of the former life leaves an item of the new one alone."""
    api.make_board(board)
    api.submit(board, "other", 1)  # the submit function knows the board now
    stale = api.handlers["submit"].connection
    assert api.call("DELETE", path_of(board)) == (204, None)
    admin_clock.wait(LAPSED_MS)
    api.make_board(board)
    known = stale._boards.get(board)
    forget(api.handlers)
    api.submit(board, "p", 5)
    stale._boards.put(board, known.value)
    status, answer = api.call(
        "POST", f"/api/leaderboards/{board}/scores", {"player_id": "p", "score": 9_000}
    )
    assert (status, answer["code"]) == (503, "unavailable")
    forget(api.handlers)
    drain()
    assert api.rank(board, "p")["score"] == 5
