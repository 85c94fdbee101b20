"""What stands at a rank or a share of the board, and how players spread over scores."""

from fractions import Fraction
from typing import Any

import pytest

from tests.functional.reads import KINDS, get, named, ordered, problem

SCORES = {f"p{i:03d}": (i * 37) % 23 * 1_000 for i in range(130)}


@pytest.mark.parametrize("config", KINDS, ids=named)
@pytest.mark.parametrize("limits", [{}, {"top_exact": 10, "count_limit": 8}], ids=["", "low"])
def test_each_rank_is_held_by_who_the_list_says(
    api: Any, drain: Any, board: str, config: Any, limits: Any
) -> None:
    """Score, player and holders agree with the list; a range of scores holds the right one."""
    api.make_board(board, **config, **limits)
    api.submit_all(board, SCORES)
    drain()
    right = ordered(SCORES, config["order"])
    held = list(SCORES.values())
    for rank in (1, 2, 10, 11, 64, 100, 101, 129, 130):
        player, score = right[rank - 1]
        answer = get(api, board, "/standing", rank=rank)
        assert (answer["rank"], answer["population"]) == (rank, 130)
        low, high = answer["score_range"]
        assert low <= score <= high
        assert answer["score"] == (score if low == high else None)
        assert answer["holders"] in (held.count(score), None)
        assert answer["player_id"] in (player, None)
        if answer["kind"] == "estimated":
            assert (answer["holders"], answer["player_id"]) == (None, None)
            assert config["layout"]["levels"] < 3
        else:
            assert low == high
            assert rank > 10 or answer["player_id"] == player
            assert answer["holders"] == held.count(score)
    for rank in (131, 2**63 - 1):
        answer = get(api, board, "/standing", rank=rank)
        assert (answer["kind"], answer["score_range"]) == ("vacant", None)


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_a_percentile_is_the_last_rank_within_it(
    api: Any, drain: Any, board: str, config: Any
) -> None:
    """The score to reach for being among the best so many percent; at least the first rank."""
    api.make_board(board, **config)
    api.submit_all(board, SCORES)
    drain()
    for percentile in ("0.001", "1", "5", "7.7", "50", "99.99", "100"):
        rank = max(1, int(Fraction(percentile) * 130 / 100))
        by_percentile = get(api, board, "/standing", percentile=percentile)
        assert by_percentile == get(api, board, "/standing", rank=rank)


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_the_distribution_counts_everyone_once(
    api: Any, drain: Any, board: str, config: Any
) -> None:
    """Occupied buckets tile the list in order; every quantile contains its score."""
    api.make_board(board, **config)
    api.submit_all(board, SCORES)
    drain()
    answer = get(api, board, "/distribution")
    right = [score for _, score in ordered(SCORES, config["order"])]
    assert answer["population"] == sum(one["count"] for one in answer["buckets"]) == 130
    listed = list(right)
    for bucket in answer["buckets"]:
        inside, listed = listed[: bucket["count"]], listed[bucket["count"] :]
        assert inside
        assert bucket["low"] <= min(inside) <= max(inside) <= bucket["high"]
    assert [one["percentile"] for one in answer["quantiles"]] == [1, 5, 25, 50, 75, 95, 99]
    for one in answer["quantiles"]:
        assert one["rank"] == max(1, one["percentile"] * 130 // 100)
        low, high = one["score_range"]
        assert low <= right[one["rank"] - 1] <= high
        assert one["score"] == (low if low == high else None)
    if config["layout"]["levels"] == 3:
        assert any(one["score"] is not None for one in answer["quantiles"])


def test_an_empty_board_and_a_board_of_one(api: Any, drain: Any, board: str) -> None:
    """Nobody stands anywhere, then one player at every percentile."""
    api.make_board(board)
    for query in ({"rank": 1}, {"rank": 500}, {"percentile": 50}):
        answer = get(api, board, "/standing", **query)
        assert (answer["kind"], answer["population"]) == ("vacant", 0)
    empty = get(api, board, "/distribution")
    assert (empty["population"], empty["buckets"], empty["quantiles"]) == (0, [], [])
    api.submit_all(board, {"sole": 0})
    drain()
    for query in ({"rank": 1}, {"percentile": 0.5}, {"percentile": 100}):
        answer = get(api, board, "/standing", **query)
        assert (answer["player_id"], answer["score"], answer["holders"]) == ("sole", 0, 1)
    assert len(get(api, board, "/distribution")["quantiles"]) == 7
    assert get(api, board, "/standing", rank=2)["kind"] == "vacant"


def test_exactly_one_of_rank_and_percentile_is_named(api: Any, board: str) -> None:
    """Neither, both, and numbers that are no rank and no share are refused."""
    api.make_board(board)
    for query in (
        {},
        {"rank": 1, "percentile": 1},
        {"rank": 0},
        {"rank": "1.0"},
        {"rank": 2**63},
        {"percentile": 0},
        {"percentile": 101},
        {"percentile": "nan"},
        {"percentile": "inf"},
        {"percentile": "x"},
    ):
        assert problem(api, f"{board}/standing", **query)[:2] == (422, "invalid_fields")
