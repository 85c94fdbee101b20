"""One quiet board, and every read of it: they all tell of the same list.

Boards are drawn at random: ranges at the ends of 64 bits, every order and level, one and several
index shards, ties of any size and players who submit again.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lambdas.domain.boards import INT64
from lambdas.domain.cells import Span
from tests.functional.conftest import Api
from tests.functional.reads import get, post, ranks_in, walk_pages
from tests.properties.strategies import scores

RANGES = (Span(0, 10**12), Span(0, 9), INT64, Span(-500, 500), Span(2**63 - 3, 2**63 - 1))
Scores = list[tuple[int, int]]  # the number of a player, and a score


@st.composite
def boards(draw: st.DrawFn) -> tuple[dict[str, Any], Scores]:
    """A board's config and what is submitted to it, in order."""
    span = draw(st.sampled_from(RANGES))
    exact_limit = draw(st.sampled_from((6, 12, 2_000)))
    config = {
        "order": draw(st.sampled_from(("desc", "asc"))),
        "ties": draw(st.sampled_from(("ordinal", "shared"))),
        "score_range": list(span),
        "exact_limit": exact_limit,
        "top_exact": draw(st.integers(1, 6)),
        "count_limit": draw(st.integers(1, 6)),
        "layout": {
            "levels": draw(st.integers(1, 3)),
            "index_shards": draw(st.sampled_from((1, 3))),
            "buckets": 64,
        },
    }
    few = st.sampled_from(draw(st.lists(scores(span), min_size=1, max_size=3)))
    score = draw(st.sampled_from((few, scores(span), st.one_of(few, scores(span)))))
    return config, draw(st.lists(st.tuples(st.integers(0, 39), score), max_size=60))


@given(drawn=boards())
@settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_read_agrees_with_the_list(
    api: Api, drain: Callable[[], None], drawn: tuple[dict[str, Any], Scores]
) -> None:
    """Exact ranks are places in the list, ranges contain them, lists are parts of it."""
    config, submitted = drawn
    board = f"agree-{uuid4().hex[:12]}"
    api.make_board(board, **config)
    best: dict[str, int] = {}
    sign = -1 if config["order"] == "desc" else 1
    for number, score in submitted:
        player = f"p{number:02d}"
        best[player] = min(best.get(player, score), score, key=lambda one: sign * one)
    for start in range(0, len(submitted), 100):
        batch = [
            {"player_id": f"p{number:02d}", "score": score, "achieved_at": 1_000}
            for number, score in submitted[start : start + 100]
        ]
        post(api, board, "/scores/batch", {"scores": batch})
    drain()
    right = sorted(best.items(), key=lambda one: (sign * one[1], one[0]))
    ranks = ranks_in(right, config["ties"])
    _check_lists(api, board, right, ranks)
    for place, (player, score) in enumerate(right, start=1):
        _check_player(api, board, right, ranks, place)
        _check_standing(api, board, len(right), place, player, score)
    _check_ranks(api, board, right, sign, shared=config["ties"] == "shared")
    _check_distribution(api, board, [score for _, score in right])
    assert get(api, board, "")["windows"][0]["population"] == len(right)


def _check_lists(api: Api, board: str, right: list[tuple[str, int]], ranks: list[int]) -> None:
    for limit in (3, 1_000):
        entries = walk_pages(api, board, limit)
        assert [(one["player_id"], one["score"]) for one in entries] == right
        assert [one["rank"] for one in entries] == ranks
    for rank in range(1, len(right) + 2, 4):
        query = {"start_rank": str(rank), "limit": "2"}
        status, page = api.call("GET", f"/api/leaderboards/{board}/top", query=query)
        assert status in (200, 422)
        if status == 200:
            listed = [(one["rank"], one["player_id"]) for one in page["entries"]]
            players = [player for player, _ in right]
            assert listed == list(zip(ranks, players, strict=True))[rank - 1 : rank + 1]
    if right:
        everyone = {"player_id": "p99", "friend_ids": [player for player, _ in right]}
        answer = post(api, board, "/friends", everyone)
        assert [(one["player_id"], one["score"]) for one in answer["entries"]] == right
        assert [one["rank"] for one in answer["entries"]] == ranks
        assert answer["unranked"] == ["p99"]


def _check_player(
    api: Api, board: str, right: list[tuple[str, int]], ranks: list[int], place: int
) -> None:
    player, rank = right[place - 1][0], ranks[place - 1]
    answer = get(api, board, f"/players/{player}/around", k=2)
    assert answer["rank_range"][0] <= rank <= answer["rank_range"][1] <= answer["population"]
    assert answer["rank"] == (rank if answer["kind"] == "exact" else None)
    size = min(5, len(right))
    first = min(max(place - 2, 1), len(right) - size + 1)
    listed = [(one["player_id"], one["score"]) for one in answer["entries"]]
    assert listed == right[first - 1 : first - 1 + size]
    for its_place, one in enumerate(answer["entries"], start=first):
        assert one["offset"] == its_place - place
        if answer["kind"] == "exact":
            # beyond so many ties the ranks of the others are not looked for
            assert one["rank"] == ranks[its_place - 1] or (one["rank"] is None and rank < place)
        else:
            assert one["rank"] is None


def _check_standing(api: Api, board: str, players: int, rank: int, player: str, score: int) -> None:
    answer = get(api, board, "/standing", rank=rank)
    assert answer["kind"] in ("exact", "estimated")
    low, high = answer["score_range"]
    assert low <= score <= high
    assert answer["score"] == (score if answer["kind"] == "exact" else None)
    assert answer["player_id"] in (player, None)
    assert answer["population"] == players


def _check_ranks(
    api: Api, board: str, right: list[tuple[str, int]], sign: int, *, shared: bool
) -> None:
    asked = [score for _, score in right][:100]
    if not asked:
        return
    ranks = post(api, board, "/ranks", {"scores": asked[::-1]})["ranks"]
    by_counters = [one["rank_range"] for one in ranks[::-1] if one["basis"] == "counters"]
    for bound in (0, 1):  # a better score has no worse bound
        assert [one[bound] for one in by_counters] == sorted(one[bound] for one in by_counters)
    for one in ranks:
        better = (sign * score < sign * one["score"] for _, score in right)
        no_worse = (sign * score <= sign * one["score"] for _, score in right)
        rank = 1 + sum(better if shared else no_worse)
        assert one["rank_range"][0] <= rank <= one["rank_range"][1] <= one["population"]
        assert one["rank"] == (rank if one["kind"] == "exact" else None)
        assert one["population"] == len(right) + 1


def _check_distribution(api: Api, board: str, right: list[int]) -> None:
    answer = get(api, board, "/distribution")
    assert answer["population"] == sum(one["count"] for one in answer["buckets"]) == len(right)
    for bucket in answer["buckets"]:
        assert bucket["count"] == sum(bucket["low"] <= one <= bucket["high"] for one in right)
    for one in answer["quantiles"]:
        low, high = one["score_range"]
        assert low <= right[one["rank"] - 1] <= high
