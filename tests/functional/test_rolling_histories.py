"""Random histories of a board whose entries expire, against a model that holds them in a dict."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.functional.clocks import Clock
from tests.functional.conftest import Api
from tests.functional.failing import UNAVAILABLE, WatchedClient
from tests.functional.rolling import NOON, agrees, expire, unranked
from tests.instants import local, ms

TTL = 60
PLAYERS = [f"p{i}" for i in range(5)]
WRITES = ("update_item", "transact_write_items")
Entry = tuple[int, int]


class Model:
    """What must stand: each player's score and when it was achieved, swept or not."""

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.held: dict[str, Entry] = {}

    def standing(self, now: int) -> dict[str, Entry]:
        """What has not expired."""
        return {player: one for player, one in self.held.items() if one[1] > now - TTL * 1_000}

    def submit(self, player: str, score: int, at: int, now: int) -> tuple[str, int]:
        """The outcome of a submission, and the score that stands after it."""
        before = self.standing(now).get(player)
        if before is None:
            self.held[player] = score, at
            return "new", score
        if self.policy == "sum":
            self.held[player] = before[0] + score, max(before[1], at)
            return "added", before[0] + score
        beaten = score > before[0] if self.policy == "best" else at > before[1]
        if not beaten:
            return "kept", before[0]
        self.held[player] = score, at
        return {"best": "improved", "latest": "replaced"}[self.policy], score


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
@pytest.mark.parametrize("seed", range(3))
def test_any_history_agrees_with_the_model(
    api: Api,
    drain: Callable[[], None],
    board: str,
    clock: Clock,
    client: WatchedClient,
    policy: str,
    seed: int,
) -> None:
    """Submits, repeats after lost replies, sweeps and time; outcomes at once, reads at the end."""
    random, model, now = Random(seed), Model(policy), ms(NOON)
    api.make_board(board, policy=policy, entry_ttl_seconds=TTL)
    for number in range(80):
        now += random.choice((1, 1_000, 7_919, 20_011))
        clock(local(now, "UTC").isoformat(timespec="milliseconds")[:23])
        if random.random() < 0.2:
            drain()
            expire(api)
        player = random.choice(PLAYERS)
        assert unranked(api, board, player) is (player not in model.standing(now))
        score, at = random.randrange(10**6), now - random.choice((0, 1, 30_000, 59_999))
        body: dict[str, Any] = {"submission_id": f"id-{number}", "achieved_at": at}
        expected = model.submit(player, score, at, now)
        if random.random() < 0.3:
            client.fail(UNAVAILABLE["503"], lambda call: call.operation in WRITES, after=True)
            sent = {"player_id": player, "score": score, **body}
            status, _ = api.call("POST", f"/api/leaderboards/{board}/scores", sent)
            assert status in (200, 503)
            client.restart()
        answer = api.submit(board, player, score, **body)
        found = answer["windows"]["all"]
        assert (found["outcome"], found["score"]) == expected, (number, player)
    drain()
    expire(api)
    drain()
    agrees(api, board, {player: one[0] for player, one in model.standing(now).items()})
