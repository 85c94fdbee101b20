"""Ranks of a stretch of the list: places, or ranks that equal scores share, 1-2-2-4.

A shared rank is the place of the first entry with that score, so a stretch that begins inside a
tie has to be told how much of the tie lies ahead of it.
"""

from collections.abc import Sequence


def listed_ranks(
    scores: Sequence[int], *, place: int, tied_ahead: int, shares_ranks: bool
) -> list[int]:
    """The ranks of entries that follow each other in the list.

    Args:
        scores: theirs, in rank order.
        place: the place of the first one, from 1.
        tied_ahead: how many entries ahead of the first one hold its score.
        shares_ranks: whether equal scores share a rank; else each rank is a place.
    """
    ranks: list[int] = []
    for number, score in enumerate(scores):
        if shares_ranks and number and score == scores[number - 1]:
            ranks.append(ranks[-1])
        elif shares_ranks and not number:
            ranks.append(place - tied_ahead)
        else:
            ranks.append(place + number)
    return ranks


def ranks_around(
    scores: Sequence[int], *, at: int, rank: int, tied_ahead: int | None
) -> list[int | None]:
    """The shared ranks of a stretch in which one rank is known.

    Args:
        scores: theirs, in rank order.
        at: whose rank is known, counted from 0.
        rank: that rank, shared by all with that score.
        tied_ahead: how many entries ahead of the stretch hold its first score; None if unknown.

    Returns:
        A rank each; None where that follows from nothing known.
    """
    tie = scores.index(scores[at])
    place = rank - tie  # of the first entry, if the known tie begins inside the stretch
    if tie == 0:
        if tied_ahead is None:
            return [rank if score == scores[0] else None for score in scores]
        place = rank + tied_ahead
    known = listed_ranks(scores, place=place, tied_ahead=tied_ahead or 0, shares_ranks=True)
    return [
        None if one < 1 or (tied_ahead is None and score == scores[0]) else one
        for score, one in zip(scores, known, strict=True)
    ]
