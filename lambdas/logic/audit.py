"""The audit of a window: counters against the index, bucket by bucket, and nodes against parents.

It tells drift only where nobody moves: on a busy window one difference is lag. A window whose
writes have ended, with its stream drained, has none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lambdas.domain.boards import Board, Layout
from lambdas.domain.counting import NodeKey
from lambdas.domain.locate import is_leaf
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of


@dataclass(frozen=True)
class Drift:
    """A cell that is counted otherwise than it should be.

    Attributes:
        layout: the number of the layout it is counted under.
        path: the cell path.
        counted: what its counter says.
        found: what the index holds, or the sum of the cell's own node.
    """

    layout: int
    path: str
    counted: int
    found: int


@dataclass(frozen=True)
class Audited:
    """What an audit found.

    Attributes:
        population: entries in the index.
    """

    population: int
    drift: tuple[Drift, ...]


def audit(tables: Tables, board: Board, window: str) -> Audited:
    """Audits a window under every layout that is read.

    Cost: half a read unit for some 27 entries of the index, and for each node; one query a
    bucket and index shard at least.

    Raises:
        ThrottledError, UnavailableError: try again; an audit starts over.
    """
    population = 0
    drift: list[Drift] = []
    for layout in board.layouts:
        if layout.state == "retired":
            continue
        counted, differing = _audit_layout(tables, board, window, layout)
        population += counted
        drift += differing
    return Audited(population, tuple(drift))


def _audit_layout(
    tables: Tables, board: Board, window: str, layout: Layout
) -> tuple[int, list[Drift]]:
    view = view_of(tables, board, window, layout)
    root = _counts(tables, view, "")
    buckets = {code: view.count_cell(code) for code, _ in view.cells.children("")}
    drift = [
        Drift(layout.number, code, root[code], buckets.get(code, 0))
        for code in sorted(buckets.keys() | root.keys())
        if root[code] != buckets.get(code, 0)
    ]
    drift += _below(tables, view, root, "")
    return sum(buckets.values()), drift


def _below(tables: Tables, view: View, counts: Counter[str], path: str) -> Iterator[Drift]:
    """Where a child's own node does not sum up to what its parent counts, level by level."""
    for code, count in sorted(counts.items()):
        child = path + code
        if is_leaf(view.cells, child):
            continue
        inner = _counts(tables, view, child)
        if inner.total() != count:
            yield Drift(view.layout.number, child, count, inner.total())
        yield from _below(tables, view, inner, child)


def _counts(tables: Tables, view: View, path: str) -> Counter[str]:
    """A node's counters as they are, those of 0 left out; a negative one is a finding."""
    node = NodeKey(view.board.id, view.window, view.layout.number, path)
    return Counter({code: count for code, count in tables.counters.sums(node).items() if count})
