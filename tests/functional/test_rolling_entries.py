"""Entries that expire: to whoever submits or asks they are gone at once, swept or not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.expiry import MAX_ENTRY_TTL_SECONDS
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.conftest import Api
from tests.functional.failing import UNAVAILABLE, WatchedClient
from tests.functional.reads import get
from tests.functional.rolling import GONE, LAST, LATER, NOON, TTL, agrees, expire, unranked
from tests.instants import ms

POLICIES = {"best": "improved", "latest": "replaced"}
Drain = Callable[[], None]
ItemOf = Callable[..., dict[str, Any]]


@pytest.fixture
def rolling(api: Api, board: str, clock: Clock) -> Callable[..., str]:
    """Makes a board whose entries stand for an hour, at noon."""

    def make(**config: Any) -> str:
        clock(NOON)
        api.make_board(board, entry_ttl_seconds=TTL, **config)
        return board

    return make


@pytest.fixture
def item_of(dynamodb_client: DynamoDBClient, table_names: TableNames, board: str) -> ItemOf:
    """A player's score item as it stands."""

    def read(player: str, window: str = "all") -> dict[str, Any]:
        key = {names.PK: {"S": f"{board}#{window}#{player}"}}
        found = dynamodb_client.get_item(TableName=table_names.scores, Key=key, ConsistentRead=True)
        return dict(found.get("Item", {}))

    return read


def path_of(board: str) -> str:
    """The admin path of a board."""
    return f"/api/admin/leaderboards/{board}"


def change(api: Api, board: str, **fields: Any) -> tuple[int, Any]:
    """Changes some fields of a board, and keeps the rest."""
    _, standing = api.call("GET", path_of(board))
    left_out = ("board", "layouts", "layout", "version")
    kept = {name: value for name, value in standing.items() if name not in left_out}
    layout = {name: standing["layout"][name] for name in ("levels", "index_shards", "buckets")}
    return api.call("PUT", path_of(board), kept | {"layout": layout} | fields)


# --- Submits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("order", ["desc", "asc"])
def test_an_entry_stands_to_its_last_millisecond(
    api: Api, rolling: Callable[..., str], clock: Clock, policy: str, order: str
) -> None:
    """One before it is as old as the board keeps entries it holds its own; then it is absent."""
    board = rolling(policy=policy, order=order)
    better, worse = (50, 10) if order == "desc" else (10, 50)
    for player in ("ada", "bob"):
        api.submit(board, player, better)
    clock(LAST)
    assert not unranked(api, board, "ada")
    assert api.submit(board, "bob", worse, achieved_at=ms(NOON))["outcome"] == "kept"
    clock(GONE)
    assert unranked(api, board, "ada")
    assert unranked(api, board, "bob")
    answer = api.submit(board, "ada", worse, achieved_at=ms(NOON) + 1)
    assert (answer["outcome"], answer["score"]) == ("new", worse)
    assert not unranked(api, board, "ada")
    assert api.submit(board, "ada", better)["outcome"] == POLICIES[policy]


def test_the_whole_record_is_replaced(
    api: Api, rolling: Callable[..., str], clock: Clock, item_of: ItemOf
) -> None:
    """Nothing of an expired record stays behind, and the new one is in the expiry index."""
    board = rolling()
    api.submit(board, "ada", 50, metadata={"run": 1}, submission_id="one")
    first = item_of("ada")
    now = clock(GONE)
    api.submit(board, "ada", 5)
    item = item_of("ada")
    assert item["expiry_partition"] == first["expiry_partition"] == {"S": f"{board}#0"}
    assert not item.keys() & {"metadata", "submission_id"}
    assert (item["score"], item["achieved_at"]) == ({"N": "5"}, {"N": str(now)})


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("more", [{"submission_id": "again"}, {"achieved_at": ms(LATER) - 5}])
@pytest.mark.parametrize("score", [5, 99], ids=["worse", "better"])
@pytest.mark.parametrize("swept", [False, True])
def test_a_repeat_gets_the_outcome_that_the_first_try_got(
    api: Api,
    drain: Drain,
    rolling: Callable[..., str],
    clock: Clock,
    client: WatchedClient,
    policy: str,
    more: dict[str, Any],
    score: int,
    swept: bool,
) -> None:
    """New over an expired record, beaten or not, stays new, also when sent twice more."""
    board = rolling(policy=policy)
    api.submit(board, "ada", 50)
    clock(LATER)
    drain()
    if swept:
        assert expire(api)[board] == 1
        drain()
    body = {"player_id": "ada", "score": score, **more}
    client.fail(UNAVAILABLE["503"], lambda call: call.operation == "update_item", after=True)
    assert api.call("POST", f"/api/leaderboards/{board}/scores", body)[0] == 503
    client.restart()
    for _ in range(2):
        answer = api.submit(board, "ada", score, **more)
        assert (answer["outcome"], answer["score"]) == ("new", score)
        assert answer["windows"]["all"]["rank_range"][0] == 1
    drain()
    agrees(api, board, {"ada": score})
    then = more.get("achieved_at", ms(LATER)) + 1
    better = api.submit(board, "ada", 100, achieved_at=then, submission_id="better")
    assert better["outcome"] == POLICIES[policy]
    again = api.submit(board, "ada", 100, achieved_at=then, submission_id="better")
    assert again["outcome"] == POLICIES[policy]


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_the_rank_over_an_expired_record_holds_the_truth(
    api: Api, drain: Drain, rolling: Callable[..., str], clock: Clock, levels: int
) -> None:
    """The counters still hold the player where the expired record was; the range knows it."""
    limits = {"exact_limit": 8, "top_exact": 4, "count_limit": 2}
    board = rolling(score_range=[0, 9_999], layout={"levels": levels}, **limits)
    old = {f"p{i:02d}": 9_000 - 100 * i for i in range(10)}
    api.submit_all(board, old, achieved_at=ms(NOON))
    clock("2026-11-30T12:30")
    young = {f"q{i:02d}": 8_950 - 100 * i for i in range(50)}
    api.submit_all(board, young, achieved_at=ms("2026-11-30T12:30"))
    drain()
    clock(GONE)
    # Those of noon are in list and counters until they are swept: each renewed one is moved.
    shown = old | young
    for number, (player, score) in enumerate(
        [("p00", 5_060), ("p01", 6_860), ("p09", 8_960), ("p02", 8_799), ("p03", 0), ("p04", 4_001)]
    ):
        answer = api.submit(board, player, score, achieved_at=ms(GONE) + number)
        assert answer["outcome"] == "new"
        shown[player] = score
        place = sum(other > score for other in shown.values()) + 1
        ranked = answer["windows"]["all"]
        low, high = ranked["rank_range"]
        assert low <= place <= high <= ranked["population"] == 60, (player, place, ranked)
        drain()


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
def test_what_was_achieved_too_long_ago_is_refused(
    api: Api, rolling: Callable[..., str], policy: str
) -> None:
    """At the very cutoff 422 names the field; a millisecond later it is taken; also in a batch."""
    board = rolling(policy=policy)
    cutoff = ms(NOON) - TTL * 1_000
    body = {"player_id": "ada", "score": 5, "submission_id": "one"}
    path = f"/api/leaderboards/{board}/scores"
    for at in (cutoff, cutoff - 1, 0):
        status, answer = api.call("POST", path, body | {"achieved_at": at})
        assert (status, answer["code"]) == (422, "invalid_fields")
        problem = {"field": "achieved_at", "message": "Is older than this board keeps entries."}
        assert answer["errors"] == [problem]
    both = [body | {"achieved_at": cutoff}, body | {"achieved_at": cutoff + 1}]
    status, answer = api.call("POST", f"{path}/batch", {"scores": both})
    assert (status, [one["status"] for one in answer["results"]]) == (200, [422, 200])
    assert not unranked(api, board, "ada")


def test_each_window_is_judged_by_its_own_entry(
    api: Api, drain: Drain, rolling: Callable[..., str], clock: Clock
) -> None:
    """The best of all time has expired, the day's stands: new in one window, kept in the other."""
    board = rolling(windows=["all", "daily"])
    clock("2026-11-30T23:30")
    api.submit(board, "ada", 50)
    clock("2026-12-01T00:10")
    api.submit(board, "ada", 20)
    clock("2026-12-01T00:30")
    answer = api.submit(board, "ada", 10)
    outcomes = {window: one["outcome"] for window, one in answer["windows"].items()}
    assert outcomes == {"all": "new", "d2026-12-01": "kept"}
    assert unranked(api, board, "ada", window="d2026-11-30")
    drain()
    assert expire(api)[board] == 1
    drain()
    agrees(api, board, {"ada": 10})
    agrees(api, board, {"ada": 20}, "d2026-12-01")
    agrees(api, board, {}, "d2026-11-30")


# --- Sums ------------------------------------------------------------------------------------


def test_a_sum_starts_anew(
    api: Api, drain: Drain, rolling: Callable[..., str], clock: Clock
) -> None:
    """An hour after the last addition; until then each one keeps the whole sum alive."""
    board = rolling(policy="sum", windows=["all", "daily"])
    api.submit(board, "ada", 10, submission_id="one")
    clock(LAST)
    assert api.submit(board, "ada", 5, submission_id="two")["outcome"] == "added"
    clock("2026-11-30T13:30")
    late = {"achieved_at": ms(LAST) - 7}  # keeps nothing alive
    assert api.submit(board, "ada", 1, submission_id="three", **late)["score"] == 16
    clock("2026-11-30T13:59:59.998")
    assert not unranked(api, board, "ada")
    clock("2026-11-30T13:59:59.999")
    assert unranked(api, board, "ada")
    repeat = api.submit(board, "ada", 5, submission_id="two")
    assert (repeat["outcome"], repeat["score"], repeat["rank"]) == ("duplicate", 15, None)
    answer = api.submit(board, "ada", 3, submission_id="four")
    assert (answer["outcome"], answer["score"]) == ("new", 3)
    assert api.submit(board, "ada", 3, submission_id="four")["windows"]["all"]["outcome"] == "new"
    drain()
    assert expire(api)[board] == 0
    for window in ("all", "d2026-11-30"):
        agrees(api, board, {"ada": 3}, window)


def test_a_sum_that_is_swept_while_it_is_added_to_starts_anew(
    api: Api,
    drain: Drain,
    rolling: Callable[..., str],
    clock: Clock,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The transaction finds something else than was read, and is made again on what stands."""
    board = rolling(policy="sum")
    api.submit(board, "ada", 10, submission_id="one")
    clock(GONE)
    real, removed = client._client.transact_write_items, []

    def sweep_first(**parameters: Any) -> Any:
        if not removed:
            removed.append(expire(api)[board])
        return real(**parameters)

    monkeypatch.setattr(client._client, "transact_write_items", sweep_first)
    answer = api.submit(board, "ada", 3, submission_id="two")
    assert (removed, answer["outcome"], answer["score"]) == ([1], "new", 3)
    drain()
    agrees(api, board, {"ada": 3})


# --- Changes of the config -------------------------------------------------------------------


def test_a_limit_of_age_is_raised_lowered_and_dropped_at_once(
    api: Api, drain: Drain, rolling: Callable[..., str], clock: Clock, item_of: ItemOf
) -> None:
    """No item is rewritten: what a new limit spares stands again, what it does not is gone."""
    board = rolling()
    api.submit(board, "ada", 50)
    before = item_of("ada")
    for seconds, is_gone in ((MAX_ENTRY_TTL_SECONDS, False), (60, True), (TTL + 1, False)):
        assert change(api, board, entry_ttl_seconds=seconds)[0] == 200
        clock(GONE)
        assert unranked(api, board, "ada") is is_gone
    assert item_of("ada") == before
    assert expire(api)[board] == 0
    assert change(api, board, entry_ttl_seconds=None)[0] == 200
    clock("2027-11-30T13:00")
    assert not unranked(api, board, "ada")
    assert board not in expire(api)
    assert api.submit(board, "ada", 5, achieved_at=0)["outcome"] == "kept"
    api.submit(board, "ada", 60)
    api.submit(board, "bob", 5, achieved_at=1)
    for player in ("ada", "bob"):
        assert not item_of(player).keys() & {"expiry_partition", "replaced_left_ms"}
    drain()  # the records of both, written before and after, are read under the config of now
    tables = api.handlers[names.READ].connection.tables()
    assert tables.board(board).config.entry_ttl_seconds is None
    assert get(api, board, "/distribution")["population"] == 2


def test_a_board_whose_entries_never_expired_cannot_begin(api: Api, board: str) -> None:
    """409 says why and what to do instead, also after it was dropped."""
    api.make_board(board)
    for _ in range(2):
        status, answer = change(api, board, entry_ttl_seconds=60)
        assert (status, answer["code"]) == (409, "board_exists")
        assert "Make another board with it, and import this one's export." in answer["detail"]
        api.call("DELETE", path_of(board))
        board = f"{board}-2"
        api.make_board(board, entry_ttl_seconds=60)
        assert change(api, board, entry_ttl_seconds=None)[0] == 200


@pytest.mark.parametrize("seconds", [59, 0, -1, MAX_ENTRY_TTL_SECONDS + 1, 60.0, "60", True, 2**63])
def test_a_limit_of_age_out_of_range_is_refused(api: Api, board: str, seconds: Any) -> None:
    """A minute to ten years, in whole seconds."""
    text = json.dumps({"entry_ttl_seconds": seconds})
    status, answer = api.call("PUT", path_of(board), raw=text)
    assert (status, answer["errors"][0]["field"]) == (422, "entry_ttl_seconds")


def test_a_board_made_again_has_a_limit_of_its_own(
    api: Api,
    drain: Drain,
    rolling: Callable[..., str],
    clock: Clock,
    remake: Callable[[str], None],
    item_of: ItemOf,
) -> None:
    """What the former life left is removed like anything expired, and counts nothing."""
    board = rolling()
    api.submit_all(board, {"ada": 50, "bob": 40}, achieved_at=ms(NOON))
    drain()
    remake(board)
    clock("2026-11-30T12:30")
    assert api.submit(board, "ada", 5)["outcome"] == "new"
    clock(GONE)
    assert expire(api)[board] == 1
    assert item_of("bob") == {}
    drain()
    agrees(api, board, {"ada": 5})
