"""How wide ranks are: the cells that players share, and what the ranking makes of them.

On a quiet board, where the counters know everything. `lambdas/domain/ranking.py` has the rules of
what is counted; here they are applied to whole cells, and a recount of small boards by the
domain's own code is the test (tests/properties/test_studies.py).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lambdas.domain.boards import BoardConfig
from ops.studies.cells import CellsOf
from ops.studies.populations import Population

P99: Final = 0.99
MEDIAN: Final = 0.5

Counts = NDArray[np.int64]


class Limits(NamedTuple):
    """What a board counts, see `BoardConfig`."""

    top_exact: int = BoardConfig.top_exact
    exact_limit: int = BoardConfig.exact_limit
    count_limit: int = BoardConfig.count_limit


class Widths(NamedTuple):
    """What a board's ranks are like, in percent of its players.

    Attributes:
        median, p99: of the width of the player's deepest cell, which the counters alone know.
        answered_p99: of the width of the answer, counted where the rules count.
        exact: players whose own rank is exact.
        exact_shared: the same where equal scores share a rank.
    """

    median: float
    p99: float
    answered_p99: float
    exact: float
    exact_shared: float


class _Cells(NamedTuple):
    # Of every cell that holds somebody, the best one first.
    players: Counts
    ahead: Counts
    limits: Limits

    @property
    def cap(self) -> Counts:
        """How many of its players are told their rank, best first."""
        players, ahead, limits = self
        counted = np.minimum(players, np.maximum(0, limits.exact_limit - ahead))
        all_of_it = (players <= limits.count_limit) | (ahead + players <= limits.top_exact)
        # One player left over stands last in the cell, and that is a rank.
        return np.where(all_of_it | (players - counted == 1), players, counted)


class Exact(NamedTuple):
    """How many players' own rank is exact, in percent, and how many where equal scores share."""

    exact: float
    exact_shared: float


def widths(population: Population, cells: CellsOf, limits: Limits | None = None) -> Widths:
    """What ranks are like when these are the deepest cells of a population's scores."""
    found, first = _cells_of(population, cells, limits)
    players, cap, total = found.players, found.cap, population.players
    left = players - cap
    return Widths(
        _percent(quantile(players, players, MEDIAN), total),
        _percent(quantile(players, players, P99), total),
        _percent(quantile(np.append(left, 1), np.append(left, cap.sum()), P99), total),
        *_exact(population, cells, found, first),
    )


def exact(population: Population, cells: CellsOf, limits: Limits | None = None) -> Exact:
    """The exact answers among them, which takes a tenth of the time of `widths`."""
    return _exact(population, cells, *_cells_of(population, cells, limits))


def _cells_of(
    population: Population, cells: CellsOf, limits: Limits | None
) -> tuple[_Cells, Counts]:
    """The cells that hold somebody, and the number of the first score in each; best first."""
    best_first = _best_first(population)
    low = cells.low[best_first]
    first = np.flatnonzero(np.concatenate(([True], low[1:] != low[:-1])))
    players = np.add.reduceat(population.holders[best_first], first)
    return _Cells(players, np.cumsum(players) - players, limits or Limits()), first


def _exact(population: Population, cells: CellsOf, found: _Cells, first: Counts) -> Exact:
    best_first, cap, total = _best_first(population), found.cap, population.players
    best = cells.low if population.order == "asc" else cells.low + cells.width - 1
    is_best = (population.scores == best)[best_first]
    holders = population.holders[best_first]
    shared = _exact_when_shared(found, cap, holders, first, is_best)
    return Exact(_percent(cap.sum(), total), _percent(shared, total))


def _best_first(population: Population) -> slice:
    return slice(None, None, -1) if population.order == "desc" else slice(None)


def ties(population: Population, limits: Limits | None = None) -> Widths:
    """The floor: what no depth of cells can better, every cell being a single score."""
    return widths(population, single_scores(population), limits)


def single_scores(population: Population) -> CellsOf:
    """The deepest cells there can be: one for each score that somebody holds."""
    return CellsOf(population.scores, np.ones_like(population.scores))


def quantile(values: Counts, weights: Counts, share: float) -> int:
    """The least of the values that at least this share of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return int(values[order][np.searchsorted(reached, share * reached[-1])])


def _exact_when_shared(
    cells: _Cells, cap: Counts, holders: Counts, first: Counts, is_best: NDArray[np.bool_]
) -> int:
    # A tie's rank follows from how many are ahead of it: nobody in its cell if its score is the
    # best one there, else as many as a count finds before it meets its cap.
    cell = np.repeat(np.arange(first.size), np.diff(np.append(first, holders.size)))
    ahead_in_cell = np.cumsum(holders) - holders - cells.ahead[cell]
    return int(holders[is_best | (ahead_in_cell < cap[cell])].sum())


def _percent(part: int, total: int) -> float:
    return round(100 * int(part) / total, 6)
