"""The walk the other way: from a rank down to the cell that holds it.

Children are passed best first until their counts reach the rank. A node's counts are clipped to
what its parent said of the cell, since the two are updated one after the other. Cost: at most
one node a level, whatever the population.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lambdas.domain.cells import CODE_LENGTH, Cells
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.ranking import COUNTERS_BEHIND
from lambdas.domain.walk import Node, NodeReader


@dataclass
class Located:
    """A cell by the ranks it holds: `ahead + 1` to `ahead + count`.

    Attributes:
        path: the cell's path; empty where the board holds nobody at that rank.
        ahead: players in the cells ahead of it.
        count: players in it.
        population: players on the board, by the root.
        nodes: the nodes read, the root first.
        failure: what ended the walk early, if anything did.
    """

    population: int
    path: str = ""
    ahead: int = 0
    count: int = 0
    nodes: list[Node] = field(default_factory=list)
    failure: ThrottledError | UnavailableError | None = None

    @property
    def as_of(self) -> int | None:
        """Creation time (ms) of the newest record counted in the nodes read."""
        return max((node.as_of for node in self.nodes if node.as_of is not None), default=None)


def locate(rank: int, cells: Cells, *, descending: bool, read: NodeReader, enough: int) -> Located:
    """Finds the smallest cell known to hold a rank, or one of at most `enough` players.

    A deeper node that cannot be read, or counts too few, ends the walk at the cell above it.

    Raises:
        ThrottledError, UnavailableError: the root could not be read.
    """
    node = read("")
    population = sum(node.counts.values())
    found = Located(population, count=population, nodes=[node])
    while rank <= found.ahead + found.count:
        if not _descend(found, node, rank, descending):
            found.failure = UnavailableError(COUNTERS_BEHIND)
            break
        if found.count <= enough or is_leaf(cells, found.path):
            break
        try:
            node = read(found.path)
        except (ThrottledError, UnavailableError) as error:
            found.failure = error
            break
        found.nodes.append(node)
    return found


def is_leaf(cells: Cells, path: str) -> bool:
    """Whether a bucket or a cell below one is counted as a whole only."""
    return len(path) // CODE_LENGTH >= cells.levels or cells.bounds(path).width == 1


def best_first(counts: Mapping[str, int], descending: bool) -> list[tuple[str, int]]:
    """The children of a node, the better scores first."""
    return sorted(counts.items(), reverse=descending)


def _descend(found: Located, node: Node, rank: int, descending: bool) -> bool:
    ahead = 0
    for code, count in best_first(node.counts, descending):
        own = min(count, found.count - ahead)
        if rank <= found.ahead + ahead + own:
            found.path += code
            found.ahead += ahead
            found.count = own
            return True
        ahead += own
    return False
