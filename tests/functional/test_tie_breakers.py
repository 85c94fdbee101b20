"""Boards that rank by tie-breakers too: in lists, ranks, ties and what is refused."""

import json
from typing import Any

import pytest

from tests.functional.reads import get, post, ranks_in, walk_pages

COLUMNS = [
    {"name": "deaths", "order": "asc", "range": [0, 99]},
    {"name": "balance", "order": "desc", "range": [-50, 50]},
]
RUNS = {
    f"p{i:02d}": (1_000 + i % 3, {"deaths": i % 4, "balance": (i * 7) % 5 - 2}) for i in range(60)
}


def standing(run: tuple[int, dict[str, int]]) -> tuple[int, int, int]:
    """What ranks: more points, fewer deaths, more balance."""
    return -run[0], run[1]["deaths"], -run[1]["balance"]


@pytest.mark.parametrize("ties", ["ordinal", "shared"])
@pytest.mark.parametrize("levels", [1, 3])
def test_every_read_ranks_by_all_columns(
    api: Any, drain: Any, board: str, ties: str, levels: int
) -> None:
    """Only records that agree in all columns tie; entries show their columns by name."""
    limits = {"top_exact": 7, "exact_limit": 60, "count_limit": 10}
    api.make_board(board, tie_breakers=COLUMNS, ties=ties, layout={"levels": levels}, **limits)
    for player, (score, columns) in RUNS.items():
        api.submit(board, player, score, tie_breakers=columns, achieved_at=1_000)
    drain()
    right = sorted(RUNS, key=lambda player: (*standing(RUNS[player]), player))
    seen: dict[tuple[int, int, int], int] = {}
    ranks = [seen.setdefault(standing(RUNS[one]), place) for place, one in enumerate(right, 1)]
    if ties == "ordinal":
        ranks = ranks_in([(one, 0) for one in right], ties)
    entries = walk_pages(api, board, 7)
    assert [(one["player_id"], one["rank"]) for one in entries] == [*zip(right, ranks, strict=True)]
    assert [one["tie_breakers"] for one in entries] == [RUNS[player][1] for player in right]
    for place in (0, 1, 20, 41, 59):
        found = get(api, board, f"/players/{right[place]}/around", k=2)
        assert (found["kind"], found["rank"]) == ("exact", ranks[place])
        assert found["tie_breakers"] == RUNS[right[place]][1]
        at = next(i for i, one in enumerate(found["entries"]) if one["offset"] == 0)
        shown = [one["rank"] for one in found["entries"]]
        assert shown == ranks[place - at : place - at + 5]
    friends = post(api, board, "/friends", {"player_id": right[9], "friend_ids": right[3:9]})
    assert [one["player_id"] for one in friends["entries"]] == right[3:10]
    (asked,) = post(api, board, "/ranks", {"scores": [1_001]})["ranks"]
    assert asked["rank"] == 41  # behind all who hold the score: nothing else is known of it
    assert get(api, board, "/standing", rank=1)["holders"] == (20 if levels == 3 else None)


def test_a_better_record_replaces_the_whole_record(api: Any, board: str) -> None:
    """Columns are never mixed from two runs, and an equal record changes nothing."""
    api.make_board(board, tie_breakers=COLUMNS)

    def submit(score: int, deaths: int, balance: int) -> str:
        columns = {"deaths": deaths, "balance": balance}
        answer = api.submit(board, "ada", score, tie_breakers=columns)
        return str(answer["outcome"])

    assert submit(10, 5, -50) == "new"
    assert submit(10, 6, 50) == "kept"
    assert submit(10, 5, -50) == "kept"
    assert submit(10, 4, -20) == "improved"
    assert submit(10, 4, -19) == "improved"
    assert submit(11, 99, -50) == "improved"
    assert submit(10, 0, 50) == "kept"
    (entry,) = get(api, board, "/top")["entries"]
    assert (entry["score"], entry["tie_breakers"]) == (11, {"deaths": 99, "balance": -50})


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        (None, "tie_breakers.deaths"),
        ({"deaths": 1}, "tie_breakers.balance"),
        ({"deaths": 1, "balance": 51}, "tie_breakers.balance"),
        ({"deaths": -1, "balance": 0}, "tie_breakers.deaths"),
        ({"deaths": 1, "balance": 0, "luck": 1}, "tie_breakers.luck"),
        ({"deaths": 1.5, "balance": 0}, "tie_breakers.deaths"),
        ({"deaths": True, "balance": 0}, "tie_breakers.deaths"),
        ({"deaths": "1", "balance": 0}, "tie_breakers.deaths"),
        ([1, 2], "tie_breakers"),
    ],
)
def test_columns_that_are_wrong_are_named(api: Any, board: str, columns: Any, field: str) -> None:
    """Missing, unknown, out of range or no integers: 422, and nothing is stored."""
    api.make_board(board, tie_breakers=COLUMNS)
    raw = json.dumps({"player_id": "ada", "score": 1, "tie_breakers": columns})
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores", raw=raw)
    assert (status, answer["code"]) == (422, "invalid_fields")
    assert field in [one["field"] for one in answer["errors"]]
    assert get(api, board, "/top")["entries"] == []
