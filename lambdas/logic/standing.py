"""What stands at a rank: the score there, how many hold it, and who."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Literal

from lambdas.domain.boards import Board
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.locate import Located
from lambdas.domain.ranking import Basis
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of


@dataclass(frozen=True, kw_only=True)
class AtRank:
    """What is known of a rank: a place in the list, whether or not ties share ranks.

    Attributes:
        kind: `exact` for one score, `estimated` for a range of scores, `vacant` where nobody
            holds the rank.
        basis: `index` where the rank was counted from the top, `counters` where by a walk.
        scores: the scores it may be, both included; None where vacant.
        holders: how many hold that one score; None where that is not known.
        player: who holds the rank, where an index read found them.
        population: players in the window; None if the counters could not be read.
        view: the window as it was read.
        path: the path of the cell that was found; empty where none was looked for.
    """

    rank: int
    kind: Literal["exact", "estimated", "vacant"] = "vacant"
    basis: Basis | None = None
    scores: Span | None = None
    holders: int | None = None
    player: str | None = None
    view: View
    path: str = ""
    population: int | None
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
    if rank <= config.top_exact:
        return _from_top(view, rank)
    try:
        cell = view.locate(rank, config.count_limit)
    except (ThrottledError, UnavailableError):
        if rank > config.exact_limit:
            raise
        return _from_top(view, rank)
    if rank > cell.population:
        return AtRank(view=view, rank=rank, population=cell.population, as_of=cell.as_of)
    return _in_cell(view, rank, cell)


def _from_top(view: View, rank: int) -> AtRank:
    entry, root = _nth(view, None, rank), view.root()
    population = sum(root.counts.values()) if root else None
    as_of = root.as_of if root else None
    if entry is None:
        return AtRank(view=view, rank=rank, population=population, as_of=as_of)
    if population is not None:
        population = max(population, rank)
    return AtRank(
        view=view,
        rank=rank,
        kind="exact",
        basis="index",
        scores=Span(entry.score, entry.score),
        holders=_holders(view, rank, entry.score),
        player=entry.player,
        population=population,
        as_of=as_of,
    )


def _in_cell(view: View, rank: int, cell: Located) -> AtRank:
    scores, place = view.cells.bounds(cell.path), rank - cell.ahead
    entry = None
    if place <= view.board.config.count_limit:
        entry = _nth(view, view.start_of(cell.path), place)
    if entry and scores.low <= entry.score <= scores.high:
        scores = Span(entry.score, entry.score)
    else:  # the index may run behind the counters, and hold fewer there
        entry = None
    is_one = scores.width == 1
    return AtRank(
        view=view,
        rank=rank,
        kind="exact" if is_one else "estimated",
        basis="counters",
        scores=scores,
        holders=_holders(view, rank, scores.low) if is_one else None,
        player=entry.player if entry else None,
        path=cell.path,
        population=cell.population,
        as_of=cell.as_of,
    )


def _nth(view: View, after: str | None, place: int) -> Entry | None:
    return next(islice(view.index.entries(place, after=after), place - 1, None), None)


def _holders(view: View, rank: int, score: int) -> int | None:
    """Counted in the index where few hold a score, else by the cell that is just that score."""
    limit = view.board.config.count_limit
    if (counted := view.index.count_score(score, limit)) is not None:
        return counted
    try:
        cell = view.locate(rank, limit)
    except (ThrottledError, UnavailableError):
        return None
    return cell.count if view.is_single(cell.path, score) else None
