"""Real seasons added up to careers: a tenth of all lines, shuffled, a tenth of those sent twice.

`python -m ops.bench career_sums` sends all of them.
"""

from collections.abc import Callable

from ops.demo_data import careers, in_some_order, season_lines
from tests.functional.conftest import Api
from tests.functional.reads import get, post, walk_pages


def test_careers_are_the_sums_of_their_seasons(
    api: Api, board: str, drain: Callable[[], None]
) -> None:
    """Every player's sum is right, and so are list, counters and the number of duplicates."""
    lines = season_lines()[::10]
    api.make_board(board, policy="sum", score_range=[0, 1_000])
    sent = in_some_order(lines, seed=20261130)
    outcomes = []
    for start in range(0, len(sent), 100):
        scores = [
            {
                "player_id": line.player_id,
                "score": line.home_runs,
                "submission_id": line.submission_id,
                "achieved_at": 1_000,
            }
            for line in sent[start : start + 100]
        ]
        results = post(api, board, "/scores/batch", {"scores": scores})["results"]
        assert {one["status"] for one in results} == {200}
        outcomes += [one["outcome"] for one in results]
    right = careers(lines)
    assert outcomes.count("duplicate") == len(sent) - len(lines)
    assert outcomes.count("new") == len(right)
    drain()
    entries = walk_pages(api, board, 1_000)
    assert [(one["player_id"], one["score"]) for one in entries] == list(right.items())
    assert [one["rank"] for one in entries] == [*range(1, len(right) + 1)]
    spread = get(api, board, "/distribution")
    assert spread["population"] == sum(one["count"] for one in spread["buckets"]) == len(right)
