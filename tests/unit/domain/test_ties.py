"""Ranks of a stretch of the list, with ties shared and not."""

from hypothesis import given
from hypothesis import strategies as st

from lambdas.domain.ties import listed_ranks, ranks_around

LISTS = st.lists(st.integers(0, 5), min_size=1, max_size=30).map(sorted)


def shared(scores: list[int]) -> list[int]:
    """The shared ranks of a whole list: how many are better, and one."""
    return [1 + sum(other < score for other in scores) for score in scores]


def test_equal_scores_share_the_better_rank() -> None:
    """1-2-2-4, or 1-2-3-4 where the earlier leads."""
    scores = [9, 7, 7, 5]
    ranks = listed_ranks(scores, place=1, tied_ahead=0, shares_ranks=True)
    assert ranks == [1, 2, 2, 4]
    assert listed_ranks(scores, place=1, tied_ahead=0, shares_ranks=False) == [1, 2, 3, 4]
    assert listed_ranks([], place=5, tied_ahead=2, shares_ranks=True) == []


@given(scores=LISTS, data=st.data())
def test_a_stretch_has_the_ranks_of_the_whole(scores: list[int], data: st.DataObject) -> None:
    """Wherever it is cut, inside of ties too, once it is told how much of one lies ahead."""
    start = data.draw(st.integers(0, len(scores) - 1))
    end = data.draw(st.integers(start + 1, len(scores)))
    stretch = scores[start:end]
    tied_ahead = scores[:start].count(stretch[0])
    right = shared(scores)[start:end]
    given_ranks = listed_ranks(stretch, place=start + 1, tied_ahead=tied_ahead, shares_ranks=True)
    assert given_ranks == right
    at = data.draw(st.integers(0, len(stretch) - 1))
    assert ranks_around(stretch, at=at, rank=right[at], tied_ahead=tied_ahead) == right


@given(scores=LISTS, data=st.data())
def test_what_is_not_known_is_left_open(scores: list[int], data: st.DataObject) -> None:
    """With a tie of unknown length ahead, what is told is right and the known rank is told."""
    start = data.draw(st.integers(0, len(scores) - 1))
    stretch, right = scores[start:], shared(scores)[start:]
    at = data.draw(st.integers(0, len(stretch) - 1))
    told = ranks_around(stretch, at=at, rank=right[at], tied_ahead=None)
    assert told[at] == right[at]
    assert all(one in (None, rank) for one, rank in zip(told, right, strict=True))
    if stretch[at] != stretch[0]:
        behind = [one for one, score in zip(told, stretch, strict=True) if score != stretch[0]]
        assert None not in behind


def test_a_rank_that_cannot_be_is_left_open() -> None:
    """A player ranked better than the stretch has places ahead of them leaves those open."""
    assert ranks_around([9, 8, 7], at=2, rank=2, tied_ahead=0) == [None, 1, 2]
