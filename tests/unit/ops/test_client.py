"""The client: finding a deployment, signing what is sent, and telling what went wrong."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from lambdas import names
from ops.client import (
    ApiError,
    Client,
    ClientError,
    NotDeployedError,
    NotRunningError,
    Outputs,
    encode,
    read_outputs,
    state_dir,
)
from ops.processes import free_port
from tests.unit.ops.api_stub import STACKS, ApiStub, write_outputs

ODD_IDS = [
    "plain",
    "with space",
    "O'Brien & Sons (2001)!",
    'she said "no"',
    "a+b=c;d:e@f,g$h*i",
    "naïve ~ tilde_-.",
    "🏃‍♀️ 走る",
    "[brackets] {braces} |pipe| ^`<>",
    "%41 stays as it is",
    "slash/question?hash#",
    "...",
]


@pytest.fixture
def client(home: Path) -> Client:
    return Client(read_outputs("local", home))


def outputs_for(url: str) -> Outputs:
    return Outputs("dev", url, "scores", "counters", "boards", "submissions")


# --- Finding the deployment ------------------------------------------------------------------


def test_outputs_are_found_whatever_their_stacks_are_called(tmp_path: Path) -> None:
    """Other stacks and other outputs in the file do not matter."""
    others = {"Elsewhere": {"Bucket": "b"}, "Odd": None}
    write_outputs(tmp_path, {**others, **STACKS})
    assert read_outputs("local", tmp_path) == Outputs(
        "local",
        "http://abc.execute-api.localhost:1",
        "scores-1",
        "counters-1",
        "boards-1",
        "submissions-1",
    )


@pytest.mark.parametrize(
    ("stage", "command"),
    [("local", "tally local up"), ("dev", "npx cdk deploy --all -c stage=dev")],
)
def test_a_missing_file_names_the_command_that_deploys(
    tmp_path: Path, stage: str, command: str
) -> None:
    with pytest.raises(
        NotDeployedError, match=f"Nothing is deployed for stage '{stage}'"
    ) as raised:
        read_outputs(stage, tmp_path)
    assert command in str(raised.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "cannot be read"),
        ("[]", "lacks the output ApiUrl"),
        ('{"S": {"ApiUrl": 7}}', "lacks the output ApiUrl"),
        ('{"S": {"ApiUrl": "http://x"}}', "lacks the output ScoresTableName"),
        ('{"S": {"ApiUrl": "http://x"}, "T": {"ApiUrl": "http://y"}}', "several different"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(tmp_path: Path, text: str, complaint: str) -> None:
    write_outputs(tmp_path, text)
    with pytest.raises(NotDeployedError, match=complaint):
        read_outputs("local", tmp_path)


def test_a_stage_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(NotDeployedError, match="no stage's name"):
        read_outputs("../local", tmp_path)


def test_the_folder_is_told_or_here_or_the_repositorys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert state_dir({"TALLY_HOME": "/elsewhere"}) == Path("/elsewhere")
    assert state_dir({}).parent.joinpath("lambdas/names.py").is_file()
    (tmp_path / ".tally").mkdir()
    assert state_dir({}) == tmp_path / ".tally"


def test_the_region_is_read_from_the_endpoint() -> None:
    aws = outputs_for("https://abc.execute-api.eu-west-1.amazonaws.com")
    assert (aws.region, aws.is_local, aws.dynamodb_url) == ("eu-west-1", False, None)
    local = outputs_for("http://abc.execute-api.localhost:4566")
    assert (local.region, local.dynamodb_url) == ("us-east-1", "http://127.0.0.1:4566")
    assert outputs_for("https://scores.example.com").region is None


def test_temporary_credentials_sign_for_the_endpoints_region(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    url = "https://abc.execute-api.eu-west-1.amazonaws.com"
    prepared = Client(outputs_for(url)).signed("GET", "/api/admin/leaderboards")
    assert "/eu-west-1/execute-api/aws4_request" in prepared.headers["Authorization"]
    assert prepared.headers["X-Amz-Security-Token"] == "token"
    assert prepared.url == f"{url}/api/admin/leaderboards"


# --- Signing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("player", ODD_IDS)
def test_what_is_signed_is_what_arrives(client: Client, api: ApiStub, player: str) -> None:
    """The server finds the same signature over the URL as it received it, for any id."""
    client.rank("arena", player, explain=True)
    seen = api.seen[0]
    assert seen.signature_matches
    path, _, query = seen.target.partition("?")
    assert unquote(path) == f"/api/leaderboards/arena/players/{player}/rank"
    assert path.count("/") == 6
    assert query == "explain=true"


def test_a_local_name_is_sent_as_host_and_loopback_is_dialled(client: Client, api: ApiStub) -> None:
    client.boards()
    assert api.seen[0].host == f"abc.execute-api.localhost:{api.port}"


def test_bodies_and_parameters_are_signed_too(client: Client, api: ApiStub) -> None:
    client.request("POST", "/x", json={"player_id": "Zoë"}, params={"q": "a b+c", "none": None})
    assert api.seen[0].signature_matches
    assert api.seen[0].target == "/x?q=a%20b%2Bc"
    assert api.seen[0].body == {"player_id": "Zoë"}


@pytest.mark.parametrize("part", ["", ".", ".."])
def test_an_id_that_would_vanish_from_the_path_is_not_sent(part: str) -> None:
    with pytest.raises(ClientError, match="cannot be part of an address"):
        encode(part)


def test_every_call_is_to_a_route_of_the_gateway(client: Client, api: ApiStub) -> None:
    """Each method's path is one of the routes that the functions share with the stacks."""
    api.answers = [(200, {"results": []})]
    client.submit_batch("b", [])
    client.submit("b", {"player_id": "p", "score": 1}, rank=False)
    client.rank("b", "p")
    client.top("b", limit=5)
    client.around("b", "p")
    client.friends("b", "p", ["q"])
    client.ranks("b", [1])
    client.standing("b", rank=1)
    client.distribution("b")
    client.info("b")
    client.put_board("b", {})
    client.board("b")
    client.set_hidden("b", "p", hidden=True)
    client.remove_player("b", "p")
    client.player("p")
    client.erase_player("p")
    client.delete_board("b")
    client.boards()
    called = {(seen.method, seen.target.partition("?")[0]) for seen in api.seen}
    routes = [route for group in names.ROUTES.values() for route in group]
    assert called == {(m, p.format(board="b", player_id="p")) for m, p in routes}


def test_a_question_carries_what_was_asked_and_no_more(client: Client, api: ApiStub) -> None:
    """What is left out is the server's to decide."""
    client.top("b")
    client.top("b", limit=5, start_rank=40)
    client.top("b", cursor="a+b/c=")
    client.around("b", "Zoë & co", 3)
    client.standing("b", rank=7)
    client.standing("b", percentile=2.5)
    client.friends("b", "p", ("q", "Zoë"))
    client.ranks("b", (2**63 - 1, -(2**63)))
    assert [seen.target.removeprefix("/api/leaderboards/b/") for seen in api.seen] == [
        "top",
        "top?limit=5&start_rank=40",
        "top?cursor=a%2Bb%2Fc%3D",
        "players/Zo%C3%AB%20%26%20co/around?k=3",
        "standing?rank=7",
        "standing?percentile=2.5",
        "friends",
        "ranks",
    ]
    assert [seen.body for seen in api.seen[-2:]] == [
        {"player_id": "p", "friend_ids": ["q", "Zoë"]},
        {"scores": [2**63 - 1, -(2**63)]},
    ]
    assert all(seen.signature_matches for seen in api.seen)


def test_pages_follow_cursors_to_the_end_one_request_each(client: Client, api: ApiStub) -> None:
    """Nothing is asked before it is taken."""
    api.answers = [
        (200, {"entries": [1], "next_cursor": "c1"}),
        (200, {"entries": [2], "next_cursor": "c2"}),
        (200, {"entries": [3], "next_cursor": None}),
    ]
    pages = client.pages("b", limit=1, start_rank=4)
    assert api.seen == []
    assert next(pages)["entries"] == [1]
    assert len(api.seen) == 1
    assert [page["entries"] for page in pages] == [[2], [3]]
    assert [seen.target.partition("?")[2] for seen in api.seen] == [
        "limit=1&start_rank=4",
        "cursor=c1&limit=1",
        "cursor=c2&limit=1",
    ]


# --- Errors ----------------------------------------------------------------------------------


def test_a_problem_answer_is_raised_with_its_fields(client: Client, api: ApiStub) -> None:
    errors = [{"field": "score", "message": "Not an integer."}]
    problem = {"title": "Invalid", "detail": "One field.", "code": "invalid", "errors": errors}
    api.answers = [(422, problem)]
    with pytest.raises(ApiError, match="422 Invalid: One field") as raised:
        client.submit("arena", {})
    assert (raised.value.code, raised.value.field_errors) == ("invalid", errors)


@pytest.mark.parametrize(
    ("status", "body", "code", "detail"),
    [
        (403, {"message": "Forbidden"}, "forbidden", "Forbidden"),
        (403, {"Message": "User: x is not authorized"}, "forbidden", "User: x is not authorized"),
        (502, {"message": "Internal Server Error"}, "gateway_error", "Internal Server Error"),
        (500, b"<html>oops</html>", "gateway_error", "<html>oops</html>"),
        (503, b"", "gateway_error", "The answer had no body."),
    ],
)
def test_the_gateways_own_errors_are_understood(
    client: Client, api: ApiStub, status: int, body: Any, code: str, detail: str
) -> None:
    api.answers = [(status, body)]
    with pytest.raises(ApiError) as raised:
        client.boards()
    assert (raised.value.status, raised.value.code, raised.value.detail) == (status, code, detail)


def test_a_refused_connection_tells_how_to_start_the_deployment(tmp_path: Path) -> None:
    gone = {"Stack": {"ApiUrl": f"http://abc.execute-api.localhost:{free_port()}"}}
    write_outputs(tmp_path, {"Data": STACKS["Tallyboard-local-DataStack"], **gone})
    client = Client(read_outputs("local", tmp_path))
    with pytest.raises(NotRunningError, match=re.escape("Start it with: tally local up")) as raised:
        client.boards()
    assert "nothing listens there" in str(raised.value)


def test_no_credentials_are_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    with pytest.raises(ClientError, match="No AWS credentials found"):
        Client(outputs_for("https://abc.execute-api.eu-west-1.amazonaws.com"))


def test_integers_of_64_bits_survive_both_ways(client: Client, api: ApiStub) -> None:
    api.answers = [(200, json.dumps({"score": -(2**63)}).encode())]
    assert client.submit("b", {"score": 2**63 - 1}) == {"score": -(2**63)}
    assert api.seen[0].body == {"score": 2**63 - 1}
