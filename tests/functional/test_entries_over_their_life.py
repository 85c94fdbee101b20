"""Entries over their life: whatever happens to players, in any order, every read agrees.

Results come in with and without segments; players are hidden, shown, removed and erased; entries
expire and days end. After each step of quiet the lists, ranks, distributions and counters of every
window and segment are those of a model that knows nothing but the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.rig.events import Context
from ops.rig.tables import TableNames
from tests.functional.conftest import Api, MovingClock
from tests.functional.lives import items_of
from tests.functional.reads import get

PLAYERS = ("ada", "bob", "cyd", 'd"o t')
REGIONS = ("eu", "us")
MODES = ("duo", "solo")
TTL_SECONDS = 7_200
EVENTS = ("submit", "submit", "submit", "hide", "show", "remove", "erase", "wait", "quiet")


class Entry(NamedTuple):
    """What a player achieved."""

    score: int
    achieved_at: int


@dataclass
class Model:
    """What ought to stand: entries by window and player, and who is hidden."""

    policy: str
    ttl_ms: int | None
    entries: dict[str, dict[str, Entry]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)

    def submit(self, windows: list[str], player: str, new: Entry, segments: dict[str, str]) -> None:
        """Feeds some windows and their segments; the player leaves other values' segments."""
        for window in windows:
            for dimension, value in segments.items():
                for name in list(self.entries):
                    whole, _, part = name.partition("@")
                    kind, _, other = part.partition(":")
                    if (whole, kind) == (window, dimension) and other != value:
                        self.entries[name].pop(player, None)
            parts = [f"{window}@{dimension}:{value}" for dimension, value in segments.items()]
            for name in (window, *parts):
                self._feed(name, player, new)

    def _feed(self, window: str, player: str, new: Entry) -> None:
        held = self.entries.setdefault(window, {})
        old = held.get(player)
        if old is None or self._has_expired(old, new.achieved_at):
            held[player] = new
        elif self.policy == "sum":
            held[player] = Entry(old.score + new.score, new.achieved_at)
        elif self.policy == "latest" or new.score > old.score:
            held[player] = new

    def _has_expired(self, entry: Entry, now_ms: int) -> bool:
        return self.ttl_ms is not None and entry.achieved_at <= now_ms - self.ttl_ms

    def remove(self, player: str) -> None:
        """Takes a player out of every window."""
        for held in self.entries.values():
            held.pop(player, None)

    def standing(self, window: str, now_ms: int) -> list[tuple[str, int]]:
        """Who is to be seen in a window, in order; equal scores by time, then id."""
        seen = [
            (-one.score, one.achieved_at, player)
            for player, one in self.entries.get(window, {}).items()
            if player not in self.hidden and not self._has_expired(one, now_ms)
        ]
        return [(player, -score) for score, _, player in sorted(seen)]


@dataclass
class Played:
    """A board with its model, and the clock that both go by."""

    api: Api
    drain: Callable[[], None]
    clock: MovingClock
    board: str
    model: Model
    windows: set[str] = field(default_factory=set)
    submissions: int = 0

    def submit(self, player: str, score: int, segments: dict[str, str]) -> None:
        """One result, at a time of its own."""
        self.clock.advance(seconds=1)
        self.submissions += 1
        more = {"segments": segments} if segments else {}
        answer = self.api.submit(
            self.board, player, score, submission_id=f"s{self.submissions}", **more
        )
        fed = list(answer["windows"])
        self.windows.update(fed)
        own = [name for name in fed if "@" not in name]
        self.model.submit(own, player, Entry(score, self.clock.now_ms), segments)

    def hide(self, player: str, hidden: bool) -> None:
        """Hides a player, or shows them again."""
        path = f"/api/admin/leaderboards/{self.board}/players/{player}/visibility"
        assert self.api.call("PUT", path, {"hidden": hidden})[0] == 204
        (self.model.hidden.add if hidden else self.model.hidden.discard)(player)

    def remove(self, player: str) -> None:
        """Removes a player from the board; a hidden one stays hidden."""
        path = f"/api/admin/leaderboards/{self.board}/players/{player}"
        assert self.api.call("DELETE", path)[0] == 204
        self.model.remove(player)

    def erase(self, player: str) -> None:
        """Erases a player, with the flag that hid them."""
        path, query = f"/api/admin/players/{player}", {}
        status = 202
        while status == 202:
            status, answer = self.api.call("DELETE", path, query=query)
            query = {"cursor": answer["next_cursor"]}
        assert status == 200
        self.model.remove(player)
        self.model.hidden.discard(player)

    def settle(self) -> None:
        """Lets what has expired go, the stream be counted and every cache lapse."""
        self.api.handlers[names.EXPIRE].handler({}, Context(timeout_seconds=60))
        self.drain()

    def check(self) -> None:
        """Holds every read of every window against the model."""
        for window in sorted(self.windows):
            right = self.model.standing(window, self.clock.now_ms)
            self._check_lists(window, right)
            self._check_players(window, right)

    def _check_lists(self, window: str, right: list[tuple[str, int]]) -> None:
        top = get(self.api, self.board, "/top", window=window)
        assert [(one["player_id"], one["score"]) for one in top["entries"]] == right, window
        assert top["population"] == len(right), window
        spread = get(self.api, self.board, "/distribution", window=window)
        assert sum(one["count"] for one in spread["buckets"]) == len(right), window
        for one in spread["buckets"]:
            inside = [1 for _, score in right if one["low"] <= score <= one["high"]]
            assert len(inside) == one["count"], window
        friends = {"player_id": PLAYERS[0], "friend_ids": list(PLAYERS[1:])}
        path = f"/api/leaderboards/{self.board}/friends"
        status, answer = self.api.call("POST", path, friends, query={"window": window})
        assert status == 200, answer
        assert [(one["player_id"], one["score"]) for one in answer["entries"]] == right
        assert sorted(answer["unranked"]) == sorted({*PLAYERS} - {player for player, _ in right})

    def _check_players(self, window: str, right: list[tuple[str, int]]) -> None:
        places = {player: place for place, (player, _) in enumerate(right, start=1)}
        for player in PLAYERS:
            answer = self.api.rank(self.board, player, window=window)
            if player not in places:
                assert (answer["kind"], answer["rank"]) == ("unranked", None), (window, player)
                continue
            assert (answer["rank"], answer["score"]) == (places[player], dict(right)[player])
            around = get(self.api, self.board, f"/players/{player}/around", window=window, k=3)
            assert [(one["player_id"], one["score"]) for one in around["entries"]] == right


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, str, int, dict[str, str], int]]:
    """Events in order: what, who, a score, segments, and minutes."""
    segments = st.fixed_dictionaries(
        {}, optional={"region": st.sampled_from(REGIONS), "mode": st.sampled_from(MODES)}
    )
    event = st.tuples(
        st.sampled_from(EVENTS),
        st.sampled_from(PLAYERS),
        st.integers(0, 60),
        segments,
        st.sampled_from((1, 61, 119, 121, 800)),
    )
    return draw(st.lists(event, min_size=4, max_size=24))


@pytest.mark.parametrize("policy", ["best", "latest", "sum"])
@given(
    history=histories(),
    ttl_seconds=st.sampled_from((None, TTL_SECONDS)),
    index_shards=st.sampled_from((1, 3)),
)
@settings(
    max_examples=6,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_read_agrees_whatever_happens_to_players(
    api: Api,
    drain: Callable[[], None],
    moving_clock: MovingClock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
    history: list[tuple[str, str, int, dict[str, str], int]],
    ttl_seconds: int | None,
    index_shards: int,
) -> None:
    """At each quiet point, and at the end when everybody has been erased nothing is left."""
    board = f"life-{uuid4().hex[:12]}"
    config: dict[str, Any] = {"policy": policy, "windows": ["all", "daily"]}
    config |= {"dimensions": ["region", "mode"], "layout": {"index_shards": index_shards}}
    api.make_board(board, **config, entry_ttl_seconds=ttl_seconds)
    model = Model(policy, ttl_seconds and ttl_seconds * 1_000)
    played = Played(api, drain, moving_clock, board, model)
    for event, player, score, segments, minutes in history:
        if event == "submit":
            played.submit(player, score, segments)
        elif event in ("hide", "show"):
            played.hide(player, event == "hide")
        elif event == "wait":
            moving_clock.advance(minutes=minutes)
        elif event == "quiet":
            played.settle()
            played.check()
        else:
            (played.remove if event == "remove" else played.erase)(player)
    played.settle()
    played.check()
    for player in PLAYERS:
        played.erase(player)
    assert items_of(dynamodb_client, table_names.scores, board) == []
    played.settle()
    played.check()
