"""Segments: a submission feeds each window and its segments, and a player is in one of each."""

from collections.abc import Callable
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.conftest import Api, MovingClock
from tests.functional.failing import WatchedClient
from tests.functional.reads import get, post
from tests.functional.segments import check_reads, stored, submit

Drain = Callable[[], None]
DIMENSIONS = ["region", "mode"]
POLICIES = ("best", "latest", "sum")
EU, US = {"region": "eu"}, {"region": "us"}


def policy_of(policy: str) -> dict[str, Any]:
    """A config with dimensions."""
    return {"policy": policy, "dimensions": DIMENSIONS}


# --- What is fed -----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_a_submission_feeds_the_board_and_each_segment(
    api: Api,
    board: str,
    drain: Drain,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
) -> None:
    """Each window applies it by the board's policy; the answer lists the board's own first."""
    api.make_board(board, **policy_of(policy), windows=["all", "daily"])
    day = next(name for name in submit(api, board, "plain", 99, submission_id="x") if name != "all")
    both = {"mode": "duo", "region": "eu"}
    first = submit(api, board, "p", 50, achieved_at=1, submission_id="a", segments=both)
    assert list(first) == [
        "all",
        day,
        "all@region:eu",
        f"{day}@region:eu",
        "all@mode:duo",
        f"{day}@mode:duo",
    ]
    assert set(first.values()) == {("new", 50)}
    second = submit(api, board, "p", 20, achieved_at=2, submission_id="b", segments=EU)
    expected = {"best": ("kept", 50), "latest": ("replaced", 20), "sum": ("added", 70)}[policy]
    assert second == dict.fromkeys(("all", day, "all@region:eu", f"{day}@region:eu"), expected)
    for number in range(12):
        segments = {"region": ("eu", "us", "asia")[number % 3], "mode": "solo"}
        submit(api, board, f"q{number:02d}", number, submission_id="a", segments=segments)
    drain()
    standing = stored(dynamodb_client, table_names, board)
    assert standing["all@mode:duo"] == {"p": 50}
    check_reads(api, board, standing, [*standing, "all@mode:nobody", f"{day}@region:mars"])


@pytest.mark.parametrize("policy", POLICIES)
def test_another_value_moves_the_player(
    api: Api,
    board: str,
    drain: Drain,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
) -> None:
    """The item in the old segment goes; the new one holds what was submitted with it."""
    api.make_board(board, **policy_of(policy))
    submit(api, board, "p", 50, achieved_at=1, submission_id="a", segments=EU | {"mode": "duo"})
    drain()
    moved = submit(api, board, "p", 20, achieved_at=2, submission_id="b", segments=US)
    whole = {"best": ("kept", 50), "latest": ("replaced", 20), "sum": ("added", 70)}[policy]
    assert moved == {"all": whole, "all@region:us": ("new", 20)}
    plain = submit(api, board, "p", 10, achieved_at=3, submission_id="c")
    assert set(plain) == {"all"}
    drain()
    standing = stored(dynamodb_client, table_names, board)
    assert standing == {
        "all": {"p": {"best": 50, "latest": 10, "sum": 80}[policy]},
        "all@region:us": {"p": 20},
        "all@mode:duo": {"p": 50},
    }
    check_reads(api, board, standing, [*standing, "all@region:eu"])
    back = submit(api, board, "p", 5, achieved_at=4, submission_id="d", segments=EU)
    assert back["all@region:eu"] == ("new", 5)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_worse_result_still_moves_the_player(
    api: Api,
    board: str,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
) -> None:
    """Where the window keeps its record, only what it says of segments is written."""
    api.make_board(board, **policy_of(policy))
    submit(api, board, "p", 50, achieved_at=9, submission_id="a", segments=EU)
    before = _item(dynamodb_client, table_names, board, "all")
    submit(api, board, "p", 20, achieved_at=1, submission_id="b", segments=US)
    after = _item(dynamodb_client, table_names, board, "all")
    if policy != "sum":
        assert after.pop("segments") != before.pop("segments")
        assert after == before
    assert set(stored(dynamodb_client, table_names, board)) == {"all", "all@region:us"}


def _item(client: DynamoDBClient, tables: TableNames, board: str, window: str) -> dict[str, Any]:
    key = {names.PK: {"S": f"{board}#{window}#p"}}
    return dict(client.get_item(TableName=tables.scores, Key=key, ConsistentRead=True)["Item"])


def test_what_changes_nothing_writes_nothing(api: Api, board: str, client: WatchedClient) -> None:
    """A worse result with the segments that are known is read, and that is all."""
    api.make_board(board, **policy_of("best"))
    submit(api, board, "p", 50, segments=EU)
    client.restart()
    assert submit(api, board, "p", 20, segments=EU) == {
        "all": ("kept", 50),
        "all@region:eu": ("kept", 50),
    }
    assert client.operations() == ["batch_get_item"]


def test_without_segments_a_submission_costs_what_it_did(
    api: Api, board: str, client: WatchedClient
) -> None:
    """One conditional write a window, on a board with dimensions or without."""
    for number, config in enumerate(({}, {"dimensions": DIMENSIONS})):
        name = f"{board}-{number}"
        api.make_board(name, **config)
        submit(api, name, "p", 1, segments=EU) if config else submit(api, name, "p", 1)
        client.restart()
        submit(api, name, "p", 2)
        submit(api, name, "p", 3, segments={})
        assert client.operations() == ["get_item", "update_item"] * 2, "a flag, a record"


def test_only_the_segment_improves(
    api: Api, board: str, dynamodb_client: DynamoDBClient, table_names: TableNames
) -> None:
    """The window's better record came without a segment, and stays untouched."""
    api.make_board(board, **policy_of("best"))
    submit(api, board, "p", 10, segments=EU)
    submit(api, board, "p", 90)
    assert submit(api, board, "p", 50, segments=EU) == {
        "all": ("kept", 90),
        "all@region:eu": ("improved", 50),
    }
    standing = stored(dynamodb_client, table_names, board)
    assert standing == {"all": {"p": 90}, "all@region:eu": {"p": 50}}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_repeat_is_answered_alike(
    api: Api, board: str, client: WatchedClient, moving_clock: MovingClock, policy: str
) -> None:
    """With an id, or with its time, each window says what it said; nothing is written."""
    api.make_board(board, **policy_of(policy))
    for number, more in enumerate(({"submission_id": "a"}, {"achieved_at": 5})):
        if policy == "sum":
            more |= {"submission_id": "a"}
        for score, segments in ((10, EU), (20, EU), (30, US)):
            if "submission_id" in more:
                more["submission_id"] = f"id-{score}"
            else:
                more["achieved_at"] = score
            first = submit(api, board, f"p{number}", score, segments=segments, **more)
            moving_clock.advance(seconds=1)
            client.restart()
            again = submit(api, board, f"p{number}", score, segments=segments, **more)
            assert again == first
            assert client.writes() == []


def test_a_closed_season_says_so_for_its_segments(api: Api, board: str, clock: Clock) -> None:
    """What is closed is no window that the submission feeds."""
    seasons = [{"season": f"s{n}", "start": 1_000, "end": 1_767_225_600_000 + n} for n in range(9)]
    clock("2026-11-30T12:00")
    api.make_board(board, **policy_of("best"), windows=["all", *seasons])
    answer = submit(api, board, "p", 1, segments=EU)
    assert answer["all@region:eu"] == ("new", 1)
    assert answer["s:s3"] == answer["s:s3@region:eu"] == ("closed", None)


def test_a_batch_feeds_segments(
    api: Api,
    board: str,
    drain: Drain,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
) -> None:
    """Each on its own, those of one player in order; a bad one spoils no other."""
    api.make_board(board, **policy_of("best"))
    entries: list[dict[str, Any]] = [
        {"player_id": f"p{n % 7}", "score": n, "segments": {"region": f"r{n % 3}"}}
        for n in range(40)
    ]
    entries[5]["segments"] = {"clan": "x"}
    entries[6]["segments"] = {"region": 5}
    results = post(api, board, "/scores/batch", {"scores": entries})["results"]
    assert [one["status"] for one in results] == [422 if n in (5, 6) else 200 for n in range(40)]
    assert results[5]["errors"][0]["field"] == "segments.clan"
    assert results[6]["errors"][0]["field"] == "segments.region"
    drain()
    standing = stored(dynamodb_client, table_names, board)
    last = {f"p{n % 7}": (n, f"r{n % 3}") for n in range(40)}
    for player, (_, region) in last.items():
        assert player in standing[f"all@region:{region}"]
    check_reads(api, board, standing, [*standing])


def test_a_submission_is_ranked_in_each_window(api: Api, board: str, drain: Drain) -> None:
    """Where it moves its player, too: in the new segment among those who are there."""
    api.make_board(board, **policy_of("best"), layout={"levels": 3})
    for number in range(9):
        submit(api, board, f"p{number}", 100 * number, segments={"region": "eu"})
    submit(api, board, "q", 50, segments=US)
    drain()
    answer = api.submit(board, "p8", 20, segments=US | {"mode": "duo"})
    found = {
        name: (one["window"], one["score"], one["rank"], one["population"])
        for name, one in answer["windows"].items()
    }
    assert found == {
        "all": ("all", 800, 1, 10),
        "all@region:us": ("all@region:us", 20, 2, 2),
        "all@mode:duo": ("all@mode:duo", 20, 1, 1),
    }
    assert (answer["outcome"], answer["score"], answer["rank"]) == ("kept", 800, 1)


@pytest.mark.parametrize("policy", POLICIES)
def test_odd_players_and_the_ends_of_64_bits(
    api: Api,
    board: str,
    drain: Drain,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
) -> None:
    """Ids that look like names of segments are ids; no score is too large to be moved."""
    ends = [-(2**63), 2**63 - 1]
    layout = {"levels": 3, "index_shards": 3}
    api.make_board(board, **policy_of(policy), score_range=ends, layout=layout)
    players = ["all@region:eu", "@", "region:eu", "'\"\u00e9\U0001f600", " ", "p"]
    for number, player in enumerate(players):
        for place, segments in enumerate((EU, {"region": "9-9"}, {"mode": "-"})[: number % 3 + 1]):
            score = ends[number % 2] if place == 0 else 0
            submit(api, board, player, score, submission_id=f"{place}", segments=segments)
    drain()
    standing = stored(dynamodb_client, table_names, board)
    assert set(standing) == {"all", "all@region:eu", "all@region:9-9", "all@mode:-"}
    for name, right in standing.items():
        page = get(api, board, "/top", window=name)
        assert {one["player_id"]: one["score"] for one in page["entries"]} == right
        assert page["population"] == len(right)
        spread = get(api, board, "/distribution", window=name)["buckets"]
        assert sum(one["count"] for one in spread) == len(right)


@pytest.mark.parametrize("policy", POLICIES)
def test_where_every_window_is_closed_nothing_is_stored(
    api: Api, board: str, clock: Clock, client: WatchedClient, policy: str
) -> None:
    """409, with segments as without."""
    clock("2026-11-30T12:00")
    season = {"season": "one", "start": 1_000, "end": 2_000}
    api.make_board(board, **policy_of(policy), windows=[season])
    client.restart()
    body = {"player_id": "p", "score": 1, "submission_id": "a", "segments": EU}
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores", body)
    assert (status, answer["code"]) == (409, "windows_closed")
    assert client.writes() == []


# --- Limits and bad input --------------------------------------------------------------------


def test_a_submission_feeds_eight_windows_of_segments_at_most(
    api: Api, board: str, dynamodb_client: DynamoDBClient, table_names: TableNames
) -> None:
    """Dimensions named times windows open; the ninth is refused, and nothing is stored."""
    dimensions = [f"d{n}" for n in range(8)]
    api.make_board(board, dimensions=dimensions, windows=["all", "daily", "weekly"])
    named = dict.fromkeys(dimensions[:3], "x")
    body = {"player_id": "p", "score": 1, "segments": named}
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores", body)
    assert (status, answer["errors"][0]["field"]) == (422, "segments")
    assert stored(dynamodb_client, table_names, board) == {}
    assert len(submit(api, board, "p", 1, segments={"d0": "x", "d1": "x"})) == 9
    api.make_board(f"{board}-2", dimensions=dimensions)
    assert len(submit(api, f"{board}-2", "p", 1, segments=dict.fromkeys(dimensions, "x"))) == 9


@pytest.mark.parametrize(
    ("segments", "field"),
    [
        ({"clan": "x"}, "segments.clan"),
        ({"region": "EU"}, "segments.region"),
        ({"region": ""}, "segments.region"),
        ({"region": "a" * 33}, "segments.region"),
        ({"region": "eu#all"}, "segments.region"),
        ({"region": None}, "segments.region"),
        ({"region": ["eu"]}, "segments.region"),
        ("region:eu", "segments"),
        ([], "segments"),
    ],
)
def test_bad_segments_are_refused(api: Api, board: str, segments: Any, field: str) -> None:
    """422, and the field is named."""
    api.make_board(board, **policy_of("best"))
    body = {"player_id": "p", "score": 1, "segments": segments}
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores", body)
    assert (status, [one["field"] for one in answer["errors"]]) == (422, [field])
    assert get(api, board, "/top")["entries"] == []


ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/top", None),
    ("GET", "/players/p/rank", None),
    ("GET", "/players/p/around", None),
    ("GET", "/standing?rank=1", None),
    ("GET", "/distribution", None),
    ("POST", "/friends", {"player_id": "p", "friend_ids": ["q"]}),
    ("POST", "/ranks", {"scores": [5]}),
]


@pytest.mark.parametrize(("method", "route", "body"), ROUTES)
def test_every_read_takes_a_segment(
    api: Api, board: str, drain: Drain, method: str, route: str, body: Any
) -> None:
    """By name beside any window; one with nobody is empty, one that cannot be is refused."""
    api.make_board(board, **policy_of("best"), windows=["all", "daily"])
    for player, segments in (("p", EU), ("q", US), ("r", EU)):
        submit(api, board, player, 5 + ord(player), segments=segments)
    drain()
    route, _, text = route.partition("?")
    base = dict(one.split("=") for one in text.split("&") if one)

    def read(**query: str) -> tuple[int, Any]:
        path = f"/api/leaderboards/{board}{route}"
        return api.call(method, path, body, query=base | query)

    in_name = read(window="all@region:eu")
    assert in_name[0] == 200
    assert read(segment="region:eu") == read(segment="region:eu", window="all") == in_name
    assert read(segment="region:us")[1] != in_name[1]
    assert read(segment="region:eu", window="daily")[0] == 200
    assert read(segment="region:mars")[0] == 200
    for bad in ("clan:x", "region", "region:", "region:EU", "region:eu:us", "@", "", "région:eu"):
        status, answer = read(segment=bad)
        assert (status, answer["errors"][0]["field"]) == (422, "segment"), bad
    status, answer = read(window="all@region:eu", segment="region:eu")
    assert (status, answer["errors"][0]["field"]) == (422, "segment")
    for bad in ("all@clan:x", "all@region", "all@", "@region:eu", "s:x@region:eu", "hourly@mode:a"):
        status, answer = read(window=bad)
        assert (status, answer["code"]) == (404, "window_not_found"), bad


def test_a_segment_with_nobody_is_empty(api: Api, board: str) -> None:
    """A value that nobody ever named is no error."""
    api.make_board(board, **policy_of("best"))
    submit(api, board, "p", 5, segments=EU)
    asked = {"segment": "region:mars"}
    assert get(api, board, "/top", **asked) == {
        "entries": [],
        "next_cursor": None,
        "population": 0,
        "as_of": None,
    }
    answer = get(api, board, "/players/p/rank", **asked)
    assert (answer["kind"], answer["window"]) == ("unranked", "all@region:mars")


def test_a_cursor_is_of_its_segment(api: Api, board: str) -> None:
    """It goes on in the segment, and is refused anywhere else."""
    api.make_board(board, **policy_of("best"))
    for number in range(5):
        submit(api, board, f"p{number}", number, segments=EU)
    page = get(api, board, "/top", segment="region:eu", limit=2)
    rest = get(api, board, "/top", window="all@region:eu", cursor=page["next_cursor"])
    assert [one["player_id"] for one in rest["entries"]] == ["p2", "p1", "p0"]
    for query in ({}, {"segment": "region:us"}, {"segment": "mode:eu"}):
        asked = {"cursor": page["next_cursor"], **query}
        status, answer = api.call("GET", f"/api/leaderboards/{board}/top", query=asked)
        assert (status, answer["code"]) == (400, "invalid_cursor")


# --- Dimensions of a board -------------------------------------------------------------------


def test_a_live_board_takes_dimensions_on_and_keeps_them(api: Api, board: str) -> None:
    """Players who came before are moved as if they had been in no segment."""
    api.make_board(board)
    submit(api, board, "p", 50)
    path = f"/api/admin/leaderboards/{board}"
    status, answer = api.call("PUT", path, {"dimensions": ["region"]})
    assert (status, answer["dimensions"]) == (200, ["region"])
    for function in (names.SUBMIT, names.READ):
        api.handlers[function].connection.forget()
    assert submit(api, board, "p", 20, segments=EU)["all@region:eu"] == ("new", 20)
    assert get(api, board, "")["dimensions"] == ["region"]
    assert [one["window"] for one in get(api, board, "")["windows"]] == ["all"]
    status, answer = api.call("PUT", path, {"dimensions": ["mode"]})
    assert (status, answer["code"]) == (409, "board_exists")
    assert "dimensions" in answer["detail"]


@pytest.mark.parametrize(
    "dimensions", [["a", "a"], ["A"], [""], [5], "a", [f"d{n}" for n in range(9)]]
)
def test_bad_dimensions_are_refused(api: Api, board: str, dimensions: Any) -> None:
    """422, and no board is made."""
    path = f"/api/admin/leaderboards/{board}"
    status, answer = api.call("PUT", path, {"dimensions": dimensions})
    assert (status, answer["errors"][0]["field"].partition(".")[0]) == (422, "dimensions")
    assert api.call("GET", path)[0] == 404
