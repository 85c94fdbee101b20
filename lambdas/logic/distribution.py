"""How a board's players spread over its scores, by the counters alone."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from lambdas.domain.boards import Board
from lambdas.domain.cells import Span
from lambdas.domain.locate import best_first
from lambdas.logic.standing import rank_at
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of

PERCENTILES: Final = (1, 5, 25, 50, 75, 95, 99)


@dataclass(frozen=True)
class Quantile:
    """The scores between which a share of the board begins, both included.

    Attributes:
        rank: the last rank within the best `percentile` percent.
    """

    percentile: int
    rank: int
    scores: Span


@dataclass(frozen=True)
class Distribution:
    """A window's players by score.

    Attributes:
        buckets: the occupied ones with their counts, best first.
        quantiles: none on an empty board.
        view: the window as it was read.
    """

    view: View
    population: int
    as_of: int | None
    buckets: list[tuple[Span, int]]
    quantiles: list[Quantile]


def distribution(tables: Tables, board: Board, window: str) -> Distribution:
    """Population, occupied buckets and quantiles; right once the stream has drained.

    Cost: the root, and for each quantile a node a level more; half a read unit each that is not
    cached. A node that cannot be read leaves its quantile wider.

    Raises:
        ThrottledError, UnavailableError: the root could not be read.
    """
    view = view_of(tables, board, window)
    root = view.nodes.read("")
    population = sum(root.counts.values())
    buckets = [
        (view.cells.bounds(code), count)
        for code, count in best_first(root.counts, board.order.scores.descending)
    ]
    quantiles = [_quantile(view, one, population) for one in PERCENTILES if population]
    return Distribution(view, population, root.as_of, buckets, quantiles)


def _quantile(view: View, percentile: int, population: int) -> Quantile:
    rank = rank_at(Fraction(percentile), population)
    cell = view.locate(rank, enough=0)
    return Quantile(percentile, rank, view.cells.bounds(cell.path))
