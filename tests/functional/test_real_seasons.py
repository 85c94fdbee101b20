"""Real seasons: added up to careers, a tenth of them sent twice; and the best season of a player.

`python -m ops.bench career_sums` sends all of them.
"""

from collections import Counter
from collections.abc import Callable
from random import Random

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


def test_the_best_season_of_a_player_stands(
    api: Api, board: str, drain: Callable[[], None]
) -> None:
    """Totals by player and year, in a shuffled order, leave each player's best one standing."""
    lines = season_lines()[::10]
    totals: Counter[tuple[str, int]] = Counter()
    for line in lines:
        totals[line.player_id, line.year] += line.home_runs
    seasons = [(player, runs) for (player, _), runs in totals.items()]
    Random(20261130).shuffle(seasons)
    api.make_board(board, score_range=[0, 1_000], layout={"levels": 3})
    for start in range(0, len(seasons), 100):
        scores = [
            {"player_id": player, "score": runs, "achieved_at": 1_000}
            for player, runs in seasons[start : start + 100]
        ]
        results = post(api, board, "/scores/batch", {"scores": scores})["results"]
        assert {one["status"] for one in results} == {200}
    drain()
    best: dict[str, int] = {}
    for player, runs in seasons:
        best[player] = max(best.get(player, 0), runs)
    right = sorted(best.items(), key=lambda one: (-one[1], one[0]))
    entries = walk_pages(api, board, 1_000)
    assert [(one["player_id"], one["score"]) for one in entries] == right
    for place in (1, len(right) // 2, len(right)):
        answer = api.rank(board, right[place - 1][0])
        assert answer["rank_range"][0] <= place <= answer["rank_range"][1]
