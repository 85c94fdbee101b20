"""What a live board may change, and what becomes of two who change it at once."""

from typing import Any

import pytest

from tests.functional.failing import UNAVAILABLE, WatchedClient

CHANGES: dict[str, Any] = {
    "display_name": "Arena",
    "description": "Who is best",
    "top_exact": 7,
    "exact_limit": 500,
    "count_limit": 9,
    "windows": ["all", "daily", {"season": "spring", "start": 1, "end": 4_000_000_000_000}],
    "time_zone": "Europe/Berlin",
    "retention_days": 30,
    "grace_seconds": 60,
}


def path_of(board: str) -> str:
    """The admin path of a board."""
    return f"/api/admin/leaderboards/{board}"


@pytest.mark.parametrize("field", CHANGES)
def test_a_live_board_takes_a_change(api: Any, board: str, field: str) -> None:
    """Each field that may change does, alone, with the version going on; and is read so."""
    made = api.make_board(board)
    status, answer = api.call("PUT", path_of(board), {field: CHANGES[field]})
    assert status == 200
    assert answer == made | {field: CHANGES[field], "version": 2}
    assert api.call("GET", path_of(board)) == (200, answer)


def test_the_same_config_writes_nothing(api: Any, board: str, client: WatchedClient) -> None:
    """What stands already is answered as it stands, without a write."""
    made = api.make_board(board, **CHANGES)
    client.restart()
    assert api.call("PUT", path_of(board), CHANGES) == (200, made)
    assert client.operations() == ["get_item"]


def test_a_change_from_another_version_is_refused(api: Any, board: str) -> None:
    """Only a change made from the version that stands is taken, or one sent again."""
    api.make_board(board)
    first = {"display_name": "a", "version": 1}
    assert api.call("PUT", path_of(board), first)[0] == 200
    assert api.call("PUT", path_of(board), first)[1]["version"] == 2  # its own, sent again
    for version in (0, 1, 3, -1, 2**62):
        wrong = {"display_name": "b", "version": version}
        status, answer = api.call("PUT", path_of(board), wrong)
        assert (status, answer["code"]) == (409, "version_conflict")
    status, answer = api.call("PUT", path_of(board), {"display_name": "a", "version": 3})
    assert (status, answer["code"]) == (409, "version_conflict")
    assert api.call("GET", path_of(board))[1]["display_name"] == "a"


def test_a_change_makes_no_board(api: Any, board: str) -> None:
    """Who names a version means a board that stands; where there is none, none is made."""
    status, answer = api.call("PUT", path_of(board), {"version": 1})
    assert (status, answer["code"]) == (409, "version_conflict")
    assert api.call("GET", path_of(board))[0] == 404


def test_of_two_changes_at_once_one_is_taken(
    api: Any, board: str, client: WatchedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that was made between another's read and write refuses the other."""
    api.make_board(board)
    real, answers = client._client.put_item, []

    def put_second_first(**parameters: Any) -> Any:
        monkeypatch.setattr(client._client, "put_item", real)
        answers.append(api.call("PUT", path_of(board), {"display_name": "second"}))
        return real(**parameters)

    monkeypatch.setattr(client._client, "put_item", put_second_first)
    status, answer = api.call("PUT", path_of(board), {"display_name": "first"})
    assert (status, answer["code"]) == (409, "version_conflict")
    assert [(code, body["version"]) for code, body in answers] == [(200, 2)]
    assert api.call("GET", path_of(board))[1]["display_name"] == "second"


@pytest.mark.parametrize(("other", "status"), [({}, 200), ({"order": "asc"}, 409)])
def test_of_two_who_make_a_board_at_once_one_makes_it(
    api: Any,
    board: str,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
    other: dict[str, Any],
    status: int,
) -> None:
    """The other one finds it made, or is refused where it wanted another board."""
    real, answers = client._client.put_item, []

    def put_second_first(**parameters: Any) -> Any:
        monkeypatch.setattr(client._client, "put_item", real)
        answers.append(api.call("PUT", path_of(board), other)[0])
        return real(**parameters)

    monkeypatch.setattr(client._client, "put_item", put_second_first)
    assert api.call("PUT", path_of(board), {})[0] == status
    assert answers == [201]


def test_a_new_limit_counts_at_once_it_is_known(api: Any, drain: Any, board: str) -> None:
    """Ranks follow a changed config as soon as its cache has lapsed."""
    api.make_board(board, top_exact=1, exact_limit=1, count_limit=1, layout={"levels": 1})
    api.submit_all(board, {f"p{i}": 1_000 for i in range(9)})
    drain()
    assert api.rank(board, "p8")["kind"] == "estimated"
    layout = {"levels": 1}
    assert api.call("PUT", path_of(board), {"layout": layout})[0] == 200
    drain()
    assert api.rank(board, "p8")["rank"] == 9


@pytest.mark.parametrize("after", [False, True], ids=["refused", "reply lost"])
@pytest.mark.parametrize("operation", ["get_item", "put_item"])
def test_a_change_that_was_half_heard_of_is_made_once(
    api: Any, board: str, client: WatchedClient, operation: str, *, after: bool
) -> None:
    """Whichever call fails, before or after it took effect, the repeat is the change."""
    api.make_board(board)
    body = {"display_name": "a", "version": 1}
    client.fail(UNAVAILABLE["503"], lambda call: call.operation == operation, after=after)
    assert api.call("PUT", path_of(board), body)[0] == 503
    client.restart()
    status, answer = api.call("PUT", path_of(board), body)
    assert (status, answer["version"], answer["display_name"]) == (200, 2, "a")


def test_a_put_that_is_sent_twice_below_us_is_one(
    api: Any, board: str, client: WatchedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that repeats a put whose reply was lost finds its own, and all is well."""
    real = client._client.put_item

    def twice(**parameters: Any) -> Any:
        real(**parameters)
        return real(**parameters)

    monkeypatch.setattr(client._client, "put_item", twice)
    assert api.call("PUT", path_of(board), {})[0] == 201
    assert api.call("PUT", path_of(board), {"display_name": "a"})[1]["version"] == 2
