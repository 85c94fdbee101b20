"""Counting one batch of stream records exactly once, however often it is delivered.

Nothing here is remembered between calls but board configs: what was counted is written in the
counter items themselves. A batch half done when its function died is completed by the next
delivery and never repeated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from lambdas.domain.boards import Board, Layout
from lambdas.domain.counting import Change, NodeKey, NodeStep, group_by_node
from lambdas.domain.errors import BoardNotFoundError, RefusedError, WindowNotFoundError
from lambdas.domain.hashing import shard_of
from lambdas.logic.retrying import Retrying
from lambdas.names import STAGE_LOCAL
from lambdas.store import keys
from lambdas.store.cached_boards import CachedBoards
from lambdas.store.counters import Counted, Counters, Writer
from lambdas.store.stream_records import (
    Ignored,
    UnreadableRecordError,
    key_of,
    read_record,
    sequence_of,
)

THREADS: Final = 16  # an update waits some milliseconds and takes under one of CPU
# A log line each: a batch over more boards than these has none that is hot.
ROOTS_NAMED: Final = 20


class NoStreamShardError(RuntimeError):
    """The event does not say which stream shard it comes from; counting it could lose records."""


@dataclass(frozen=True)
class Skipped:
    """A record that was not counted and cannot be: for the failure queue.

    Attributes:
        key: the record's key, as well as it could be told.
    """

    key: str
    sequence: str
    reason: str


@dataclass(frozen=True)
class RootUpdate:
    """A root that was written: of all counter items the ones that every batch of a window meets.

    Attributes:
        item: the counter item, as its keys spell it.
        steps: changes that went into it.
    """

    item: str
    steps: int
    write_units: float


@dataclass
class Report:
    """What one batch came to.

    Attributes:
        records: records delivered.
        ignored: readable records that count nothing: of deleted boards, removals by TTL.
        nodes: nodes written.
        already_counted: steps of nodes that a mark had passed.
        marks_pruned: marks removed because nothing they guard can come again.
        newest_ms: creation time of the newest record read, None if none was.
        skipped: what was not counted and cannot be.
        roots: the roots written, at most `ROOTS_NAMED`, those that took the most first.
    """

    records: int = 0
    ignored: int = 0
    nodes: int = 0
    already_counted: int = 0
    marks_pruned: int = 0
    newest_ms: int | None = None
    skipped: list[Skipped] = field(default_factory=list)
    roots: list[RootUpdate] = field(default_factory=list)


def stream_shard_of(event: Mapping[str, Any], stage: str) -> str:
    """The stream shard of an event.

    A mapping names it when it has a tumbling window. Emulators name none: there, and nowhere
    else, the stream's ARN stands for its one stream shard.

    Raises:
        NoStreamShardError: the event names none.
    """
    if event.get("shardId"):
        return str(event["shardId"])
    if stage != STAGE_LOCAL:
        raise NoStreamShardError("the event has no shardId: the mapping needs a tumbling window")
    records = event.get("Records") or [{}]
    return str(records[0].get("eventSourceARN", ""))


class Counter:
    """Counts the batches of one call."""

    def __init__(
        self, counters: Counters, boards: CachedBoards, retrying: Retrying, writer: Writer
    ) -> None:
        self._counters = counters
        self._boards = _BoardsOfBatch(boards, retrying)
        self._retrying = retrying
        self._writer = writer

    def count(self, records: Sequence[Mapping[str, Any]]) -> Report:
        """Counts one batch; counting it again, or any part of it, changes nothing.

        Cost: one `UpdateItem` a node touched, see `Counters.count`.

        Raises:
            ThrottledError, UnavailableError: still so at the deadline; deliver the batch again.
        """
        report = Report(records=len(records))
        changes = list(self._read(records, report))
        report.newest_ms = max((change.created_ms for change in changes), default=None)
        nodes = group_by_node(changes)
        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(self._count_node, nodes.items()))
        refused: dict[int, list[str]] = defaultdict(list)
        for (node, steps), result in zip(nodes.items(), results, strict=True):
            if isinstance(result, Counted):
                _note(report, result)
                if not node.path and result.steps:
                    report.roots.append(self._root_update(node, result))
                continue
            for step in steps:
                refused[step.sequence].append(f"{node.path or 'root'} ({result.code})")
        report.skipped += _skipped(records, refused)
        report.roots.sort(key=lambda root: (-root.write_units, -root.steps))
        del report.roots[ROOTS_NAMED:]
        return report

    def _read(self, records: Sequence[Mapping[str, Any]], report: Report) -> Iterator[Change]:
        for record in records:
            try:
                read = read_record(record, self._boards.find)
            except UnreadableRecordError as error:
                report.skipped.append(Skipped(key_of(record), sequence_of(record), str(error)))
                continue
            if isinstance(read, Ignored):
                report.ignored += 1
            else:
                yield read

    def _count_node(self, item: tuple[NodeKey, list[NodeStep]]) -> Counted | RefusedError:
        node, steps = item
        board, _ = self._boards.layout(node)
        shard = self._shard(node)
        expires_at = _expires_at(board, node.window)
        try:
            return self._retrying.run(
                lambda: self._counters.count(node, shard, steps, self._writer, expires_at)
            )
        except RefusedError as error:
            return error

    def _shard(self, node: NodeKey) -> int:
        _, layout = self._boards.layout(node)
        return shard_of(self._writer.stream_shard, layout.counter_shards)

    def _root_update(self, node: NodeKey, counted: Counted) -> RootUpdate:
        item = keys.counter_item(node, self._shard(node))
        return RootUpdate(item, counted.steps, counted.write_units)


class _BoardsOfBatch:
    """Board configs, looked up once a batch; an unknown layout is looked up anew, once."""

    def __init__(self, boards: CachedBoards, retrying: Retrying) -> None:
        self._boards = boards
        self._retrying = retrying
        self._found: dict[str, Board | None] = {}
        self._refreshed: set[tuple[str, int]] = set()
        self._layouts: dict[tuple[str, int], tuple[Board, Layout]] = {}

    def find(self, board: str, layout: int) -> Board | None:
        """The board, knowing the layout if it has such a one; None if it was deleted."""
        if board not in self._found:
            self._found[board] = self._look_up(board, self._boards.get)
        found = self._found[board]
        if found and layout > found.first_layout and found.layout(layout) is None:
            found = self._refresh(board, layout)
        known = found.layout(layout) if found else None
        if found and known:
            # Kept: a later record's refresh may find that the board was deleted meanwhile.
            self._layouts[board, layout] = found, known
        return found

    def layout(self, node: NodeKey) -> tuple[Board, Layout]:
        """The board and layout of a node that a record of this batch touches."""
        return self._layouts[node.board, node.layout]

    def _refresh(self, board: str, layout: int) -> Board | None:
        if (board, layout) not in self._refreshed:
            self._refreshed.add((board, layout))
            self._found[board] = self._look_up(board, self._boards.refresh)
        return self._found[board]

    def _look_up(self, board: str, read: Callable[[str], Board]) -> Board | None:
        try:
            return self._retrying.run(lambda: read(board))
        except BoardNotFoundError:
            return None


def _expires_at(board: Board, window: str) -> int | None:
    """When a window's counters may go; None for a window that the board no longer knows."""
    try:
        return board.schedule.expires_at(board.schedule.named(window))
    except WindowNotFoundError:
        return None


def _note(report: Report, counted: Counted) -> None:
    report.nodes += counted.steps > 0
    report.already_counted += counted.already_counted
    report.marks_pruned += counted.pruned


def _skipped(
    records: Sequence[Mapping[str, Any]], refused: Mapping[int, list[str]]
) -> Iterator[Skipped]:
    """The records that some node could not take, each once, with those nodes."""
    left = dict(refused)
    for record in records:
        sequence = sequence_of(record)
        is_number = sequence.isascii() and sequence.isdecimal() and len(sequence) <= 40
        if is_number and (nodes := left.pop(int(sequence), None)):
            reason = f"the update of these nodes was refused: {', '.join(nodes)}"
            yield Skipped(key_of(record), sequence, reason)
