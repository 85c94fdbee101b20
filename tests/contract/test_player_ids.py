"""Player ids reach the store and come back whole through HTTP clients of every kind.

What one client encodes, another may not: each signs and sends in its own way, and the functions
must read the very same id.
"""

import json
import subprocess
import unicodedata
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import pytest
import requests

from lambdas.domain.players import RULE
from ops.client import Client
from ops.processes import wait_until
from tests.contract.generated import Generated
from tests.contract.signing import RequestsAuth

IDS: Final = (
    "two words",
    " leading",
    "trailing ",
    "plus+plus",
    "mail@example.org",
    "a&b=c",
    "it's",
    'say "hi"',
    "`tick`",
    unicodedata.normalize("NFC", "Zoë Beyoncé"),
    unicodedata.normalize("NFD", "Zoë Beyoncé"),
    "日本語のプレイヤー",
    "\N{GRINNING FACE}\N{ZERO WIDTH JOINER}\N{ROCKET}",
    "é" * 128,  # 256 bytes
    "x" * 256,
    "semi;colon,comma",
    "~tilde*star:colon",
    "$HOME(1)[2]{3}<4>",
    "pipe|caret^bang!",
    "...",
    "-dash",
    "null",
    "+",
    " ",
)
REFUSED: Final = (
    *("", ".", "..", "a/b", "a?b", "a%b", "a%20b", "a#b", "a\\b"),
    *("a\nb", "a\x00b", "a\x7fb", "a\x85b", "x" * 257, "é" * 129),
)
SCORES: Final = {player: 1_000 + place for place, player in enumerate(reversed(IDS))}

Send = Callable[[str, str, Any], tuple[int, Any]]  # method, path and body to status and answer


def _with_requests(client: Client) -> Send:
    """Plain requests, which encodes paths in its own way, with a signer."""
    session = requests.Session()
    session.trust_env = False

    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        url, auth = client.outputs.api_url + path, RequestsAuth(client)
        answer = session.request(method, url, json=body, auth=auth, timeout=60)
        return answer.status_code, answer.json() if answer.content else None

    return send


def _with_curl(client: Client) -> Send:
    """The real curl, headers signed beforehand: older ones sign an escaped path wrongly."""

    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        return _curl(client, method, path, "" if body is None else json.dumps(body), [])

    return send


def _curl(client: Client, method: str, path: str, data: str, headers: list[str]) -> tuple[int, Any]:
    url = client.outputs.api_url + path
    signed = [f"{k}: {v}" for k, v in client.signature(method, url, data.encode()).items()]
    command = ["curl", "--silent", "--show-error", "--noproxy", "*", "--globoff", "--path-as-is"]
    command += ["--request", method, "--write-out", "\n%{http_code}", url]
    for header in [*signed, *headers]:
        command += ["--header", header]
    if data:
        command += ["--data-binary", "@-"]
    done = subprocess.run(command, input=data.encode(), capture_output=True, check=True)
    answer, _, status = done.stdout.decode().rpartition("\n")
    return int(status), json.loads(answer) if answer else None


@pytest.mark.parametrize("make", [_with_requests, _with_curl], ids=["requests", "curl"])
def test_ids_through_plain_clients(client: Client, board: str, make: Callable[..., Send]) -> None:
    """Submitted, ranked, around and at the top, each id is the very text that was sent."""
    send, base = make(client), f"/api/leaderboards/{board}"
    for player, score in SCORES.items():
        body = {"player_id": player, "score": score}
        status, answer = send("POST", f"{base}/scores", body)
        assert (status, answer.get("player_id"), answer.get("outcome")) == (200, player, "new")
    for place, player in enumerate(IDS, start=1):
        coded = quote(player, safe="")
        status, rank = send("GET", f"{base}/players/{coded}/rank", None)
        assert (status, rank["player_id"], rank["rank"]) == (200, player, place)
        status, around = send("GET", f"{base}/players/{coded}/around?k=0", None)
        assert (status, [entry["player_id"] for entry in around["entries"]]) == (200, [player])
    status, top = send("GET", f"{base}/top", None)
    assert [entry["player_id"] for entry in top["entries"]] == [*IDS]


@pytest.mark.parametrize("make", [_with_requests, _with_curl], ids=["requests", "curl"])
def test_ids_in_the_hands_of_a_moderator(
    client: Client, board: str, make: Callable[..., Send]
) -> None:
    """Hidden, shown and removed, each id in a path is the very player who was stored."""
    send, base = make(client), f"/api/leaderboards/{board}"
    entries = [{"player_id": player, "score": score} for player, score in SCORES.items()]
    assert {one["status"] for one in client.submit_batch(board, entries)} == {200}

    def listed() -> list[str]:
        status, top = send("GET", f"{base}/top", None)
        assert status == 200
        return [entry["player_id"] for entry in top["entries"]]

    for player in IDS:
        path = f"/api/admin/leaderboards/{board}/players/{quote(player, safe='')}"
        assert send("PUT", f"{path}/visibility", {"hidden": True}) == (204, None)
        assert client.rank(board, player)["kind"] == "unranked"
        assert send("PUT", f"{path}/visibility", {"hidden": False}) == (204, None)
        assert client.rank(board, player)["score"] == SCORES[player]
        assert send("DELETE", path, None) == (204, None)
        assert client.rank(board, player)["kind"] == "unranked"
    assert wait_until(lambda: listed() == [], seconds=20)  # a page is kept a second


def test_ids_through_our_own_client(client: Client, board: str) -> None:
    """The client of the `tally` command finds every id that it stored."""
    for player, score in SCORES.items():
        assert client.submit(board, {"player_id": player, "score": score})["player_id"] == player
    for place, player in enumerate(IDS, start=1):
        assert client.rank(board, player)["rank"] == place
        assert client.around(board, player, k=0)["entries"][0]["player_id"] == player
    hidden = IDS[::2]
    for player in hidden:
        client.set_hidden(board, player, hidden=True)
        assert client.rank(board, player)["kind"] == "unranked"
        client.set_hidden(board, player, hidden=False)
    assert [entry["player_id"] for entry in client.top(board)["entries"]] == [*IDS]


def test_ids_through_the_generated_client(generated: Generated, board: str) -> None:
    """The client generated from the document encodes and signs every id so that it is found."""
    for player, score in SCORES.items():
        body = generated.models.SubmissionBody(player_id=player, score=score)
        assert generated.call("post_score", board, body=body).player_id == player
    for place, player in enumerate(IDS, start=1):
        rank = generated.call("get_rank", board, player)
        assert (rank.player_id, rank.rank) == (player, place)
        around = generated.call("get_around", board, player, k=0)
        assert [entry.player_id for entry in around.entries] == [player]
    for player in IDS:
        for hidden in (True, False):
            body = generated.models.VisibilityBody(hidden=hidden)
            assert generated.call("put_visibility", board, player, body=body) is None
            assert (generated.call("get_rank", board, player).score is None) == hidden
    top = generated.call("get_top", board)
    assert [entry.player_id for entry in top.entries] == [*IDS]


@pytest.mark.parametrize("make", [_with_requests, _with_curl], ids=["requests", "curl"])
def test_ids_that_could_not_be_read_are_refused(
    client: Client, board: str, make: Callable[..., Send]
) -> None:
    """An id that breaks the rule is not stored, and the answer says the rule."""
    send, base = make(client), f"/api/leaderboards/{board}"
    for player in REFUSED:
        status, problem = send("POST", f"{base}/scores", {"player_id": player, "score": 1})
        assert (status, problem["code"]) == (400, "invalid_player_id"), player
        assert problem["detail"].endswith(RULE)
    assert send("GET", f"{base}/top", None)[1]["entries"] == []


@pytest.mark.parametrize(
    "content_type",
    [
        "Content-Type:",  # none at all
        "Content-Type: application/octet-stream",
        "Content-Type: application/x-www-form-urlencoded",  # what curl sends unless told otherwise
        "Content-Type: image/png",
        "Content-Type: application/json; charset=utf-8",
    ],
)
def test_json_is_taken_whatever_curl_calls_it(
    client: Client, board: str, content_type: str
) -> None:
    """A body that is JSON counts as JSON, also where the gateway hands it over in base64."""
    path = f"/api/leaderboards/{board}/scores"
    body = json.dumps({"player_id": "Zoë +1", "score": 5}, ensure_ascii=False)
    status, answer = _curl(client, "POST", path, body, [content_type])
    assert (status, answer["player_id"], answer["rank"]) == (200, "Zoë +1", 1)
    assert client.rank(board, "Zoë +1")["score"] == 5


def test_a_form_is_no_json(client: Client, board: str) -> None:
    """What curl sends as a form, and is one, is refused for its type."""
    path, kind = f"/api/leaderboards/{board}/scores", "application/x-www-form-urlencoded"
    status, problem = _curl(client, "POST", path, "player_id=p&score=5", [f"Content-Type: {kind}"])
    assert (status, problem["code"]) == (415, "not_json_media_type")
