"""Any history of submissions with segments, under every policy.

Against a board without dimensions that gets the same: its window holds the same, and each call is
answered the same. And against a model of the segments: each holds what was submitted with it, to
those who are in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mypy_boto3_dynamodb import DynamoDBClient

from ops.rig.tables import TableNames
from tests.functional.conftest import Api, MovingClock
from tests.functional.lives import items_of
from tests.functional.segments import check_reads, stored, submit

REGIONS = ("r0", "r1", "r2")
Score = tuple[int, int]  # with its tie-breaker, larger is better


class Sent(NamedTuple):
    """One submission."""

    player: str
    score: Score
    achieved_at: int | None
    submission_id: str | None
    region: str | None


class Held(NamedTuple):
    """A record that stands."""

    score: Score
    achieved_at: int
    submission_id: str | None


@dataclass
class Model:
    """The segments as each policy makes them, in memory."""

    policy: str
    segments: dict[str, dict[str, Held]] = field(default_factory=dict)
    known: set[tuple[str, str | None]] = field(default_factory=set)

    def submit(self, sent: Sent, now_ms: int) -> None:
        """Takes a submission into its segment, and its player out of the others."""
        if self.policy == "sum":
            if (sent.player, sent.submission_id) in self.known:
                return
            self.known.add((sent.player, sent.submission_id))
        if sent.region is None:
            return
        for region, players in self.segments.items():
            if region != sent.region:
                players.pop(sent.player, None)
        achieved_at = now_ms if sent.achieved_at is None else sent.achieved_at
        new = Held(sent.score, achieved_at, sent.submission_id)
        players = self.segments.setdefault(sent.region, {})
        stood = players.get(sent.player)
        if stood is None:
            players[sent.player] = new
        elif self.policy == "sum":
            players[sent.player] = new._replace(score=(new.score[0] + stood.score[0], 0))
        elif self._beats(new, stood):
            players[sent.player] = new

    def _beats(self, new: Held, stood: Held) -> bool:
        if new.submission_id and (new.submission_id, new.score) == (
            stood.submission_id,
            stood.score,
        ):
            return False
        if self.policy == "latest" and new.achieved_at != stood.achieved_at:
            return new.achieved_at > stood.achieved_at
        return new.score > stood.score

    def standing(self) -> dict[str, dict[str, int]]:
        """The scores by segment, those with nobody left out."""
        return {
            f"all@region:{region}": {player: one.score[0] for player, one in players.items()}
            for region, players in self.segments.items()
            if players
        }


SENT = st.builds(
    Sent,
    player=st.sampled_from(("p", "q")),
    score=st.tuples(st.integers(0, 4), st.integers(0, 1)),
    achieved_at=st.sampled_from((None, 1_000, 2_000, 3_000)),
    submission_id=st.sampled_from((None, "a", "b", "c")),
    region=st.sampled_from((None, *REGIONS)),
)


@given(policy=st.sampled_from(("best", "latest", "sum")), history=st.lists(SENT, max_size=20))
@settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_segments_change_nothing_but_themselves(
    api: Api,
    drain: Callable[[], None],
    moving_clock: MovingClock,
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    policy: str,
    history: list[Sent],
) -> None:
    """The windows of both boards agree item by item, and the segments are the model's."""
    board = f"segments-{uuid4().hex[:12]}"
    columns = [] if policy == "sum" else [{"name": "lives", "range": [0, 9]}]
    config = {"policy": policy, "tie_breakers": columns}
    api.make_board(f"{board}-without", **config)
    api.make_board(board, **config, dimensions=["region"])
    model = Model(policy)
    ids: dict[tuple[str, str], Sent] = {}
    for number, one in enumerate(history):
        sent = one
        if policy == "sum":  # needs an id, which no other score may have
            sent = sent._replace(submission_id=sent.submission_id or f"n{number}")
            sent = ids.setdefault((sent.player, str(sent.submission_id)), sent)
            sent = sent._replace(score=(sent.score[0], 0), region=one.region)
        moving_clock.advance(seconds=1)
        model.submit(sent, moving_clock.now_ms)
        more = {
            "achieved_at": sent.achieved_at,
            "submission_id": sent.submission_id,
            "tie_breakers": {"lives": sent.score[1]} if columns else None,
        }
        more = {name: value for name, value in more.items() if value is not None}
        segments = {"segments": {"region": sent.region}} if sent.region else {}
        without = submit(api, f"{board}-without", sent.player, sent.score[0], **more)
        answer = submit(api, board, sent.player, sent.score[0], **more, **segments)
        assert answer["all"] == without["all"]
    drain()
    standing = stored(dynamodb_client, table_names, board)
    plain = stored(dynamodb_client, table_names, f"{board}-without")
    assert standing.pop("all", {}) == plain.get("all", {})
    assert standing == model.standing()
    assert _records(dynamodb_client, table_names, board) == _records(
        dynamodb_client, table_names, f"{board}-without"
    )
    if not columns:
        _check_counted(api, board, standing)
    for name in (*standing, *(f"all@region:{region}" for region in REGIONS)):
        page = api.call("GET", f"/api/leaderboards/{board}/distribution", query={"window": name})
        assert page[1]["population"] == len(standing.get(name, {}))


def _check_counted(api: Api, board: str, standing: dict[str, dict[str, int]]) -> None:
    for name, players in standing.items():
        if len(set(players.values())) == len(players):
            check_reads(api, board, standing, [name])


def _records(client: DynamoDBClient, tables: TableNames, board: str) -> dict[str, Any]:
    """The items of the window `all`, but for what names the board or the segments."""
    return {
        item["pk"]["S"].rpartition("#")[2]: {
            name: value
            for name, value in item.items()
            if name not in ("pk", "segments", "rank_partition")
        }
        for item in items_of(client, tables.scores, board)
        if f"{board}#all#" in item["pk"]["S"]
    }
