"""The rig as an operator starts it: a process of its own, called over signed HTTP."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ops.audit import audit_boards
from ops.client import ApiError, Client, read_outputs
from ops.outputs import Outputs
from ops.rig import lifecycle
from ops.status import read_status
from tests.e2e.contention import assert_every_submission_counts


@pytest.fixture(scope="module")
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this module's rig."""
    return tmp_path_factory.mktemp("rig")


@pytest.fixture(scope="module")
def outputs(state_dir: Path) -> Iterator[Outputs]:
    """A rig of this module's own, brought up by somebody whose own functions log little."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POWERTOOLS_LOG_LEVEL", "ERROR")
        lifecycle.up(state_dir)
    yield read_outputs("rig", state_dir)
    assert lifecycle.down(state_dir), "the rig ended by itself"


@pytest.mark.parametrize("in_flight", [8, 64, 256])
def test_submissions_to_one_board_never_fail(outputs: Outputs, in_flight: int) -> None:
    """1,000 new players of one board all succeed, and the counters equal a recount."""
    assert_every_submission_counts(Client(outputs), f"contention-{in_flight}", in_flight)


def test_calls_side_by_side_get_their_own_answers(outputs: Outputs) -> None:
    """However many players ask at once, each is told of themselves, in every kind of answer."""
    client = Client(outputs)
    client.put_board("side-by-side", {})
    players = [f"player {number}" for number in range(100)]
    for score, player in enumerate(players):
        client.submit("side-by-side", {"player_id": player, "score": score}, rank=False)

    def ask(player: str) -> tuple[str, str, str]:
        rank = client.rank("side-by-side", player)
        around = client.around("side-by-side", player, k=1)
        kept = client.submit("side-by-side", {"player_id": player, "score": 0}, rank=False)
        return rank["player_id"], around["player_id"], kept["player_id"]

    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(ask, players))
    assert answers == [(player, player, player) for player in players]


def test_the_front_refuses_as_the_gateway_does(outputs: Outputs) -> None:
    """A wrong key gets the gateway's 403, an unknown route our 404, an encoded % its 400."""
    client = Client(outputs)
    client.put_board("front", {})
    for path, status in (("/api/nowhere", 404), ("/api/leaderboards/front/players/a%25/rank", 400)):
        with pytest.raises(ApiError) as caught:
            client.request("GET", path)
        assert caught.value.status == status
    stranger = Client(outputs)
    stranger._credentials.access_key = "stranger"
    with pytest.raises(ApiError) as caught:
        stranger.top("front")
    assert (caught.value.status, caught.value.code) == (403, "forbidden")
    assert client.request("GET", "/api/openapi.json")[1]["openapi"] == "3.1.0"


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "PATCH"])
def test_a_method_of_no_route_is_ours_to_answer(outputs: Outputs, method: str) -> None:
    """A route is its method and its path; another method on the path reaches $default, our 404."""
    with pytest.raises(ApiError) as caught:
        Client(outputs).request(method, "/api/leaderboards/front/top")
    assert caught.value.status == 404


def test_its_status_tells_what_was_written_to_it(
    outputs: Outputs, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute after the first submits, if not before: shares, the hottest item, lag, alarms."""
    monkeypatch.setenv("TALLY_HOME", str(state_dir))
    client = Client(outputs)
    client.put_board("status", {})
    scores = [{"player_id": f"player {number}", "score": number} for number in range(100)]
    client.submit_batch("status", scores)
    audit_boards(outputs, ["status"], wait_seconds=120)  # until they are counted
    until, told = time.monotonic() + 150, read_status(outputs)
    while not told.hottest and time.monotonic() < until:
        told = read_status(outputs)
    assert {"Counters", "Scores", "Scores/byRank"} <= told.written.keys()
    assert 0 < (told.hottest_percent or 0) <= (told.counters_percent or 0) < 100
    vitals = {one.name: one for one in told.vitals}
    assert vitals["recount"].state == "OK"
    assert vitals["count-lag-warning"].value is not None
    assert len(vitals) > 50


def test_two_ups_at_once_make_one_rig(tmp_path: Path) -> None:
    """The second waits for the first, and finds its rig."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: lifecycle.up(tmp_path), range(2))
    try:
        assert first.pid == second.pid
        assert {first.already_running, second.already_running} == {True, False}
    finally:
        assert lifecycle.down(tmp_path)


def test_a_second_up_keeps_what_runs(outputs: Outputs, tmp_path: Path) -> None:
    """Only one rig runs a folder; another folder's is another rig, and down stops just that."""
    first = lifecycle.up(tmp_path)
    try:
        assert first.api_url != outputs.api_url
        assert lifecycle.up(tmp_path).pid == first.pid
        assert lifecycle.up(tmp_path).already_running
    finally:
        assert lifecycle.down(tmp_path)
    assert lifecycle.status(tmp_path).state == lifecycle.DOWN
    assert not lifecycle.down(tmp_path)
    assert Client(outputs).boards() is not None
