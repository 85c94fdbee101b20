"""Ranks of a stretch of the list: places, or ranks that equal scores share, 1-2-2-4.

A shared rank is the place of the first entry of the tie, so a stretch that begins inside a
tie has to be told how much of the tie lies ahead of it.
"""

from collections.abc import Hashable, Sequence


def listed_ranks(
    standings: Sequence[Hashable], *, place: int, tied_ahead: int, shares_ranks: bool
) -> list[int]:
    """The ranks of entries that follow each other in the list.

    Args:
        standings: what ties are told by, in rank order.
        place: the place of the first one, from 1.
        tied_ahead: how many entries ahead of the first one are tied with it.
        shares_ranks: whether equal scores share a rank; else each rank is a place.
    """
    ranks: list[int] = []
    for number, standing in enumerate(standings):
        if shares_ranks and number and standing == standings[number - 1]:
            ranks.append(ranks[-1])
        elif shares_ranks and not number:
            ranks.append(place - tied_ahead)
        else:
            ranks.append(place + number)
    return ranks


def ranks_around(
    standings: Sequence[Hashable], *, at: int, rank: int, tied_ahead: int | None
) -> list[int | None]:
    """The shared ranks of a stretch in which one rank is known.

    Args:
        standings: what ties are told by, in rank order.
        at: whose rank is known, counted from 0.
        rank: that rank, shared by all who are tied.
        tied_ahead: how many entries ahead of the stretch are tied with its first; None if unknown.

    Returns:
        A rank each; None where that follows from nothing known.
    """
    tie = standings.index(standings[at])
    place = rank - tie  # of the first entry, if the known tie begins inside the stretch
    if tie == 0:
        if tied_ahead is None:
            return [rank if standing == standings[0] else None for standing in standings]
        place = rank + tied_ahead
    known = listed_ranks(standings, place=place, tied_ahead=tied_ahead or 0, shares_ranks=True)
    return [
        None if one < 1 or (tied_ahead is None and standing == standings[0]) else one
        for standing, one in zip(standings, known, strict=True)
    ]
