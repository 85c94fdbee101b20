"""The whole path on a deployment of its own: the real CDK command, an emulator, signed HTTP."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from ops.audit import audit_boards
from ops.client import ApiError, Client, read_outputs
from ops.demo_data import DemoBoard, Line, film_board, race_board
from ops.demo_load import load
from ops.local import deployment
from ops.outputs import dialled
from tests.e2e.contention import assert_every_submission_counts

SAMPLE = 200


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a deployment made for this module, on ports and in a folder of its own."""
    state_dir: Path = tmp_path_factory.mktemp("deployment")
    try:
        deployment.up(state_dir, progress=lambda _: None)
        # On a busy machine the emulator's cold workers keep the first calls waiting for minutes.
        yield Client(read_outputs("local", state_dir), timeout_seconds=240)
    finally:
        deployment.down(state_dir)


@pytest.mark.parametrize("in_flight", [8, 32])
def test_submissions_to_one_board_never_fail(client: Client, in_flight: int) -> None:
    """1,000 of 1,000 new players are taken, however many are in flight, and each is counted."""
    assert_every_submission_counts(client, f"contention-{in_flight}", in_flight)


@pytest.mark.parametrize("demo", [race_board(), film_board(3_000)], ids=lambda demo: demo.board)
def test_ranks_agree_with_a_sort_of_the_data(client: Client, demo: DemoBoard) -> None:
    """Exact ranks equal the sort, ranges hold it, and the top list is its beginning."""
    client.put_board(demo.board, demo.config)
    accepted = load(client, demo.board, demo.lines, lambda _: None).accepted
    (audit,) = audit_boards(client.outputs, [demo.board], wait_seconds=120)
    assert (audit.players, audit.differences) == (len(accepted), ())

    truth = demo.in_order(accepted)
    top = [entry["player_id"] for entry in client.top(demo.board, limit=100)["entries"]]
    assert top == [line.player_id for line in truth[:100]]
    places = {*range(1, 101, 10), *random.Random(1).sample(range(1, len(truth) + 1), SAMPLE)}
    kinds = {_assert_agrees(client, demo.board, place, truth) for place in places}
    assert "exact" in kinds


def _assert_agrees(client: Client, board: str, place: int, truth: list[Line]) -> str:
    answer = client.rank(board, truth[place - 1].player_id)
    first, last = answer["rank_range"]
    assert first <= place <= last, answer
    assert answer["population"] == len(truth)
    if answer["kind"] == "exact":
        assert answer["rank"] == place, answer
    return str(answer["kind"])


def test_each_submission_to_a_board_of_sums_counts_once(client: Client) -> None:
    """Sent twice it is a duplicate; its id with another score is refused; the rest adds up."""
    client.put_board("sums", {"policy": "sum", "windows": ["all", "daily"]})
    for number in range(10):
        one = {"player_id": "p", "score": number, "submission_id": f"id-{number}"}
        first, second = client.submit("sums", one), client.submit("sums", one)
        assert first["outcome"] == ("added" if number else "new")
        assert (second["outcome"], second["score"]) == ("duplicate", first["score"])
    with pytest.raises(ApiError) as caught:
        client.submit("sums", {"player_id": "p", "score": 0, "submission_id": "id-1"})
    assert (caught.value.status, caught.value.code) == (409, "submission_id_reused")
    for window in ("all", "daily"):
        assert client.rank("sums", "p", window=window)["score"] == 45


@pytest.mark.parametrize("player", ["a b", "é日本🎲", 'it\'s "q" & <b>; +@=~', "x" * 256])
def test_odd_player_ids_come_back(client: Client, player: str) -> None:
    """What the rule allows is stored, ranked and found again through a real URL."""
    client.put_board("odd-ids", {})
    submitted = client.submit("odd-ids", {"player_id": player, "score": 7})
    assert submitted["windows"]["all"]["kind"] == "exact"
    assert client.rank("odd-ids", player)["player_id"] == player


def _unsigned(client: Client, path: str) -> requests.Response:
    url = client.outputs.api_url
    host = {"Host": url.removeprefix("http://")}
    return requests.get(dialled(url) + path, headers=host, timeout=60)


def test_refusals(client: Client) -> None:
    """Unsigned calls get the gateway's 403, unknown routes and boards a problem of ours."""
    assert _unsigned(client, "/api/leaderboards/arena/top").status_code == 403
    for path, code in (
        ("/api/nowhere", "route_not_found"),
        ("/api/leaderboards/nobody/top", "board_not_found"),
    ):
        with pytest.raises(ApiError) as caught:
            client.request("GET", path)
        assert (caught.value.status, caught.value.code) == (404, code)


def test_the_api_page_is_open_and_complete(client: Client) -> None:
    """Outside prod anybody may read the document and browse it; it needs nothing from elsewhere."""
    page = _unsigned(client, "/api/docs")
    assert page.headers["Content-Type"].startswith("text/html")
    assert "swagger-ui" in page.text
    assert 'src="http' not in page.text
