"""The top of a window: the first entries of its rank index."""

from dataclasses import dataclass

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.logic.tables import Tables
from lambdas.store.cached_nodes import CachedNodes
from lambdas.store.rank_index import RankIndex


@dataclass(frozen=True)
class Top:
    """The first entries of a window.

    Attributes:
        entries: best first; the first one holds rank 1.
        population: players in the window, never below the number of entries; None if the
            counters could not be read.
        as_of: creation time (ms) of the newest record the population counts.
    """

    entries: list[Entry]
    population: int | None
    as_of: int | None


def top(tables: Tables, board: Board, window: str, limit: int) -> Top:
    """The best `limit` entries.

    Cost: one query an index shard, half a read unit each 27 entries or so, and the root.

    Raises:
        ThrottledError, UnavailableError: the index did not answer; try again.
    """
    layout = board.written_layout
    index = RankIndex(tables.dynamo, tables.scores_table, board, window, layout)
    entries = index.top(limit)
    try:
        root = CachedNodes(tables.counters, tables.nodes, board, window, layout).read("")
    except (ThrottledError, UnavailableError):
        return Top(entries, None, None)
    return Top(entries, max(sum(root.counts.values()), len(entries)), root.as_of)
