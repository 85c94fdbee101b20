"""Patrols: how far an audit of live windows has come, and what it has to look at again.

Counters follow writes by a second or two, so on a live window one difference tells nothing. A
difference is drift when it repeats unchanged, minutes apart, while the counter did not move.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["index", "node"]


class Spot(NamedTuple):
    """A cell of a window under a layout; spots sort as a patrol passes them."""

    board: str
    window: str
    layout: int
    path: str


class Sighting(NamedTuple):
    """A cell that was seen to be counted otherwise than it should be.

    Attributes:
        kind: what its counter was held against: the index, or the sum of the cell's own node.
        counted: what its counter said.
        found: what the index held, or what its node's children came to.
    """

    spot: Spot
    kind: Kind
    counted: int
    found: int


@dataclass(frozen=True)
class Patrol:
    """What one run leaves to the next.

    Attributes:
        after: the last cell looked at; None to begin a pass.
        sightings: differences to look at again.
    """

    after: Spot | None = None
    sightings: tuple[Sighting, ...] = ()
