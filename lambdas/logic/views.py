"""One window under one layout, as every read sees it: index, nodes and cells side by side."""

from dataclasses import dataclass

from lambdas.domain.boards import Board, Layout
from lambdas.domain.cells import Cells, Span
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.locate import Located, locate
from lambdas.domain.walk import Node, Subject, Walk, walk
from lambdas.logic.tables import Tables
from lambdas.store import keys
from lambdas.store.cached_nodes import CachedNodes
from lambdas.store.cached_pages import CachedPages
from lambdas.store.capped_counts import CappedCounts
from lambdas.store.rank_index import RankIndex


@dataclass(frozen=True)
class View:
    """What a read of one window needs; made for one call, of which it remembers what was read."""

    board: Board
    window: str
    layout: Layout
    index: RankIndex
    pages: CachedPages
    counts: CappedCounts
    nodes: CachedNodes

    @property
    def cells(self) -> Cells:
        """The cells of the layout."""
        return self.board.cells(self.layout)

    def root(self) -> Node | None:
        """The root node; None if the counters cannot be read."""
        try:
            return self.nodes.read("")
        except (ThrottledError, UnavailableError):
            return None

    def walk(self, path: str, counted_at: str | None, enough: int) -> Walk:
        """The walk down a cell path; see `domain/walk.py`."""
        subject = Subject(path, counted_at)
        descending = self.board.order.scores.descending
        return walk(subject, descending=descending, read=self.nodes.read, enough=enough)

    def locate(self, rank: int, enough: int) -> Located:
        """The cell that holds a rank; see `domain/locate.py`.

        Raises:
            ThrottledError, UnavailableError: the root could not be read.
        """
        descending = self.board.order.scores.descending
        return locate(rank, self.cells, descending=descending, read=self.nodes.read, enough=enough)

    def start_of(self, path: str) -> str:
        """A key just ahead of a cell's every index entry."""
        order = self.board.order
        return order.key(order.scores.best_of(self.cells.bounds(path)))

    def count_cell(self, path: str) -> int:
        """How many index entries lie in a cell, all of them counted."""
        return self.index.count_all(self.start_of(path), self._end_of(path))

    def count_cell_up_to(self, path: str, limit: int) -> int:
        """How many index entries lie in a cell, at most `limit` of them counted."""
        return self.index.count_before(self._end_of(path), limit, self.start_of(path)).entries

    def _end_of(self, path: str) -> str:
        order = self.board.order
        return keys.after_score(order.key(order.scores.worst_of(self.cells.bounds(path))))

    def is_best_of(self, path: str, score: int) -> bool:
        """Whether nobody in a cell can hold a better score."""
        return score == self.board.order.scores.best_of(self.cells.bounds(path))

    def is_worst_of(self, path: str, score: int) -> bool:
        """Whether nobody in a cell can hold a worse score."""
        return score == self.board.order.scores.worst_of(self.cells.bounds(path))

    def is_single(self, path: str, score: int) -> bool:
        """Whether a cell is that one score and nothing else."""
        return self.cells.bounds(path) == Span(score, score)


@dataclass(frozen=True)
class AheadOf:
    """Counts who ranks ahead of one rank key: the index as `domain/ranking.py` asks for it.

    Attributes:
        former_key: the player's own key until now, which is not counted: the index follows a write
            only after a moment, and nobody is ahead of themselves.
    """

    view: View
    rank_key: str
    former_key: str | None = None

    def ahead(self, limit: int) -> int:
        """Counts from the top, at most `limit` entries."""
        return self._count(limit, "")

    def ahead_in_cell(self, path: str, limit: int) -> int:
        """Counts from the best end of a cell, at most `limit` entries."""
        return self._count(limit, self.view.start_of(path))

    def _count(self, limit: int, start: str) -> int:
        before, former = self.view.counts.before, self.former_key
        if former is None or not start <= former < self.rank_key:
            return before(self.rank_key, limit, start)
        counted = before(former, limit, start)
        if counted < limit:
            counted += before(self.rank_key, limit - counted, keys.just_after(former))
        return counted


def view_of(tables: Tables, board: Board, window: str, layout: Layout | None = None) -> View:
    """A view of a window, under the written layout unless another one is named; reads nothing."""
    layout = layout or board.written_layout
    index = RankIndex(tables.dynamo, tables.scores_table, board, window, layout)
    return View(
        board,
        window,
        layout,
        index,
        CachedPages(index, tables.pages, board, window, layout),
        CappedCounts(index, tables.fences, board, window, layout),
        CachedNodes(tables.counters, tables.nodes, board, window, layout),
    )
