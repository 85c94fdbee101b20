"""Bodies that cannot be taken, and JSON that is taken however it is sent."""

import base64
from typing import Any

import pytest

from tests.functional.refusals import GOOD, KIB_256, Refused, nested

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
