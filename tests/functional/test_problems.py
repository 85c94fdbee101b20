"""Requests that are wrong: each is told what is wrong, and none changes anything."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from lambdas.domain.players import RULE
from ops.rig.events import http_event
from tests.functional.failing import WatchedClient

GOOD = '{"player_id":"p","score":5}'
KIB_256 = 256 * 1024
Refused = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def shared() -> str:
    """A board that the refused requests of this module leave empty."""
    return "refused-requests"


@pytest.fixture
def refused(api: Any, client: WatchedClient, shared: str) -> Iterator[Refused]:
    """Sends what must be refused with a status and a code, and writes nothing."""
    assert api.call("PUT", f"/api/admin/leaderboards/{shared}", {})[0] in (200, 201)
    client.restart()

    def send(status: int, code: str, method: str, path: str, **event: Any) -> dict[str, Any]:
        answer = api.raw(http_event(method, path, **event))
        body: dict[str, Any] = json.loads(answer["body"])
        assert (answer["statusCode"], body["code"]) == (status, code), body
        assert answer["headers"]["Content-Type"] == "application/problem+json"
        assert body["detail"]
        return body

    yield send
    assert client.writes() == []
    _, top = api.call("GET", f"/api/leaderboards/{shared}/top")
    assert top["entries"] == []


def submit_body(**fields: Any) -> str:
    """A submission as JSON, with some fields changed."""
    return json.dumps({"player_id": "p", "score": 5, **fields})


def nested(levels: int) -> str:
    """A list in a list in a list."""
    return "[" * levels + "]" * levels


# --- Bodies ----------------------------------------------------------------------------------

BODIES = {
    "none": (None, 400, "not_json"),
    "empty": ("", 400, "not_json"),
    "blank": (" \n", 400, "not_json"),
    "words": ("score=5", 400, "not_json"),
    "cut off": (GOOD[:-1], 400, "not_json"),
    "two of them": (GOOD + GOOD, 400, "not_json"),
    "byte order mark": ("\ufeff" + GOOD, 400, "not_json"),
    "100,000 brackets": ("[" * 100_000, 400, "not_json"),
    "deep, and closed": (nested(100_000), 400, "not_json"),
    "null": ("null", 422, "invalid_fields"),
    "list": ("[]", 422, "invalid_fields"),
    "text": ('"x"', 422, "invalid_fields"),
    "number": ("5", 422, "invalid_fields"),
    "no fields": ("{}", 422, "invalid_fields"),
    "a byte too many": (GOOD + " " * (KIB_256 + 1 - len(GOOD)), 413, "body_too_large"),
    "two-byte characters": (f'"{"é" * (KIB_256 // 2)}"', 413, "body_too_large"),
}


@pytest.mark.parametrize("path", ["scores", "scores/batch", "board"])
@pytest.mark.parametrize(("body", "status", "code"), BODIES.values(), ids=BODIES)
def test_a_body_that_cannot_be_taken(
    refused: Refused, shared: str, path: str, body: str | None, status: int, code: str
) -> None:
    """On each route that takes a body: no JSON is 400, no object 422, above 256 KiB 413."""
    if path == "board":
        if body == "{}":
            body = '{"x": 1}'
        refused(status, code, "PUT", "/api/admin/leaderboards/refused-new", body=body)
    else:
        refused(status, code, "POST", f"/api/leaderboards/{shared}/{path}", body=body)


@pytest.mark.parametrize("levels", [*range(260, 900, 80), *range(900, 1_000, 9)])
def test_nesting_is_no_bug_at_any_depth(api: Any, board: str, levels: int) -> None:
    """Wherever a parser, a validator or a serializer gives up, the answer is a plain refusal."""
    api.make_board(board)
    path, deep = f"/api/leaderboards/{board}/scores", nested(levels)
    for body in (
        f'{{"player_id":"p","score":5,"metadata":{{"a":{deep}}}}}',
        f'{{"player_id":"p","score":{deep}}}',
    ):
        assert api.call("POST", path, raw=body)[0] in (400, 422)
        status, answer = api.call("POST", f"{path}/batch", raw=f'{{"scores":[{body}]}}')
        assert status == 400 or answer["results"][0]["status"] == 422


def test_metadata_may_nest_as_deep_as_it_has_room(api: Any, board: str) -> None:
    """512 bytes of brackets are data like any other."""
    api.make_board(board)
    body = f'{{"player_id":"p","score":5,"metadata":{{"a":{nested(253)}}}}}'
    assert api.call("POST", f"/api/leaderboards/{board}/scores", raw=body)[0] == 200


def test_a_body_of_256_kib_is_read(api: Any, board: str) -> None:
    """The last byte that is allowed is allowed, also handed over as base64."""
    api.make_board(board)
    body = GOOD + " " * (KIB_256 - len(GOOD))
    path = f"/api/leaderboards/{board}/scores"
    assert api.call("POST", path, raw=body)[0] == 200
    coded = base64.b64encode(body.encode()).decode()
    assert api.call("POST", path, raw=coded, is_base64=True)[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("!!!", 400, "not_base64"),
        ("abc", 400, "not_base64"),
        ("é", 400, "not_base64"),
        ("_-_-", 400, "not_base64"),
        (base64.b64encode(b'\xff{"player_id":"p"}').decode(), 400, "not_json"),
        (base64.b64encode(GOOD.encode("utf-16")).decode(), 400, "not_json"),
        (base64.b64encode(b" " * (KIB_256 + 1)).decode(), 413, "body_too_large"),
        ("", 400, "not_json"),
    ],
)
def test_base64_that_cannot_be_taken(
    refused: Refused, shared: str, body: str, status: int, code: str
) -> None:
    """What is no base64, or base64 of no UTF-8, is refused for what it is."""
    path = f"/api/leaderboards/{shared}/scores"
    refused(status, code, "POST", path, body=body, is_base64=True)


# --- Content types ---------------------------------------------------------------------------

OTHER_TYPES = (
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "text/plain; charset=utf-8",
    "nonsense",
)


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("media_type", [None, "", "application/json", *OTHER_TYPES])
def test_json_is_taken_whatever_its_content_type(
    api: Any, board: str, media_type: str | None, coded: bool
) -> None:
    """A body that is JSON is JSON, plain or in base64, whatever the header says."""
    api.make_board(board)
    headers = {} if media_type is None else {"Content-Type": media_type}
    body = base64.b64encode(GOOD.encode()).decode() if coded else GOOD
    path = f"/api/leaderboards/{board}/scores"
    status, answer = api.call("POST", path, raw=body, headers=headers, is_base64=coded)
    assert (status, answer["outcome"]) == (200, "new")


@pytest.mark.parametrize("media_type", OTHER_TYPES)
@pytest.mark.parametrize("body", ["<score>5</score>", "", "player_id=p&score=5", nested(500)])
def test_what_is_no_json_and_claims_none_is_415(
    refused: Refused, shared: str, media_type: str, body: str
) -> None:
    """A body of another type that does not parse is told which type to send."""
    path, headers = f"/api/leaderboards/{shared}/scores", {"content-type": media_type}
    problem = refused(415, "not_json_media_type", "POST", path, body=body, headers=headers)
    assert "application/json" in problem["detail"]


@pytest.mark.parametrize(
    "media_type", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/ld+json"]
)
def test_what_claims_json_and_is_none_is_400(
    refused: Refused, shared: str, media_type: str
) -> None:
    """A type that says JSON is not blamed for a body that is none."""
    path, headers = f"/api/leaderboards/{shared}/scores", {"Content-Type": media_type}
    refused(400, "not_json", "POST", path, body="<a/>", headers=headers)


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


# --- Boards ----------------------------------------------------------------------------------

CONFIGS = {
    "policy": ({"policy": "worst"}, "policy"),
    "order": ({"order": "DESC"}, "order"),
    "order null": ({"order": None}, "order"),
    "empty range": ({"score_range": [5, 5]}, "score_range"),
    "range upside down": ({"score_range": [5, 4]}, "score_range"),
    "range of one end": ({"score_range": [5]}, "score_range.1"),
    "range of three ends": ({"score_range": [1, 2, 3]}, "score_range"),
    "range of floats": ({"score_range": [0, 1.0]}, "score_range.1"),
    "range above 64 bits": ({"score_range": [0, 2**63]}, "score_range.1"),
    "range below 64 bits": ({"score_range": [-(2**63) - 1, 0]}, "score_range.0"),
    "range as text": ({"score_range": "01"}, "score_range"),
    "ties": ({"ties": "dense"}, "ties"),
    "no windows": ({"windows": []}, "windows"),
    "other windows": ({"windows": ["d2026-11-30"]}, "windows.0"),
    "a window twice": ({"windows": ["all", "all"]}, "windows.1"),
    "windows of another type": ({"windows": [1]}, "windows.0"),
    "a season without an end": ({"windows": [{"season": "s", "start": 0}]}, "windows.0.end"),
    "a season that ends before it starts": (
        {"windows": [{"season": "s", "start": 5, "end": 5}]},
        "windows.0.end",
    ),
    "a season with an odd name": (
        {"windows": [{"season": "S", "start": 5, "end": 6}]},
        "windows.0.season",
    ),
    "a zone nobody knows": ({"time_zone": "Europe/Atlantis"}, "time_zone"),
    "a path for a zone": ({"time_zone": "../etc/passwd"}, "time_zone"),
    "retention of no day": ({"retention_days": 0}, "retention_days"),
    "grace below 0": ({"grace_seconds": -1}, "grace_seconds"),
    "three tie-breakers": (
        {"tie_breakers": [{"name": name, "range": [0, 1]} for name in "abc"]},
        "tie_breakers",
    ),
    "a tie-breaker without a range": ({"tie_breakers": [{"name": "a"}]}, "tie_breakers.0.range"),
    "a tie-breaker upside down": (
        {"tie_breakers": [{"name": "a", "range": [1, 0]}]},
        "tie_breakers.0.range",
    ),
    "sums with tie-breakers": (
        {"policy": "sum", "tie_breakers": [{"name": "a", "range": [0, 1]}]},
        "tie_breakers",
    ),
    "top_exact 0": ({"top_exact": 0}, "top_exact"),
    "top_exact above exact_limit": ({"top_exact": 101, "exact_limit": 100}, "top_exact"),
    "exact_limit 2001": ({"exact_limit": 2_001}, "exact_limit"),
    "exact_limit of 39 digits": ({"exact_limit": 10**38}, "exact_limit"),
    "exact_limit true": ({"exact_limit": True}, "exact_limit"),
    "count_limit 0": ({"count_limit": 0}, "count_limit"),
    "count_limit as text": ({"count_limit": "75"}, "count_limit"),
    "display_name of 257": ({"display_name": "x" * 257}, "display_name"),
    "half a pair as name": ({"display_name": "\ud800"}, "display_name"),
    "description of 2001": ({"description": "x" * 2_001}, "description"),
    "unknown field": ({"window": "all"}, "window"),
    "layout null": ({"layout": None}, "layout"),
    "layout list": ({"layout": []}, "layout"),
    "unknown field of the layout": ({"layout": {"shards": 1}}, "layout.shards"),
    "buckets 100": ({"layout": {"buckets": 100}}, "layout.buckets"),
    "buckets true": ({"layout": {"buckets": True}}, "layout.buckets"),
    "levels 0": ({"layout": {"levels": 0}}, "layout.levels"),
    "levels 7": ({"layout": {"levels": 7}}, "layout.levels"),
    "counter_shards 0": ({"layout": {"counter_shards": 0}}, "layout.counter_shards"),
    "counter_shards 33": ({"layout": {"counter_shards": 33}}, "layout.counter_shards"),
    "index_shards 33": ({"layout": {"index_shards": 33}}, "layout.index_shards"),
    "index_shards 1.0": ({"layout": {"index_shards": 1.0}}, "layout.index_shards"),
    "spacing": ({"layout": {"spacing": "cubic"}}, "layout.spacing"),
    "log below zero": (
        {"score_range": [-9, 0], "layout": {"spacing": "log"}},
        "layout.spacing",
    ),
}


@pytest.mark.parametrize(("config", "field"), CONFIGS.values(), ids=CONFIGS)
def test_a_config_that_makes_no_sense_is_refused(
    api: Any, refused: Refused, config: dict[str, Any], field: str
) -> None:
    """Each field that is wrong is named, and no board is made."""
    path = "/api/admin/leaderboards/refused-new"
    problem = refused(422, "invalid_fields", "PUT", path, body=json.dumps(config))
    assert field in [error["field"] for error in problem["errors"]]
    assert api.call("GET", path)[0] == 404


def test_every_wrong_field_of_a_config_is_named(refused: Refused) -> None:
    """A config with several faults is told all of them."""
    config = {"score_range": [9, 1], "exact_limit": 0, "layout": {"levels": 9, "buckets": 1}}
    path = "/api/admin/leaderboards/refused-new"
    problem = refused(422, "invalid_fields", "PUT", path, body=json.dumps(config))
    fields = {error["field"] for error in problem["errors"]}
    assert {"score_range", "exact_limit", "layout.levels", "layout.buckets"} <= fields


@pytest.mark.parametrize("board", ["UPPER", "a" * 65, "a%23b", "a_b", "a.b", "caf%C3%A9", "%20"])
def test_a_board_id_that_breaks_the_pattern_is_refused(refused: Refused, board: str) -> None:
    """No board is made under an id that a key could not be taken apart with."""
    problem = refused(422, "invalid_fields", "PUT", f"/api/admin/leaderboards/{board}", body="{}")
    assert [error["field"] for error in problem["errors"]] == ["board"]


@pytest.mark.parametrize(
    ("config", "fields"),
    [
        ({"order": "asc"}, ["order"]),
        ({"score_range": [0, 100]}, ["score_range"]),
        ({"layout": {"levels": 3, "index_shards": 2}}, ["layout.levels", "layout.index_shards"]),
        ({"display_name": "x", "ties": "shared"}, ["ties"]),
        ({"tie_breakers": [{"name": "kills", "range": [0, 9]}]}, ["tie_breakers"]),
        ({"policy": "latest", "top_exact": 7}, ["policy"]),
    ],
)
def test_a_live_board_keeps_what_its_items_were_written_by(
    refused: Refused, shared: str, config: dict[str, Any], fields: list[str]
) -> None:
    """A change of what it cannot change is a conflict that names every field in question."""
    path = f"/api/admin/leaderboards/{shared}"
    problem = refused(409, "board_exists", "PUT", path, body=json.dumps(config))
    named = problem["detail"].partition(" stands with another ")[2].partition(". ")[0]
    assert sorted(named.split(", ")) == sorted(fields)


def test_the_same_config_again_is_no_conflict(api: Any, board: str) -> None:
    """A board sent again with its own config, spelled out or by default, stands as it is."""
    made = api.make_board(board, score_range=[-5, 9], display_name="Café \N{TROPHY}")
    path = f"/api/admin/leaderboards/{board}"
    short = {"score_range": [-5, 9], "display_name": "Café \N{TROPHY}"}
    names = set(made) - {"board", "layout", "layouts"}
    layout = {n: made["layout"][n] for n in made["layout"] if n not in ("number", "state")}
    full = {**short, **{name: made[name] for name in names}, "layout": layout}
    for config in (short, full):
        assert api.call("PUT", path, config) == (200, made)
    assert api.call("GET", path) == (200, made)
    status, answer = api.call("GET", "/api/admin/leaderboards")
    assert status == 200
    assert made in answer["boards"]
    ids = [one["board"] for one in answer["boards"]]
    assert ids == sorted(set(ids))
