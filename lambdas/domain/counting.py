"""Counting: stream records folded into one update a node.

Each record takes an entry from one cell to another: -1 along the old path, +1 along the new
one. For one batch this yields, a node, the deltas of its children and the first and last
sequence number that touched it. A node whose deltas cancel is kept all the same: without a mark
a later redelivery of half its records would count them.

Applying an update under `mark < first` and setting `mark = last` counts each record once, if the
records of one stream shard arrive in order the first time: what a mark has passed was counted.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lambdas.domain.cells import CODE_LENGTH


class Place(NamedTuple):
    """Where one image of a score item is counted."""

    board: str
    window: str
    layout: int
    cell: str


class NodeKey(NamedTuple):
    """The node that holds the counters of one cell's children; the root's path is empty."""

    board: str
    window: str
    layout: int
    path: str


@dataclass(frozen=True)
class Change:
    """One readable stream record: where the entry was counted before and is counted now.

    Attributes:
        sequence: the record's sequence number in its stream shard.
        created_ms: DynamoDB's approximate creation time, ms since 1970.
    """

    sequence: int
    created_ms: int
    before: Place | None
    after: Place | None


@dataclass(frozen=True)
class NodeStep:
    """What one record does to one node."""

    sequence: int
    created_ms: int
    deltas: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class NodeUpdate:
    """What one batch does to one node.

    Attributes:
        first, last: the lowest and highest sequence number in it.
        as_of: creation time (ms) of its newest record.
        deltas: changes by child code. One that cancels stands as 0, so that every node that was
            written can be found from the root.
    """

    first: int
    last: int
    as_of: int
    deltas: Mapping[str, int]


def group_by_node(changes: Iterable[Change]) -> dict[NodeKey, list[NodeStep]]:
    """The steps each node has to take; a record delivered twice in one batch is taken once."""
    steps: dict[NodeKey, list[NodeStep]] = defaultdict(list)
    for change in {change.sequence: change for change in changes}.values():
        for node, deltas in _touched(change).items():
            steps[node].append(NodeStep(change.sequence, change.created_ms, tuple(deltas)))
    return dict(steps)


def fold(steps: Sequence[NodeStep]) -> NodeUpdate:
    """Folds the steps of one node, at least one, into one update."""
    deltas: dict[str, int] = defaultdict(int)
    for step in steps:
        for code, delta in step.deltas:
            deltas[code] += delta
    return NodeUpdate(
        first=min(step.sequence for step in steps),
        last=max(step.sequence for step in steps),
        as_of=max(step.created_ms for step in steps),
        deltas=dict(deltas),
    )


def beyond(steps: Sequence[NodeStep], counted_to: int) -> list[NodeStep]:
    """The steps that a mark has not passed yet."""
    return [step for step in steps if step.sequence > counted_to]


def _touched(change: Change) -> dict[NodeKey, list[tuple[str, int]]]:
    touched: dict[NodeKey, list[tuple[str, int]]] = defaultdict(list)
    for place, delta in ((change.before, -1), (change.after, 1)):
        if place is None:
            continue
        for end in range(0, len(place.cell), CODE_LENGTH):
            node = NodeKey(place.board, place.window, place.layout, place.cell[:end])
            touched[node].append((place.cell[end : end + CODE_LENGTH], delta))
    return touched
