"""Ranking: the least that must be counted for an answer that claims no more than it knows.

The counters are looked at before anything is counted, so that no deep player pays for a count
that is thrown away. In order:

1. a range that ends within the first page (`top_exact`) is counted from the top, whatever the
   counters say, so that a rank agrees with the list;
2. a cell of one player is exact by the counters alone, and so is any other rank that follows
   from the cell without counting: a shared one where nobody in the cell can be ahead;
3. a range that begins within `exact_limit` is counted, from the top or inside the cell,
   whichever reads fewer: every rank up to `exact_limit` is exact, and a count that meets its
   cap leaves a range that begins past it;
4. deeper, a cell of at most `count_limit` players is counted inside;
5. anything else is a range.

Cost: at most `exact_limit` index entries and one node a level, whatever the population.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from lambdas.domain.boards import BoardConfig
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.walk import Walk

COUNTERS_BEHIND: Final = "CountersBehind"  # more players are ahead than were ever counted

Kind = Literal["exact", "estimated", "unranked"]
Basis = Literal["index", "counters"]


class IndexCounter(Protocol):
    """Counts a window's index entries that rank ahead of one player."""

    def ahead(self, limit: int) -> int:
        """Counts from the top, at most `limit` entries."""

    def ahead_in_cell(self, path: str, limit: int) -> int:
        """Counts from the best end of a cell, at most `limit` entries."""


@dataclass(frozen=True)
class Standing:
    """A rank, or the range it lies in.

    Attributes:
        first, last: the best and worst rank the player may hold, both included; equal if exact.
        population: players in the window, never below `last`; None if no counter could be read.
        population_slack: how many too many that may be: 1 for a player who was just stored, and
            whom the counters may hold already.
    """

    kind: Kind
    basis: Basis | None
    first: int | None
    last: int | None
    population: int | None
    as_of: int | None
    population_slack: int = 0


UNRANKED = Standing("unranked", None, None, None, None, None)


def rank(
    config: BoardConfig, walked: Walk, index: IndexCounter, *, ahead_in_cell: int | None = None
) -> Standing:
    """Answers with an exact rank or an honest range.

    Args:
        ahead_in_cell: how many players of the cell walked to are ahead, where that is known
            without counting: 0 to `walked.count - 1`.

    Raises:
        ThrottledError, UnavailableError: neither counters nor index could bound the rank.
    """
    if walked.population is None:
        return _without_counters(config, walked, index)
    try:
        return _counted(config, walked, index, ahead_in_cell)
    except (ThrottledError, UnavailableError) as error:
        if walked.as_of is None or error.code == COUNTERS_BEHIND:
            raise  # nothing was ever counted, or too little: the counters bound nothing
        if ahead_in_cell is not None:
            return _by_counters(walked, walked.first + ahead_in_cell)
        return _estimated(walked, walked.first)


def rank_of_newcomer(
    config: BoardConfig, walked: Walk, index: IndexCounter, *, ahead_in_cell: int | None
) -> Standing:
    """The rank of someone who is not on the board yet; its population counts them too.

    Raises:
        ThrottledError, UnavailableError: neither counters nor index could bound the rank.
    """
    standing = rank(config, walked, index, ahead_in_cell=ahead_in_cell)
    return replace(standing, population_slack=0)  # no counter can hold them already


def _counted(
    config: BoardConfig, walked: Walk, index: IndexCounter, ahead_in_cell: int | None
) -> Standing:
    if walked.count == 1:
        ahead_in_cell = 0
    known = None if ahead_in_cell is None else walked.first + ahead_in_cell
    last = walked.last if known is None else known + walked.doubt
    if last <= config.top_exact:
        return _from_top(config, walked, index)
    if known is not None and not (walked.doubt and known <= config.exact_limit):
        return _by_counters(walked, known)
    if walked.first <= config.exact_limit and (walked.ahead == 0 or walked.doubt):
        return _from_top(config, walked, index)
    if walked.count <= config.count_limit:
        return _inside(walked, index, cap=walked.count)
    if walked.first <= config.exact_limit:
        return _inside(walked, index, cap=min(walked.count, config.exact_limit - walked.ahead))
    return _estimated(walked, walked.first)


def _from_top(config: BoardConfig, walked: Walk, index: IndexCounter) -> Standing:
    ahead = index.ahead(config.exact_limit)
    if ahead < config.exact_limit:
        return _exact(walked, ahead + 1, "index")
    return _estimated(walked, ahead + 1)


def _inside(walked: Walk, index: IndexCounter, *, cap: int) -> Standing:
    counted = index.ahead_in_cell(walked.path, cap)
    if counted == cap < walked.count:
        return _estimated(walked, walked.ahead + counted + 1)
    # The index may run before the counters; the answer stays in the cell they know.
    return _by_counters(walked, walked.ahead + min(counted, walked.count - 1) + 1)


def _without_counters(config: BoardConfig, walked: Walk, index: IndexCounter) -> Standing:
    ahead = index.ahead(config.exact_limit)
    if ahead == config.exact_limit and walked.failure:
        raise walked.failure
    return Standing("exact", "index", ahead + 1, ahead + 1, None, None)


def _exact(walked: Walk, rank: int, basis: Basis) -> Standing:
    return _standing("exact", basis, walked, rank, rank)


def _by_counters(walked: Walk, rank: int) -> Standing:
    if walked.doubt:
        return _standing("estimated", "counters", walked, rank, rank + walked.doubt)
    return _exact(walked, rank, "counters")


def _estimated(walked: Walk, first: int) -> Standing:
    if first == walked.last:  # everyone else in the cell is known to be ahead
        return _exact(walked, first, "counters")
    last = walked.last
    if last < first:
        # A count from the top passed all that the counters knew ahead: they are behind, and the
        # whole population is the only bound left, where it is one.
        last = walked.population or 0
        if last <= first:
            raise UnavailableError(COUNTERS_BEHIND)
    return _standing("estimated", "counters", walked, first, last)


def _standing(kind: Kind, basis: Basis, walked: Walk, first: int, last: int) -> Standing:
    return Standing(
        kind=kind,
        basis=basis,
        first=first,
        last=last,
        population=max(walked.population or 0, last),
        as_of=walked.as_of,
        population_slack=walked.population_slack,
    )


def percentile_range(standing: Standing) -> tuple[float, float] | None:
    """The shares of the board at or above the player, in percent, rounded outward to 0.0001."""
    if standing.first is None or standing.last is None or not standing.population:
        return None
    least = max(1, standing.population - standing.population_slack)
    low = standing.first * 10**6 // standing.population
    high = -(-standing.last * 10**6 // least)
    return low / 10**4, min(high, 10**6) / 10**4


def approximate_rank(standing: Standing) -> int | None:
    """One rank to show for a range: its middle, to a digit the width can bear, inside it."""
    if standing.first is None or standing.last is None:
        return None
    width = standing.last - standing.first + 1
    step = 10 ** (len(str(width)) - 2) if width >= 100 else 1
    middle = (standing.first + standing.last) // 2
    return min(max((middle + step // 2) // step * step, standing.first), standing.last)
