"""The walk: from the root down a player's cell path, adding up the children ahead.

Each node read narrows `[ahead + 1, ahead + count]`, the ranks the player may hold. A node's sums
are clipped to what its parent said of the cell, since the two are updated one after the other;
so the ranges of one walk always nest. Cost: at most one node a level, whatever the population.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.errors import ThrottledError, UnavailableError


@dataclass(frozen=True)
class Node:
    """A node as it was read: its counter shards summed, no count below 0.

    Attributes:
        counts: players by child code; an absent code is 0.
        as_of: creation time (ms) of the newest record counted in it, None if there is none.
        cached: read from a cache.
        stale: read from a cache past its lifetime, because DynamoDB did not serve the node.
    """

    counts: Mapping[str, int]
    as_of: int | None
    cached: bool = False
    stale: bool = False


NodeReader = Callable[[str], Node]
"""Reads the node at a cell path; raises `ThrottledError` or `UnavailableError`."""


@dataclass(frozen=True)
class Subject:
    """Whose rank is asked for, as the counters see it.

    Attributes:
        path: the cell path of the score.
        counted_at: the cell path the player is counted under: the same, that of the record just
            replaced, or None for a player who was counted nowhere yet.
    """

    path: str
    counted_at: str | None

    def missing_at(self, path: str) -> int:
        """1 where the player belongs to a cell whose count cannot hold them yet, else 0."""
        return 0 if self.counted_at is not None and self.counted_at.startswith(path) else 1

    def is_counted_in(self, path: str, counts: Mapping[str, int], codes: Container[str]) -> bool:
        """Whether one of a node's children, of those with these codes, counts the player."""
        if self.counted_at is None or not self.counted_at.startswith(path):
            return False
        code = self.counted_at[len(path) : len(path) + CODE_LENGTH]
        return code in codes and counts[code] > 0


@dataclass
class Walk:
    """How far the walk came.

    Attributes:
        ahead: players in the cells ahead of the player's own.
        count: players in the player's own cell, themselves included: at least 1.
        doubt: 1 if there may be one more ahead, else 0: of a player who was counted in a better
            cell it cannot be told whether they are there yet, or in their own cell already.
        path: the cell path walked.
        population: players on the board, by the root; None when no node could be read.
        population_slack: 1 if that adds a player whom the root may hold already, else 0.
        as_of: the newest of the nodes read.
        nodes: the nodes read, the root first.
        failure: what ended the walk early, if anything did.
    """

    ahead: int = 0
    count: int = 1
    doubt: int = 0
    path: str = ""
    population: int | None = None
    population_slack: int = 0
    as_of: int | None = None
    nodes: list[Node] = field(default_factory=list)
    failure: ThrottledError | UnavailableError | None = None

    @property
    def first(self) -> int:
        """The best rank the player may hold."""
        return self.ahead + 1

    @property
    def last(self) -> int:
        """The worst rank the player may hold."""
        return self.ahead + self.count + self.doubt


def walk(subject: Subject, *, descending: bool, read: NodeReader, enough: int) -> Walk:
    """Walks down until the path ends, one player is left, or the range ends within `enough`.

    A node that cannot be read ends the walk where it stands, with the failure noted: what the
    nodes above it said still holds.
    """
    walked = Walk()
    while len(walked.path) < len(subject.path):
        try:
            node = read(walked.path)
        except (ThrottledError, UnavailableError) as error:
            walked.failure = error
            break
        _descend(walked, node, subject, descending)
        if walked.count == 1 or walked.last <= enough:
            break
    return walked


def _descend(walked: Walk, node: Node, subject: Subject, descending: bool) -> None:
    path = subject.path[: len(walked.path) + CODE_LENGTH]
    code = path[-CODE_LENGTH:]
    better = {c for c in node.counts if c != code and (c > code) == descending}
    ahead = sum(node.counts[c] for c in better)
    own = max(1, node.counts.get(code, 0) + subject.missing_at(path))
    if subject.is_counted_in(walked.path, node.counts, better):
        ahead -= 1  # nobody is ahead of themselves
        if own > 1:
            own, walked.doubt = own - 1, 1
    if walked.population is None:
        walked.population_slack = int(subject.counted_at is None)
        total = sum(node.counts.values()) + walked.population_slack
        walked.population = max(total, ahead + own + walked.doubt)
    else:
        ahead = min(ahead, walked.count - 1)
        own = min(own, walked.count - ahead)
    walked.ahead += ahead
    walked.count = own
    walked.path = path
    walked.nodes.append(node)
    walked.as_of = max((n.as_of for n in walked.nodes if n.as_of is not None), default=None)
