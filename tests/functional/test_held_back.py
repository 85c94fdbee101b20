"""Reads while the counters lag: the stream is counted to a random point, and no further.

What the index says is true at once. What the counters say was true at a moment before, so no
answer of theirs is further off than there are records they have not seen.
"""

from itertools import pairwise
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lambdas import names
from ops.rig.events import Context, stream_event
from ops.rig.streams import StreamReader
from tests.functional.conftest import Api
from tests.functional.reads import post, walk_pages

SHARD = "shardId-00000000000000000000-00000001"
Submitted = list[tuple[int, int]]  # the number of a player, and a score


@st.composite
def boards(draw: st.DrawFn) -> tuple[dict[str, Any], Submitted]:
    """A board with limits that its few players pass, and what is submitted to it, in order."""
    config = {
        "order": draw(st.sampled_from(("desc", "asc"))),
        "ties": draw(st.sampled_from(("ordinal", "shared"))),
        "score_range": [0, 99_999],
        "exact_limit": draw(st.sampled_from((4, 8))),
        "top_exact": draw(st.integers(1, 4)),
        "count_limit": draw(st.integers(1, 4)),
        "layout": {
            "levels": draw(st.integers(1, 3)),
            "index_shards": draw(st.sampled_from((1, 3))),
        },
    }
    few = st.sampled_from(draw(st.lists(st.integers(0, 99_999), min_size=1, max_size=8)))
    score = draw(st.sampled_from((few, st.integers(0, 99_999), st.integers(5_000, 5_020))))
    return config, draw(st.lists(st.tuples(st.integers(0, 39), score), min_size=1, max_size=60))


@given(drawn=boards(), data=st.data())
@settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_answer_is_further_off_than_the_counters_are_behind(
    api: Api,
    handlers: dict[str, ModuleType],
    reader: StreamReader,
    drawn: tuple[dict[str, Any], Submitted],
    data: st.DataObject,
) -> None:
    """Lists are true, `index` ranks too, and better scores rank no worse within one basis."""
    config, submitted = drawn
    board = f"held-{uuid4().hex[:12]}"
    reader.new_records()  # of other boards
    api.make_board(board, **config)
    for number, score in submitted:
        one = {"player_id": f"p{number:02d}", "score": score, "achieved_at": 1_000}
        post(api, board, "/scores/batch", {"scores": [one]})
    records = reader.new_records()
    seen = data.draw(st.integers(0, len(records)), label="records counted")
    handlers[names.COUNT].handler(stream_event(records[:seen], SHARD, state={}), Context())
    handlers[names.READ].connection.forget()
    _check(api, board, len(records) - seen, config)
    reads = handlers[names.READ].connection
    handlers[names.COUNT].handler(stream_event(records[seen:], SHARD, state={}), Context())
    reads.forget()


def _check(api: Api, board: str, behind: int, config: dict[str, Any]) -> None:
    right = walk_pages(api, board, 1_000)
    for place, entry in enumerate(right):
        asked = f"/api/leaderboards/{board}/players/{entry['player_id']}/around"
        status, answer = api.call("GET", asked, query={"k": "2"})
        if status == 503:  # more are ahead than were ever counted, which bounds nothing
            assert behind
            continue
        first, last = answer["rank_range"]
        slack = 0 if answer["basis"] == "index" else behind
        assert first - slack <= entry["rank"] <= last + slack
        assert 1 <= first <= last <= answer["population"]
        listed = [one["player_id"] for one in answer["entries"]]
        start = min(max(place - 2, 0), max(0, len(right) - 5))
        assert listed == [one["player_id"] for one in right[start : start + 5]]
    _check_scores(api, board, right, behind, config)
    _check_places(api, board, right, behind)


def _check_scores(
    api: Api, board: str, right: list[dict[str, Any]], behind: int, config: dict[str, Any]
) -> None:
    sign = -1 if config["order"] == "desc" else 1
    scores = sorted({one["score"] for one in right}, key=lambda score: sign * score)
    asked = f"/api/leaderboards/{board}/ranks"
    status, answer = api.call("POST", asked, {"scores": scores})
    if status == 503:
        assert behind
        return
    for one in answer["ranks"]:
        worse = 0 if config["ties"] == "shared" else 1
        rank = 1 + sum(sign * entry["score"] < sign * one["score"] + worse for entry in right)
        slack = 0 if one["basis"] == "index" else behind
        first, last = one["rank_range"]
        assert first - slack <= rank <= last + slack
        assert 1 <= first <= last <= one["population"]
    for basis in ("index", "counters"):
        for name in ("rank_range", "percentile_range"):
            ranges = [one[name] for one in answer["ranks"] if one["basis"] == basis]
            assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(ranges)), name


def _check_places(api: Api, board: str, right: list[dict[str, Any]], behind: int) -> None:
    for place in range(1, len(right) + 1, 3):
        asked = f"/api/leaderboards/{board}/standing"
        status, answer = api.call("GET", asked, query={"rank": str(place)})
        assert status == 200, answer
        if answer["kind"] == "vacant":
            assert behind
            continue
        low, high = answer["score_range"]
        near = right[max(0, place - 1 - behind) : place + behind]
        assert min(one["score"] for one in near) <= high
        assert max(one["score"] for one in near) >= low
        if answer["basis"] == "index":
            assert answer["score"] == right[place - 1]["score"]


@pytest.mark.parametrize("ties", ["ordinal", "shared"])
def test_a_tie_beyond_every_limit(api: Any, drain: Any, board: str, ties: str) -> None:
    """Thousands on one score: an ordinal rank among them is a range, their shared rank exact."""
    limits = {"exact_limit": 20, "top_exact": 5, "count_limit": 5}
    api.make_board(board, ties=ties, score_range=[0, 99], layout={"levels": 2}, **limits)
    scores = {f"a{i:02d}": 90 for i in range(30)} | {f"b{i:02d}": 80 for i in range(30)}
    api.submit_all(board, scores | {"last": 0})
    drain()
    deep = api.rank(board, "b20")
    assert deep["rank_range"] == ([31, 31] if ties == "shared" else [31, 60])
    assert deep["explain"]["entries_counted"] == 0
    (asked,) = post(api, board, "/ranks", {"scores": [80]})["ranks"]
    assert asked["rank"] == (31 if ties == "shared" else 61)
    entries = walk_pages(api, board, 7)
    shared = [1] * 30 + [31] * 30 + [61]
    assert [one["rank"] for one in entries] == (shared if ties == "shared" else [*range(1, 62)])
