"""Any history of submissions and repeats, under every policy, against a model of each.

Submissions arrive late, twice and out of order, days apart; some lose their reply after they took
effect and are sent again. At the end every window's list is the model's, and so are the counters.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functional.conftest import Api, MovingClock
from tests.functional.failing import UNAVAILABLE, WatchedClient
from tests.functional.reads import get
from tests.instants import ms

STARTS_MS = ms("2026-11-29T18:00:00")
HOUR_MS = 3_600_000
DAYS = ("d2026-11-29", "d2026-11-30", "d2026-12-01")
WRITES = ("update_item", "transact_write_items")
RANGE = (-60, 60)
Standing = tuple[int, int]  # a score, and when it was achieved


@dataclass(frozen=True)
class Sent:
    """One submission, and the hours after the start at which it arrives, for each time it does.

    Attributes:
        hours_ago: how long before its first arrival it was achieved.
        lost: whether the reply to its first arrival is lost.
    """

    number: int
    player: str
    score: int
    hours_ago: int
    arrivals: tuple[int, ...]
    lost: bool

    @property
    def achieved_at(self) -> int:
        """Milliseconds since 1970, the same each time it is sent."""
        return STARTS_MS + (self.arrivals[0] - self.hours_ago) * HOUR_MS


@dataclass
class Model:
    """What each policy makes of submissions, in memory."""

    policy: str
    sign: int
    windows: dict[str, dict[str, Standing]] = field(default_factory=dict)
    ledger: dict[int, bool] = field(default_factory=dict)

    def submit(self, sent: Sent, day: str) -> bool:
        """Takes a submission into its windows; whether it could be taken."""
        if self.policy == "sum":
            return self._add(sent, day)
        for window in ("all", day):
            stood = self.windows.setdefault(window, {}).get(sent.player)
            new = sent.score, sent.achieved_at
            if stood is None or self._beats(new, stood):
                self.windows[window][sent.player] = new
        return True

    def _add(self, sent: Sent, day: str) -> bool:
        if sent.number in self.ledger:
            return True
        stood = {w: self.windows.setdefault(w, {}).get(sent.player, (0, 0)) for w in ("all", day)}
        sums = {w: (s + sent.score, max(at, sent.achieved_at)) for w, (s, at) in stood.items()}
        if not all(RANGE[0] <= score <= RANGE[1] for score, _ in sums.values()):
            return False
        for window, standing in sums.items():
            self.windows[window][sent.player] = standing
        self.ledger[sent.number] = True
        return True

    def _beats(self, new: Standing, old: Standing) -> bool:
        is_better = self.sign * new[0] < self.sign * old[0]
        if self.policy == "best":
            return is_better
        return new[1] > old[1] or (new[1] == old[1] and is_better)

    def listed(self, window: str) -> list[tuple[str, int, int]]:
        """Players, scores and times of a window, as the board ranks them."""
        entries = self.windows.get(window, {}).items()
        rows = [(player, score, at) for player, (score, at) in entries]
        return sorted(rows, key=lambda row: (self.sign * row[1], row[2], row[0]))


@st.composite
def histories(draw: st.DrawFn) -> list[Sent]:
    """Submissions with their arrivals over two days; time of achievement may be shared."""
    count = draw(st.integers(1, 25))
    return [
        Sent(
            number=number,
            player=f"p{draw(st.integers(0, 4))}",
            score=draw(st.integers(-25, 25)),
            hours_ago=draw(st.integers(0, 6)),
            arrivals=tuple(
                sorted(draw(st.lists(st.integers(0, 40), min_size=1, max_size=3))),
            ),
            lost=draw(st.booleans()),
        )
        for number in range(count)
    ]


@given(
    policy=st.sampled_from(("best", "latest", "sum")),
    order=st.sampled_from(("desc", "asc")),
    levels=st.integers(1, 3),
    history=histories(),
)
@settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_window_holds_what_the_model_says(
    api: Api,
    drain: Callable[[], None],
    client: WatchedClient,
    moving_clock: MovingClock,
    policy: str,
    order: str,
    levels: int,
    history: list[Sent],
) -> None:
    """Lists of all windows and the counters agree with the model, whatever came how often."""
    board = f"policy-{uuid4().hex[:12]}"
    moving_clock.now_ms = STARTS_MS
    api.make_board(
        board,
        policy=policy,
        order=order,
        score_range=list(RANGE),
        windows=["all", "daily"],
        layout={"levels": levels, "spacing": "linear"},
    )
    model = Model(policy, -1 if order == "desc" else 1)
    arrivals = sorted((at, sent.number) for sent in history for at in sent.arrivals)
    lost = {sent.number for sent in history if sent.lost}
    for at, number in arrivals:
        moving_clock.now_ms = STARTS_MS + at * HOUR_MS
        day = DAYS[(18 + at) // 24]
        _send(api, client, board, history[number], model.submit(history[number], day), lost)
    client.restart()
    drain()
    for window in ("all", *DAYS):
        page = get(api, board, "/top", window=window)
        rows = [(one["player_id"], one["score"], one["achieved_at"]) for one in page["entries"]]
        assert rows == model.listed(window)
        assert page["population"] == len(rows)
        spread = get(api, board, "/distribution", window=window)["buckets"]
        for bucket in spread:
            in_bucket = [s for _, s, _ in rows if bucket["low"] <= s <= bucket["high"]]
            assert bucket["count"] == len(in_bucket)
        assert sum(bucket["count"] for bucket in spread) == len(rows)


def _send(
    api: Api, client: WatchedClient, board: str, sent: Sent, taken: bool, lost: set[int]
) -> None:
    body: dict[str, Any] = {
        "player_id": sent.player,
        "score": sent.score,
        "achieved_at": sent.achieved_at,
        "submission_id": f"id-{sent.number}",
    }
    path = f"/api/leaderboards/{board}/scores"
    if sent.number in lost:
        lost.discard(sent.number)
        error = UNAVAILABLE["ReadTimeoutError"]
        client.fail(error, lambda call: call.operation in WRITES, after=True)
        assert api.call("POST", path, body)[0] in (200, 422, 503)
        client.restart()
    status, answer = api.call("POST", path, body)
    assert status == (200 if taken else 422), answer
