"""Where exact ranks end: their share by population, and by how many players share a score."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from lambdas.domain.boards import DEFAULT_RANGE
from lambdas.domain.cells import cells_of
from ops.studies.cells import cells_by_level
from ops.studies.populations import Population
from ops.studies.range_widths import exact, single_scores

LEVELS: Final = 4
_BUCKETS: Final = 128


def shares(population: Population) -> Iterator[dict[str, Any]]:
    """Exact ranks at each number of levels; levels None is what no number of them can better."""
    cells = cells_of(DEFAULT_RANGE, _BUCKETS, "log", LEVELS)
    row = {
        "distribution": population.name,
        "players": population.players,
        "players_a_score": population.players / population.scores.size,
    }
    for levels, found in enumerate(cells_by_level(cells, population.scores), start=1):
        yield row | {"levels": levels} | exact(population, found)._asdict()
    yield row | {"levels": None} | exact(population, single_scores(population))._asdict()


def tied(players: int, a_score: int, seed: int) -> Population:
    """Players spread evenly over neighbouring scores, on average so many on each."""
    rng = np.random.default_rng([seed, players, a_score])
    scores = max(1, players // a_score)
    holders = np.bincount(rng.integers(0, scores, players), minlength=scores)
    held = np.flatnonzero(holders)
    return Population(f"{a_score:,} players a score", "desc", held, holders[held])
