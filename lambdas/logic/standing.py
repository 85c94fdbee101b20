"""What stands at a rank: the score there, how many hold it, and who."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Literal

from lambdas.domain.boards import Board
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry
from lambdas.domain.locate import Located
from lambdas.domain.ranking import Basis
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of


@dataclass(frozen=True)
class AtRank:
    """What is known of a rank.

    Attributes:
        kind: `exact` for one score, `estimated` for a range of scores, `vacant` where nobody
            holds the rank.
        basis: `index` where the rank was counted from the top, `counters` where by a walk.
        scores: the scores it may be, both included; None where vacant.
        holders: how many hold that one score; None where that is not known.
        player: who holds the rank, where an index read found them.
    """

    window: str
    rank: int
    kind: Literal["exact", "estimated", "vacant"]
    basis: Basis | None
    scores: Span | None
    holders: int | None
    player: str | None
    population: int
    as_of: int | None


def rank_at(percentile: Fraction, population: int) -> int:
    """The last rank within the best `percentile` percent of a board, the first one at least."""
    return max(1, int(percentile * population / 100))


def at_percentile(tables: Tables, board: Board, window: str, percentile: Fraction) -> AtRank:
    """What stands at a share of the board, in percent above 0 and up to 100.

    Cost and errors: see `at_rank`.
    """
    view = view_of(tables, board, window)
    population = sum(view.nodes.read("").counts.values())
    return _at_rank(view, rank_at(percentile, population))


def at_rank(tables: Tables, board: Board, window: str, rank: int) -> AtRank:
    """What stands at a rank; past `top_exact` it is right once the stream has drained.

    Cost: half a read unit for each node that is not cached, one a level at most; two queries an
    index shard for at most `top_exact` or `count_limit` entries and for the holders.

    Raises:
        ThrottledError, UnavailableError: DynamoDB answered too little; try again.
    """
    return _at_rank(view_of(tables, board, window), rank)


def _at_rank(view: View, rank: int) -> AtRank:
    config = view.board.config
    cell = view.locate(rank, config.count_limit)
    if rank <= config.top_exact:
        return _found(view, rank, cell, _nth(view, None, rank), "index")
    if rank > cell.population:
        return _vacant(view, rank, cell)
    place = rank - cell.ahead
    if place <= config.count_limit:
        entry = _nth(view, view.start_of(cell.path), place)
        if entry and entry.score in range(*_half_open(view.cells.bounds(cell.path))):
            return _found(view, rank, cell, entry, "counters")
    return _in_cell(view, rank, cell)


def _nth(view: View, after: str | None, place: int) -> Entry | None:
    return next(islice(view.index.entries(place, after=after), place - 1, None), None)


def _found(view: View, rank: int, cell: Located, entry: Entry | None, basis: Basis) -> AtRank:
    if entry is None:
        return _vacant(view, rank, cell)
    holders = view.index.count_score(entry.score, view.board.config.count_limit)
    if holders is None and view.is_single(cell.path, entry.score):
        holders = cell.count
    return AtRank(
        view.window,
        rank,
        "exact",
        basis,
        Span(entry.score, entry.score),
        holders,
        entry.player,
        max(cell.population, rank),
        cell.as_of,
    )


def _in_cell(view: View, rank: int, cell: Located) -> AtRank:
    scores = view.cells.bounds(cell.path)
    is_single = scores.width == 1
    return AtRank(
        view.window,
        rank,
        "exact" if is_single else "estimated",
        "counters",
        scores,
        cell.count if is_single else None,
        None,
        cell.population,
        cell.as_of,
    )


def _vacant(view: View, rank: int, cell: Located) -> AtRank:
    # Counters ahead of the index may count somebody there who is not listed yet.
    return AtRank(view.window, rank, "vacant", None, None, None, None, cell.population, cell.as_of)


def _half_open(scores: Span) -> tuple[int, int]:
    return scores.low, scores.high + 1
