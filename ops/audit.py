"""The audit: what the counters say, compared with a recount of the rank index.

It reads the tables themselves, with the operator's credentials. Every entry of the index is walked
down its cells again; every counter node that the root leads to, or that the recount expects, is
read. They agree if every child's count is the recounted one, and every node's sum is what its
parent counts for it.

Cost: half a read unit for each 4 KB of index (some 27 entries) and each node; it changes nothing.
On a busy board a difference may be lag alone: counters follow writes by a second or two. One that
stays the same over several audits is drift.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple

from botocore.config import Config

from lambdas.domain.boards import Board, Layout
from lambdas.domain.cells import CODE_LENGTH, Cells, Span, split_path
from lambdas.domain.counting import NodeKey
from lambdas.domain.errors import (
    BoardNotFoundError,
    StoreError,
    ThrottledError,
    UnavailableError,
)
from lambdas.store.boards import Boards
from lambdas.store.counters import Counters
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.rank_index import RankIndex
from ops.client import ClientError, NotRunningError, Outputs
from ops.dynamodb import client_of
from ops.outputs import remedy

PAGE_SIZE: Final = 5_000  # a local engine is slow at queries without a limit
READS_IN_FLIGHT: Final = 8
REFUSED_CONNECTION: Final = "EndpointConnectionError"  # botocore's name for it
PAUSE_SECONDS: Final = 1.0
_PATIENT: Final = Config(
    read_timeout=60, max_pool_connections=READS_IN_FLIGHT, retries={"mode": "standard"}
)

Counts = dict[str, Counter[str]]
"""Players by child code, for each node by its path."""


class AuditError(ClientError):
    """The audit could not be made."""

    code = "audit_failed"
    title = "The audit could not be made"


class Difference(NamedTuple):
    """One place where counters and recount part.

    Attributes:
        kind: `count`: a child's count; `sum`: a node's children together against its parent.
        layout: The layout's number.
        node: The node's cell path; empty for the root.
        child: The child's code; None for a `sum`.
        low, high: The scores of the cell, both included; None if the layout has no such cell.
        counted: What the counters say.
        recounted: What the recount says; for a `sum`, what the parent's counter says.
    """

    kind: Literal["count", "sum"]
    layout: int
    node: str
    child: str | None
    low: int | None
    high: int | None
    counted: int
    recounted: int


@dataclass(frozen=True)
class WindowAudit:
    """What an audit of one window found.

    Attributes:
        players: Entries in the index.
        nodes: Counter nodes that hold anything, or should.
        cells: Children compared: those counted, recounted or both.
        differences: Where they part; none if all agree.
    """

    board: str
    window: str
    players: int
    nodes: int
    cells: int
    differences: tuple[Difference, ...]


class Tables(NamedTuple):
    """The store, as an audit reads it, and when it began (ms since 1970)."""

    now_ms: int
    dynamo: Dynamo
    scores_table: str
    boards: Boards
    counters: Counters


def tables_of(outputs: Outputs) -> Tables:
    """The tables of a stage, read with the operator's credentials; locally, the emulator's."""
    dynamo = Dynamo(client_of(outputs, _PATIENT), Meter())
    return Tables(
        time.time_ns() // 1_000_000,
        dynamo,
        outputs.scores_table,
        Boards(dynamo, outputs.boards_table),
        Counters(dynamo, outputs.counters_table),
    )


def audit_boards(
    outputs: Outputs, boards: Sequence[str] = (), *, wait_seconds: float = 0
) -> list[WindowAudit]:
    """Audit boards, all of them if none is named.

    Args:
        outputs: The stage.
        boards: The ids of the boards.
        wait_seconds: How long to audit again where something differs, for all boards together.

    Raises:
        AuditError: A board is unknown, or a table cannot be read.
        NotRunningError: The local deployment is not running.
    """
    deadline = time.monotonic() + wait_seconds
    try:
        tables = tables_of(outputs)
        every = () if boards else sorted(tables.boards.all(), key=lambda board: board.id)
        found = [tables.boards.get(board) for board in boards] or every
        return [
            audit_until(tables, board, window.name, deadline)
            for board in found
            for window in board.schedule.recent(tables.now_ms)
        ]
    except BoardNotFoundError as error:
        raise AuditError(f"There is no board '{error}'.") from error
    except StoreError as error:
        raise explained(error, outputs, AuditError, "the audit") from error


def explained(
    error: StoreError, outputs: Outputs, kind: type[ClientError], what: str
) -> ClientError:
    """What the store's failure means to whoever ran an audit, or whatever it is called."""
    where = f"The tables of stage '{outputs.stage}'"
    if outputs.is_local and error.code == REFUSED_CONNECTION:
        return NotRunningError(f"{where} do not answer. {remedy(outputs.stage)}")
    if isinstance(error, ThrottledError | UnavailableError):
        return kind(f"{where} did not serve {what} ({error.code}): try again.")
    return kind(f"{where} cannot be read ({error.code}).")


def audit_until(tables: Tables, board: Board, window: str, deadline: float) -> WindowAudit:
    """Audit a window, again while it differs and the deadline (monotonic seconds) allows."""
    while True:
        audit = audit_window(tables, board, window)
        if not audit.differences or time.monotonic() + PAUSE_SECONDS > deadline:
            return audit
        time.sleep(PAUSE_SECONDS)


def audit_window(tables: Tables, board: Board, window: str) -> WindowAudit:
    """Compare one window's counters, under every layout that is read, with a recount."""
    players = nodes = cells = 0
    differences: list[Difference] = []
    for layout in board.layouts:
        if layout.state == "retired":
            continue
        layout_cells = board.cells(layout)
        recounted = recount(tables, board, window, layout)
        read = partial(_read, tables.counters, board.id, window, layout.number)
        counted = collect(layout_cells, recounted, read)
        players += recounted.get("", Counter()).total()
        nodes += len(counted)
        cells += sum(len(codes) for _, codes in _compared(counted, recounted))
        differences += compare(layout.number, layout_cells, counted, recounted)
    return WindowAudit(board.id, window, players, nodes, cells, tuple(differences))


def recount(tables: Tables, board: Board, window: str, layout: Layout) -> Counts:
    """Count every entry of the index along its cells.

    Raises:
        AuditError: A key in the index cannot be read; nothing of ours writes such a key.
    """
    index = RankIndex(tables.dynamo, tables.scores_table, board, window, layout)
    path_of = board.cells(layout).path
    counts: Counts = {}
    try:
        for entry in index.entries(PAGE_SIZE):
            codes = split_path(path_of(entry.score))
            for depth, code in enumerate(codes):
                counts.setdefault("".join(codes[:depth]), Counter())[code] += 1
    except ValueError as error:
        raise AuditError(f"An entry of board '{board.id}' cannot be read: {error}.") from error
    return counts


def collect(cells: Cells, recounted: Counts, read: Callable[[str], Counter[str]]) -> Counts:
    """Read every node that the root leads to, or that the recount expects, level by level.

    A child whose count has come back to 0 is followed too: its own node must hold nothing then.
    """
    counted: Counts = {}
    paths = [""]
    with ThreadPoolExecutor(READS_IN_FLIGHT) as pool:
        while paths:
            level = dict(zip(paths, pool.map(read, paths), strict=True))
            counted |= level
            paths = [
                node + code
                for node in level
                for code in sorted(level[node].keys() | recounted.get(node, {}).keys())
                if _is_split(cells, node, code)
            ]
    return {node: codes for node, codes in counted.items() if codes or node in recounted}


def compare(layout: int, cells: Cells, counted: Counts, recounted: Counts) -> Iterator[Difference]:
    """Every child whose counts differ, and every node whose sum its parent contradicts."""
    for node, codes in _compared(counted, recounted):
        spans = dict(cells.children(node))
        for code in codes:
            ours, theirs = counted[node][code], recounted.get(node, Counter())[code]
            if ours != theirs:
                low, high = spans.get(code, (None, None))
                yield Difference("count", layout, node, code, low, high, ours, theirs)
        if node:
            total = counted[node].total()
            in_parent = counted[node[:-CODE_LENGTH]][node[-CODE_LENGTH:]]
            if total != in_parent:
                low, high = cells.bounds(node)
                yield Difference("sum", layout, node, None, low, high, total, in_parent)


def _compared(counted: Counts, recounted: Counts) -> Iterator[tuple[str, list[str]]]:
    """The children to compare, node by node: those that either side counts anybody in."""
    for node in sorted(counted):
        ours, theirs = counted[node], recounted.get(node, Counter())
        codes = ours.keys() | theirs.keys()
        yield node, sorted(code for code in codes if ours[code] or theirs[code])


def _is_split(cells: Cells, node: str, code: str) -> bool:
    """Whether a child has counters of its own: not on the last level, nor of one score alone."""
    span = dict(cells.children(node)).get(code, Span(0, 0))
    return span.width > 1 and len(node + code) < cells.levels * CODE_LENGTH


def _read(counters: Counters, board: str, window: str, layout: int, path: str) -> Counter[str]:
    return Counter(counters.sums(NodeKey(board, window, layout, path)))
