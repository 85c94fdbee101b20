"""Ranks of scores, whether anyone holds them or not."""

from typing import Any

import pytest

from tests.functional.reads import KINDS, named, post

SCORES = {f"p{i:03d}": (i * 37) % 23 * 1_000 for i in range(120)}
ASKED = [0, 1, 500, 1_000, 11_000, 11_001, 22_000, 22_001, 10**12]


def truth(scores: list[int], score: int, config: Any) -> int:
    """The rank of one who comes behind all who are as good, or shares theirs."""
    sign = -1 if config["order"] == "desc" else 1
    ahead = sum(sign * one < sign * score for one in scores)
    return 1 + ahead + (scores.count(score) if config["ties"] == "ordinal" else 0)


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_a_score_ranks_behind_all_who_hold_it_or_shares_their_rank(
    api: Any, drain: Any, board: str, config: Any
) -> None:
    """Exact on a small board, for scores that many, one or none hold, duplicates included."""
    api.make_board(board, **config)
    api.submit_all(board, SCORES)
    drain()
    answer = post(api, board, "/ranks", {"scores": [*ASKED, 0]})
    assert [one["score"] for one in answer["ranks"]] == [*ASKED, 0]
    for one in answer["ranks"]:
        right = truth(list(SCORES.values()), one["score"], config)
        assert (one["kind"], one["rank"], one["population"]) == ("exact", right, 121)
        low, high = one["percentile_range"]
        assert low <= 100 * right / 121 <= high <= 100


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_deep_ranks_hold_the_truth_within_one_budget(
    api: Any, drain: Any, board: str, config: Any
) -> None:
    """All scores of a request count `exact_limit` entries at most; the rest are ranges."""
    api.make_board(board, **config, exact_limit=20, top_exact=5, count_limit=5)
    api.submit_all(board, SCORES)
    drain()
    answer = post(api, board, "/ranks", {"scores": list(range(0, 23_000, 500))})
    for one in answer["ranks"]:
        right = truth(list(SCORES.values()), one["score"], config)
        first, last = one["rank_range"]
        assert first <= right <= last <= one["population"]
        assert first <= one["approximate_rank"] <= last
        assert one["rank"] == (right if one["kind"] == "exact" else None)
    kinds = {one["kind"] for one in answer["ranks"]}
    assert "estimated" in kinds or config["layout"]["levels"] == 3


def test_an_empty_board_and_scores_no_board_takes(api: Any, board: str) -> None:
    """The first player would be first; a score outside the range is named by its place."""
    api.make_board(board, score_range=[-10, 10])
    (only,) = post(api, board, "/ranks", {"scores": [-10]})["ranks"]
    assert (only["rank"], only["population"]) == (1, 1)
    assert only["percentile_range"] == [100.0, 100.0]
    path = f"/api/leaderboards/{board}/ranks"
    status, answer = api.call("POST", path, {"scores": [0, 11, -11]})
    assert (status, answer["code"]) == (422, "invalid_fields")
    assert [one["field"] for one in answer["errors"]] == ["scores.1", "scores.2"]
    for scores in ([], [1] * 101, [1.5], ["1"], [True], None):
        status, answer = api.call("POST", path, {"scores": scores})
        assert (status, answer["code"]) == (422, "invalid_fields")
