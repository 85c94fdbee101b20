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


def widths(population: Population, cells: CellsOf, limits: Limits | None = None) -> Widths:
    """What ranks are like when these are the deepest cells of a population's scores."""
    scores, holders, best_first = population.scores, population.holders, slice(None)
    best = cells.low
    if population.order == "desc":
        best_first, best = slice(None, None, -1), cells.low + cells.width - 1
    scores, holders, low = scores[best_first], holders[best_first], cells.low[best_first]
    first = np.flatnonzero(np.concatenate(([True], low[1:] != low[:-1])))
    players = np.add.reduceat(holders, first)
    found = _Cells(players, np.cumsum(players) - players, limits or Limits())
    cap, total = found.cap, int(players.sum())
    left = players - cap
    return Widths(
        median=_percent(quantile(players, players, MEDIAN), total),
        p99=_percent(quantile(players, players, P99), total),
        answered_p99=_percent(quantile(np.append(left, 1), np.append(left, cap.sum()), P99), total),
        exact=_percent(cap.sum(), total),
        exact_shared=_percent(
            _exact_when_shared(found, cap, holders, first, scores == best[best_first]), total
        ),
    )


def ties(population: Population, limits: Limits | None = None) -> Widths:
    """The floor: what no depth of cells can better, every cell being a single score."""
    return widths(population, CellsOf(population.scores, np.ones_like(population.scores)), limits)


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
