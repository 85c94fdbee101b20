"""What a run knows for itself: ranks of every player against a sort, and what contradicts it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.truth import Standings, drift, wrong_list, wrong_rank

SCORES = st.dictionaries(
    st.text(min_size=1, max_size=4), st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=30
)


def exact(player: str, score: int, place: int, **other: Any) -> dict[str, Any]:
    return {
        "player_id": player,
        "score": score,
        "kind": "exact",
        "basis": "index",
        "rank": place,
        "rank_range": [place, place],
        "population": 100,
        **other,
    }


@given(SCORES, st.sampled_from(["desc", "asc"]))
def test_bounds_are_those_of_a_sort(scores: dict[str, int], order: str) -> None:
    """Among equal scores any place is possible; beyond them there is no doubt."""
    standings = Standings(scores, order)
    sign = -1 if order == "desc" else 1
    ordered = sorted(sign * one for one in scores.values())
    for player, score in scores.items():
        first = ordered.index(sign * score) + 1
        last = len(ordered) - ordered[::-1].index(sign * score)
        assert standings.bounds(score, player) == (first, last)


@given(SCORES, st.integers(0, 50), st.data())
def test_whoever_moves_within_a_band_contradicts_nothing(
    scores: dict[str, int], width: int, data: st.DataObject
) -> None:
    """Wherever in their bands the movers are, everybody's true rank lies within the bounds."""
    moving = {one: (score, score + width) for one, score in list(scores.items())[::3]}
    staying = {one: score for one, score in scores.items() if one not in moving}
    standings = Standings(staying, moving=moving)
    now = staying | {one: data.draw(st.integers(*band)) for one, band in moving.items()}
    for player, score in now.items():
        rank = 1 + sum(other > score for other in now.values())
        best, worst = standings.bounds(score, player)
        assert best <= rank <= worst
        assert wrong_rank(exact(player, score, rank), standings, player) is None


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (exact("b", 20, 2), None),
        (exact("b", 20, 1), "rank 1 to 1, but it is 2 to 2"),
        (exact("b", 20, 3), "rank 3 to 3, but it is 2 to 2"),
        (exact("b", 21, 2), "does not hold 21"),
        (exact("a", 30, 1), "asked for b, told of a"),
        (exact("b", 20, 2, rank=1), "exact, yet 1 of 2 to 2"),
        (exact("b", 20, 2, population=1), "rank 2 of 1"),
        (exact("b", 20, 2, kind="estimated", rank=None, rank_range=[1, 3]), None),
        (exact("b", 20, 2, kind="estimated", rank=None, rank_range=[3, 9]), "rank 3 to 9"),
        (exact("b", 20, 2, kind="estimated"), "estimated, yet rank 2"),
        ({"player_id": "b", "kind": "unranked", "score": None}, "is unranked"),
    ],
)
def test_a_rank_answer_that_cannot_be_true_is_named(answer: Any, says: str | None) -> None:
    """One place off, somebody else's score, a range that leaves the truth out."""
    wrong = wrong_rank(answer, Standings({"a": 30, "b": 20, "c": 10}), "b")
    assert wrong is None if says is None else says in (wrong or "")


def test_doubt_is_by_what_an_answer_rests_on() -> None:
    """Counters may be places off while others move; the index is not, and a still board neither."""
    staying = {f"p{place}": 100 - place for place in range(50)}
    moving = {"mover": (1, 2)}
    busy = Standings(staying, moving=moving, doubt=2)
    off = exact("p10", 90, 13)
    assert wrong_rank(off | {"basis": "counters"}, busy, "p10") is None
    assert wrong_rank(off, busy, "p10") is not None
    assert wrong_rank(off | {"basis": "counters"}, Standings(staying, doubt=2), "p10") is not None


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        ([("a", 30, 1), ("b", 20, 2)], None),
        ([("b", 20, 2), ("a", 30, 1)], "not in order"),
        ([("a", 30, 1), ("a", 30, 2)], "listed twice"),
        ([("a", 31, 1), ("b", 20, 2)], "does not hold 31"),
        ([("a", 30, 1), ("b", 20, 3)], "rank 3, but it is 2 to 2"),
    ],
)
def test_a_list_that_cannot_be_true_is_named(
    listed: list[tuple[str, int, int]], says: str | None
) -> None:
    entries = [{"player_id": one, "score": score, "rank": rank} for one, score, rank in listed]
    wrong = wrong_list(entries, Standings({"a": 30, "b": 20, "c": 10}))
    assert wrong is None if says is None else says in (wrong or "")


def test_drift_is_found_bucket_by_bucket() -> None:
    """Two errors that cancel in the population, a bucket left out, and a player too few."""
    low, high = {"low": 0, "high": 9}, {"low": 10, "high": 19}

    def answer(*counts: int) -> Any:
        buckets = [{**one, "count": count} for one, count in zip((low, high), counts, strict=False)]
        return {"population": sum(counts), "buckets": buckets}

    scores = [1, 9, 10]
    assert drift(answer(2, 1), scores) == []
    assert drift(answer(1, 2), scores) == [
        "0 to 9: 1 counted, 2 there",
        "10 to 19: 2 counted, 1 there",
    ]
    assert drift(answer(2), scores) == ["1 players in no bucket", "population 2, 3 there"]
    assert drift({"population": 0, "buckets": []}, []) == []
