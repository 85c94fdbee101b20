"""Policies: which of two records of one player stands, where a board keeps one a window.

A submit says the same as the condition of its write (`store/scores.py`); this is for those that
read first.
"""

from typing import NamedTuple

from lambdas.domain.boards import Policy


class Held(NamedTuple):
    """What two records are told apart by.

    Attributes:
        order_key: see `domain/order.py`; the smaller is the better.
        achieved_at: ms since 1970.
    """

    order_key: str
    achieved_at: int


def beats(policy: Policy, new: Held, standing: Held) -> bool:
    """Whether a new record takes a standing one's place.

    `best`: it is better. `latest`: it was achieved later, or at the same time and is better.
    """
    if policy == "latest" and new.achieved_at != standing.achieved_at:
        return new.achieved_at > standing.achieved_at
    return new.order_key < standing.order_key
