"""The sweep: removes what a deleted board's former lives left in the tables.

It goes through the index partitions and the counter nodes that those lives can have fed, over and
over, until a whole pass that began after the last late writer finds nothing. Counters wait for
that writer, too: a node made again after its parent was removed could not be found any more. An
item of a life that stands is never touched, however the two interleave. It works in slices and
keeps nothing but a position, which may be lost: whatever is killed is run again from the start.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple, TypeVar

from lambdas.domain.boards import Board, Layout
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.counting import NodeKey
from lambdas.domain.errors import BoardNotFoundError
from lambdas.domain.lives import Remains, Tombstone, remains_of
from lambdas.logic.removing import PAGE_SIZE, Pace, each
from lambdas.logic.retrying import Retrying
from lambdas.store import keys
from lambdas.store.boards import Boards
from lambdas.store.counters import Counters, counts_of
from lambdas.store.dynamo import Item
from lambdas.store.leftovers import Found, Leftovers
from lambdas.store.segments import KnownSegment, Segments

SLICE_REQUESTS: Final = 2_000  # some seconds of work at the default rate
ROOTS_COUNTED: Final = 200  # more would take longer to read than their sum is worth

T = TypeVar("T")
R = TypeVar("R")


class Position(NamedTuple):
    """How far a pass has come; good for the same former lives alone.

    Attributes:
        first_layout: which former lives: all before the one with this layout.
        began_at: when the pass began, ms since 1970.
        place: which of its targets is next.
        after: what of that target is done: a rank key, or a node's path.
        removed: items removed in this pass.
    """

    first_layout: int
    began_at: int
    place: int = 0
    after: str = ""
    removed: int = 0


@dataclass(frozen=True)
class Slice:
    """What one slice did.

    Attributes:
        position: where the next one goes on; None to begin a pass.
        scores, counters: items removed.
        is_done: nothing is left, and the board's item says so.
        wait_ms: how long the next slice would find nothing to do.
    """

    position: Position | None = None
    scores: int = 0
    counters: int = 0
    is_done: bool = False
    wait_ms: int = 0


class Target(NamedTuple):
    """An index partition, or the counter nodes of a window under a layout."""

    partition: str | None
    window: str
    layout: Layout | None


@dataclass
class _Done:
    """The work of one slice so far, and what it may still ask."""

    position: Position
    requests_left: int
    scores: int = 0
    counters: int = 0

    def note(self, *, requests: int, scores: int = 0, counters: int = 0, after: str) -> None:
        self.requests_left -= requests
        self.scores += scores
        self.counters += counters
        removed = self.position.removed + scores + counters
        self.position = self.position._replace(after=after, removed=removed)

    def next_target(self) -> None:
        self.position = self.position._replace(place=self.position.place + 1, after="")


@dataclass
class Sweep:
    """Sweeps boards, at a rate of removals.

    Attributes:
        retrying: makes what repeats a request that DynamoDB does not serve.
        requests: how many a slice makes, about.
    """

    boards: Boards
    counters: Counters
    leftovers: Leftovers
    segments: Segments
    retrying: Callable[[], Retrying]
    pace: Pace
    now_ms: Callable[[], int]
    requests: int = SLICE_REQUESTS

    def slice(self, board: str, position: Position | None) -> Slice:
        """Goes on for about `requests` requests.

        Calling it again from the same position, or from none, only looks again.

        Cost: one consistent read of the board's item and one of its segments, then half a read
        unit a query, and for each item what removing it costs (`store/leftovers.py`). A swept
        board costs the first alone.

        Raises:
            BoardNotFoundError: there never was such a board.
            ThrottledError, UnavailableError: still so at the deadline; go on from where it began.
        """
        stored = self.retrying().run(lambda: self.boards.find(board))
        if stored is None:
            raise BoardNotFoundError(board)
        remains, now_ms = remains_of(stored), self.now_ms()
        if remains is None:
            return Slice(is_done=True)
        if now_ms < remains.begins_at:
            return Slice(wait_ms=remains.begins_at - now_ms)
        if position is None or position.first_layout != remains.first_layout:
            position = Position(remains.first_layout, now_ms)
        return self._pass_on(stored, remains, _Done(position, self.requests))

    def population(self, board: str) -> int | None:
        """The players that a board's former lives still count; None where it takes too long.

        Raises:
            ThrottledError, UnavailableError: still so at the deadline.
        """
        stored = self.retrying().run(lambda: self.boards.find(board))
        remains = remains_of(stored) if stored else None
        if remains is None:
            return 0
        windows = _windows(remains, self._segments_of(remains))
        roots = [_root(board, target) for target in _counters(remains, windows)]
        if len(roots) > ROOTS_COUNTED:
            return None
        nodes = self._each(self.counters.read, roots)
        return sum(sum(node.counts.values()) for node in nodes)

    def _pass_on(self, stored: Board | Tombstone, remains: Remains, done: _Done) -> Slice:
        segments = self._segments_of(remains)
        windows = _windows(remains, segments)
        targets = _scores(remains, windows)
        if done.position.began_at >= remains.settled_at:
            targets += _counters(remains, windows)
        while done.position.place < len(targets):
            if done.requests_left <= 0:
                return Slice(done.position, done.scores, done.counters)
            target = targets[done.position.place]
            if target.layout is None:
                self._sweep_scores(remains, str(target.partition), done)
            else:
                self._sweep_counters(_root(remains.board, target), target.layout, done)
        return self._end_of_pass(stored, remains, segments, done)

    def _segments_of(self, remains: Remains) -> list[KnownSegment]:
        """The segments that the former lives had: ever the same ones, once they have settled."""
        known = self.retrying().run(lambda: self.segments.known(remains.board))
        return [one for one in known if one.since_layout < remains.first_layout]

    def _end_of_pass(
        self,
        stored: Board | Tombstone,
        remains: Remains,
        segments: list[KnownSegment],
        done: _Done,
    ) -> Slice:
        ended = Slice(None, done.scores, done.counters)
        if done.position.removed or done.position.began_at < remains.settled_at:
            return replace(ended, wait_ms=max(0, remains.settled_at - self.now_ms()))
        now_ms, last = self.now_ms(), remains.first_layout
        for one in segments:
            self.retrying().run(partial(self.segments.forget, remains.board, one.segment, last))
        is_done = self.retrying().run(lambda: self.boards.mark_swept(stored, now_ms))
        return replace(ended, is_done=is_done)

    def _sweep_scores(self, remains: Remains, partition: str, done: _Done) -> None:
        while done.requests_left > 0:
            found = self._page(partition, done.position.after)
            if not found:
                done.note(requests=1, after="")
                done.next_target()
                return
            removed = self._each(
                lambda one: self.leftovers.remove_score(one.pk, remains.first_layout), found
            )
            done.note(requests=1 + len(found), scores=sum(removed), after=found[-1].rank_key)
            self.pace.spend(len(found))

    def _page(self, partition: str, after: str) -> list[Found]:
        return self.retrying().run(lambda: self.leftovers.scores(partition, after, PAGE_SIZE))

    def _sweep_counters(self, root: NodeKey, layout: Layout, done: _Done) -> None:
        for node, items in self._nodes(root, layout, done.position.after):
            self._each(self.leftovers.remove_counter, items)
            done.note(requests=1 + len(items), counters=len(items), after=node.path)
            self.pace.spend(len(items))
            if done.requests_left <= 0 and node.path:
                return
        done.next_target()

    def _nodes(
        self, node: NodeKey, layout: Layout, last: str
    ) -> Iterator[tuple[NodeKey, list[Item]]]:
        """The nodes below and at a node, children first, from behind the last one that is done.

        Children first: a sweep that is killed finds the rest from the root again.
        """
        items = self.retrying().run(lambda: self.counters.items(node))
        codes = {code for item in items for code in counts_of(item)}
        is_last = len(node.path) == (layout.levels - 1) * CODE_LENGTH
        for code in () if is_last else sorted(codes):
            path = node.path + code
            if path < last[: len(path)] or path == last:
                continue
            yield from self._nodes(node._replace(path=path), layout, last)
        yield node, items

    def _each(self, call: Callable[[T], R], over: list[T]) -> list[R]:
        return each(lambda one: self.retrying().run(lambda: call(one)), over)


def _windows(remains: Remains, segments: list[KnownSegment]) -> list[str]:
    return remains.windows([one.segment for one in segments])


def _scores(remains: Remains, windows: list[str]) -> list[Target]:
    """Where score items may lie, hidden ones too."""
    return [
        Target(partition, window, None)
        for window in windows
        for partition in _partitions(remains.board, window, remains.layouts)
    ]


def _counters(remains: Remains, windows: list[str]) -> list[Target]:
    """Where counters may lie."""
    return [Target(None, window, layout) for window in windows for layout in remains.layouts]


def _partitions(board: str, window: str, layouts: tuple[Layout, ...]) -> Iterator[str]:
    yield keys.hidden_partition(board, window)
    for layout in layouts:
        for shard in range(layout.index_shards):
            yield keys.rank_partition(board, window, layout.number, shard)


def _root(board: str, target: Target) -> NodeKey:
    return NodeKey(board, target.window, target.layout.number if target.layout else 0, "")
