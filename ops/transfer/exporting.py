"""An export: a window's entries in rank order, read page by page, written as they come.

Reads follow the index, which is eventually consistent: a player who moves meanwhile may be met
twice, or missed. Nothing is kept in memory but a page.
"""

import csv
import io
import json
import time
from collections.abc import Callable, Iterator
from heapq import merge
from typing import Any, BinaryIO, Final

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.logic.retrying import Retrying
from lambdas.store import keys
from lambdas.store.rank_index import RankIndex
from ops.audit import PAGE_SIZE
from ops.transfer.columns import ACHIEVED_AT, PLAYER, RANK, SCORE, tie_breaker_column
from ops.transfer.rows import FileFormat
from ops.transfer.tables import Tables

PATIENCE_SECONDS: Final = 60.0  # how long a page is tried again
REPORTED_ENTRIES: Final = 1_000
BOM: Final = "\ufeff"  # tells spreadsheet programs that a file is UTF-8


def export(
    tables: Tables,
    board: Board,
    window: str,
    file: BinaryIO,
    file_format: FileFormat,
    *,
    bom: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Writes a window in rank order; how many entries that were.

    Args:
        tables: The stage's tables.
        board: The board.
        window: The window's name.
        file: Where to write, in UTF-8.
        file_format: A header and a line an entry, or a JSON object a line.
        bom: Whether a CSV begins with the mark that spreadsheet programs know UTF-8 by.
        progress: Told how many were written, every `REPORTED_ENTRIES`.

    Cost: half a read unit each 4 KB of the index, some 27 entries.

    Raises:
        ThrottledError, UnavailableError: DynamoDB did not serve a page for `PATIENCE_SECONDS`.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=False)
    try:
        columns = [RANK, PLAYER, SCORE]
        columns += [tie_breaker_column(one.name) for one in board.config.tie_breakers]
        write = _writer(text, [*columns, ACHIEVED_AT], file_format, bom)
        count = 0
        for count, (rank, entry) in enumerate(ranked(board, entries(tables, board, window)), 1):
            write([rank, entry.player, entry.score, *entry.tie_breakers, entry.achieved_at])
            if count % REPORTED_ENTRIES == 0:
                progress(count)
        return count
    finally:
        text.detach()  # flushes, and leaves the file to its owner


def _writer(
    text: io.TextIOWrapper, columns: list[str], file_format: FileFormat, bom: bool
) -> Callable[[list[Any]], Any]:
    if file_format == "jsonl":

        def write_object(values: list[Any]) -> None:
            line = json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False)
            text.write(f"{line}\n")

        return write_object
    if bom:
        text.write(BOM)
    # Texts are quoted all of them: an id of digits or with spaces at its ends stays a text.
    rows = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    rows.writerow(columns)
    return rows.writerow


def ranked(board: Board, listed: Iterator[Entry]) -> Iterator[tuple[int, Entry]]:
    """Entries with their ranks, which are places unless the board shares them."""
    rank, standing = 0, None
    for place, entry in enumerate(listed, 1):
        if not board.shares_ranks or entry.standing != standing:
            rank, standing = place, entry.standing
        yield rank, entry


def entries(tables: Tables, board: Board, window: str) -> Iterator[Entry]:
    """Every entry of a window in rank order, under whichever layout; a page again if it fails."""
    reading = _Reading(tables, board, window)
    while entry := Retrying(time.monotonic() + PATIENCE_SECONDS).run(reading.next_entry):
        yield entry


class _Reading:
    """A place in the index of a window."""

    def __init__(self, tables: Tables, board: Board, window: str) -> None:
        self._board = board
        self._indexes = [
            RankIndex(tables.dynamo, tables.scores_table, board, window, layout)
            for layout in board.layouts
            if layout.state != "retired"
        ]
        self._after: str | None = None
        self._entries = self._open()

    def next_entry(self) -> Entry | None:
        """The next entry; None at the end. After a failure, another call tries it again."""
        try:
            entry = next(self._entries, None)
        except (ThrottledError, UnavailableError):
            self._entries = self._open()
            raise
        if entry:
            self._after = self._key(entry)
        return entry

    def _open(self) -> Iterator[Entry]:
        streams = (index.entries(PAGE_SIZE, self._after) for index in self._indexes)
        return iter(merge(*streams, key=self._key))

    def _key(self, entry: Entry) -> str:
        return keys.entry_key(self._board.order, entry)
