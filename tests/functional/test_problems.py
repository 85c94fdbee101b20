"""Requests that are wrong: each is told what is wrong, and none changes anything."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from lambdas.domain.players import RULE
from ops.rig.events import http_event
from tests.functional.failing import WatchedClient
from tests.functional.refusals import GOOD, KIB_256, Refused, submit_body

# --- Fields of a submission ------------------------------------------------------------------

NUMBERS = {
    "a fraction": "0.1",
    "a whole float": "1.0",
    "an exponent": "1e3",
    "too large for a float": "1e400",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "5,000 digits": "9" * 5_000,
    "above 64 bits": str(2**63),
    "below 64 bits": str(-(2**63) - 1),
    "true": "true",
    "text": '"5"',
    "null": "null",
    "a list": "[5]",
    "an object": "{}",
    "above the range": "1000000000001",
    "below the range": "-1",
}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_a_score_is_an_integer_of_the_range(refused: Refused, shared: str, number: str) -> None:
    """Nothing but a JSON integer inside the board's range is a score."""
    body = f'{{"player_id":"p","score":{number}}}'
    path = f"/api/leaderboards/{shared}/scores"
    problem = refused(422, "invalid_fields", "POST", path, body=body)
    assert [error["field"] for error in problem["errors"]] == ["score"]


FIELDS = {
    "no score": ({"player_id": "p"}, ["score"]),
    "no player": ({"score": 5}, ["player_id"]),
    "neither": ({}, ["player_id", "score"]),
    "unknown field": ({"player_id": "p", "score": 5, "extra": 1}, ["extra"]),
    "player of another type": ({"player_id": 5, "score": 5}, ["player_id"]),
    "no player but null": ({"player_id": None, "score": 5}, ["player_id"]),
    "time of another type": ({"player_id": "p", "score": 5, "achieved_at": 1.5}, ["achieved_at"]),
    "time far ahead": ({"player_id": "p", "score": 5, "achieved_at": 2**62}, ["achieved_at"]),
    "time of 5,000 digits": (
        {"player_id": "p", "score": 5, "achieved_at": 10**39},
        ["achieved_at"],
    ),
    "two at once": (
        {"player_id": "p", "score": -1, "achieved_at": -1, "submission_id": ""},
        ["score", "achieved_at", "submission_id"],
    ),
    "metadata of another type": ({"player_id": "p", "score": 5, "metadata": "x"}, ["metadata"]),
    "half a pair in metadata": (
        {"player_id": "p", "score": 5, "metadata": {"a": "\ud800"}},
        ["metadata"],
    ),
    "half a pair as a key": (
        {"player_id": "p", "score": 5, "metadata": {"\udfff": 1}},
        ["metadata"],
    ),
    "half a pair in the submission id": (
        {"player_id": "p", "score": 5, "submission_id": "\ud800"},
        ["submission_id"],
    ),
    "half a pair as a field": ({"player_id": "p", "score": 5, "\ud800": 1}, ["body"]),
    "infinite metadata": (
        {"player_id": "p", "score": 5, "metadata": {"a": float("inf")}},
        ["metadata"],
    ),
    "metadata that is no number": (
        {"player_id": "p", "score": 5, "metadata": {"a": float("nan")}},
        ["metadata"],
    ),
}


@pytest.mark.parametrize(("body", "fields"), FIELDS.values(), ids=FIELDS)
def test_each_wrong_field_is_named(
    refused: Refused, shared: str, body: dict[str, Any], fields: list[str]
) -> None:
    """The answer says which fields are wrong, all of them at once."""
    path = f"/api/leaderboards/{shared}/scores"
    problem = refused(422, "invalid_fields", "POST", path, body=json.dumps(body))
    assert [error["field"] for error in problem["errors"]] == fields
    assert all(error["message"] for error in problem["errors"])


# --- Player ids ------------------------------------------------------------------------------

BROKEN_IDS = {
    **{f"holds {character}": f"a{character}b" for character in "/?%#\\"},
    **{f"is {character}": character for character in "/?%#\\"},
    **{f"control {ord(c):02x}": f"a{c}" for c in "\0\x01\t\n\r\x1b\x1f\x7f\x80\x85\x9f"},
    "empty": "",
    "dot": ".",
    "dot dot": "..",
    "257 bytes": "a" * 257,
    "257 bytes of pairs": "é" * 128 + "a",
    "half a pair": "\ud800",
    "the other half": "a\udfff",
}


@pytest.mark.parametrize("player", BROKEN_IDS.values(), ids=BROKEN_IDS)
def test_an_id_that_breaks_the_rule_is_refused_with_the_rule(
    refused: Refused, shared: str, player: str
) -> None:
    """What could be stored and never be read again is not stored, and the rule is told."""
    body, path = submit_body(player_id=player), f"/api/leaderboards/{shared}/scores"
    problem = refused(400, "invalid_player_id", "POST", path, body=body)
    assert RULE in problem["detail"]


@pytest.mark.parametrize("player", ["a%23b", "%5C", "%3F", "%25", "%00", ".", "..", "a" * 257])
def test_an_id_that_breaks_the_rule_is_refused_in_a_path(
    refused: Refused, shared: str, player: str
) -> None:
    """Nobody can have such an id, so a read of it is a mistake, not an unranked player."""
    path = f"/api/leaderboards/{shared}/players/{player}/rank"
    problem = refused(400, "invalid_player_id", "GET", path)
    assert RULE in problem["detail"]


ORDINARY_IDS = [
    *(f"a{character}b" for character in " +@&\"'~<>|^`{}[]=;:,*!$().-_"),
    *"+@&\"'~<>|^`{}[]=;:,*!$()-_",
    " ",
    " leading and trailing ",
    "...",
    ".hidden",
    "null",
    "José Ñandú",
    "プレイヤー一号",
    "\N{GRINNING FACE}\N{ZERO WIDTH JOINER}\N{ROCKET}",
    "\N{NO-BREAK SPACE}\N{LINE SEPARATOR}\N{RIGHT-TO-LEFT OVERRIDE}",
    "\ufffe\U0010ffff",
    "e\N{COMBINING ACUTE ACCENT}",
    "a" * 256,
    "é" * 128,
    "\U0010ffff" * 64,
    "Dr. Strangelove or: How I Learned to Stop Worrying & Love the Bomb (1964)!",
    "<script>alert('x')</script>".replace("/", "|"),
    "'; DROP TABLE Scores; --",
]


def test_every_other_id_is_an_ordinary_one(api: Any, drain: Callable[[], None], board: str) -> None:
    """Submitted, listed, and found again by a percent-encoded path, counted or not."""
    api.make_board(board, layout={"levels": 6}, top_exact=1, exact_limit=2_000)
    scores = {player: 1_000 + rank for rank, player in enumerate(ORDINARY_IDS)}
    assert len(scores) == len(ORDINARY_IDS)
    api.submit_all(board, scores)
    _, top = api.call("GET", f"/api/leaderboards/{board}/top")
    assert [entry["player_id"] for entry in top["entries"]] == ORDINARY_IDS[::-1]
    for _ in range(2):
        for place, player in enumerate(ORDINARY_IDS[::-1], start=1):
            answer = api.rank(board, quote(player, safe=""))
            assert (answer["player_id"], answer["rank"]) == (player, place)
        drain()


# --- What there is not -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "board", ["never-made", "UPPER", "a" * 65, "a%23b", "caf%C3%A9", "%20", "a_b"]
)
def test_an_unknown_board_is_404(api: Any, client: WatchedClient, board: str) -> None:
    """On every route that names a board; an id that no board can have is not even looked up."""
    routes = [
        ("GET", f"/api/leaderboards/{board}/top", None),
        ("GET", f"/api/leaderboards/{board}/players/p/rank", None),
        ("POST", f"/api/leaderboards/{board}/scores", {"player_id": "p", "score": 5}),
        ("POST", f"/api/leaderboards/{board}/scores/batch", {"scores": [1]}),
        ("GET", f"/api/admin/leaderboards/{board}", None),
    ]
    for method, path, body in routes:
        status, answer = api.call(method, path, body)
        assert (status, answer["code"]) == (404, "board_not_found"), path
    assert not client.writes()
    assert bool(client.calls) == (board == "never-made")


def test_an_unknown_player_is_unranked(api: Any, board: str) -> None:
    """A player who never scored is no error: there is a rank answer, without a rank."""
    api.make_board(board)
    api.submit(board, "p", 5)
    answer = api.rank(board, "nobody")
    assert (answer["kind"], answer["rank"], answer["score"]) == ("unranked", None, None)


@pytest.mark.parametrize("window", ["d2026-11-30", "", "ALL", "all#1", "é", "a,b"])
@pytest.mark.parametrize("route", ["top", "players/p/rank"])
def test_an_unknown_window_is_404(refused: Refused, shared: str, route: str, window: str) -> None:
    """A window that the board has not is named in the answer."""
    path = f"/api/leaderboards/{shared}/{route}"
    problem = refused(404, "window_not_found", "GET", path, query={"window": window})
    assert window.partition(",")[0] in problem["detail"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/api"),
        ("GET", "/api/leaderboards"),
        ("POST", "/api/leaderboards/refused-requests/top"),
        ("GET", "/api/leaderboards/refused-requests/top/"),
        ("GET", "/api/leaderboards/refused-requests/scores"),
        ("DELETE", "/api/admin/leaderboards"),
        ("GET", "/api/leaderboards/refused-requests/players//rank"),
        ("GET", "/api/leaderboards/refused-requests/players/a/b/rank"),
        ("PATCH", "/api/admin/leaderboards/refused-requests"),
        ("GET", "/api/docs/"),
    ],
)
def test_an_unknown_route_is_404(refused: Refused, method: str, path: str) -> None:
    """What no route serves is a problem answer of ours, whatever else is wrong with it."""
    for body, is_base64 in ((None, False), ("!!!", True), ("x" * (KIB_256 + 1), False)):
        refused(404, "route_not_found", method, path, body=body, is_base64=is_base64)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/leaderboards/refused-requests/top"),
        ("GET", "/api/leaderboards/refused-requests/players/p/rank"),
        ("GET", "/api/docs"),
        ("GET", "/api/openapi.json"),
    ],
)
def test_the_default_route_serves_nothing(api: Any, method: str, path: str) -> None:
    """A request that the gateway could not match reaches no route by any spelling of its path."""
    event = {**http_event(method, path), "routeKey": "$default"}
    answer = api.raw(event)
    assert (answer["statusCode"], json.loads(answer["body"])["code"]) == (404, "route_not_found")


def test_a_body_where_none_belongs_is_not_looked_at(api: Any, board: str) -> None:
    """A read is answered as if it had no body, whatever a client sends along."""
    api.make_board(board)
    path = f"/api/leaderboards/{board}/top"
    assert api.call("GET", path, raw="!!!", is_base64=True)[0] == 200
    assert api.call("GET", path, raw="x" * (KIB_256 + 1))[0] == 200


# --- Queries ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "limit", ["0", "-1", "1001", "abc", "", "1.5", "1.0", "1e2", "1,2", " 5", "1_0", "9" * 5_000]
)
def test_a_limit_is_1_to_1000(refused: Refused, shared: str, limit: str) -> None:
    """Anything else is a wrong field, an integer written otherwise included."""
    path = f"/api/leaderboards/{shared}/top"
    problem = refused(422, "invalid_fields", "GET", path, query={"limit": limit})
    assert [error["field"] for error in problem["errors"]] == ["limit"]


@pytest.mark.parametrize(
    ("method", "route", "name"),
    [
        ("GET", "players/p/rank", "explain"),
        ("GET", "players/p/rank", "consistent"),
        ("POST", "scores", "rank"),
        ("POST", "scores/batch", "rank"),
    ],
)
@pytest.mark.parametrize("value", ["maybe", "", "2"])
def test_a_switch_is_true_or_false(
    refused: Refused, shared: str, method: str, route: str, name: str, value: str
) -> None:
    """A switch that is neither is a wrong field, and nothing is stored."""
    body = '{"scores":[' + GOOD + "]}" if route.endswith("batch") else GOOD
    path, query = f"/api/leaderboards/{shared}/{route}", {name: value}
    problem = refused(422, "invalid_fields", method, path, body=body, query=query)
    assert [error["field"] for error in problem["errors"]] == [name]
