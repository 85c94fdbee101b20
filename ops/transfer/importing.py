"""An import: the lines of a file, one after the other, into one window of a board.

Set-if-better is a condition of each write, so writing a line twice changes nothing; a checkpoint
keeps an import that was killed from starting over. Lines are read in blocks: a block is written
whole before the checkpoint moves past it.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from lambdas.domain.boards import Board
from lambdas.domain.errors import (
    InvalidFieldsError,
    PlayerIdError,
    ThrottledError,
    UnavailableError,
)
from lambdas.domain.submissions import Accepted, accept
from ops.transfer.checkpoints import Checkpoint, Checkpoints
from ops.transfer.columns import Columns
from ops.transfer.errors import TransferError, TransferStoppedError
from ops.transfer.refusals import Refusal, Refusals
from ops.transfer.rows import Row, rows
from ops.transfer.source import Source
from ops.transfer.starting import Asked, checkpoint_to_start_from, refused_file, window_of
from ops.transfer.tables import Tables
from ops.transfer.writing import PATIENCE_SECONDS, Writer

BLOCK_LINES: Final = 500
BLOCK_BYTES: Final = 4 << 20
TAKEN: Final = "taken"  # the outcome in a dry run, which cannot tell new from kept

Write = Callable[[Sequence[Accepted]], Counter[str]]


class Progress(NamedTuple):
    """How far an import is: bytes of the file, and lines of this try."""

    offset: int
    size: int
    lines: int


@dataclass(frozen=True)
class Imported:
    """What an import did, the tries it went on from included.

    Attributes:
        window: The window's name.
        counts: Lines that were taken, by outcome.
        refused: Lines that were not taken.
        shown: The first of them.
        refused_file: Where all of them are listed; None if there are none, or no list was made.
        resumed_behind: The line it went on behind; 0 if it began at the first.
        seconds, lines_per_second: Of this try alone.
    """

    window: str
    counts: Counter[str]
    refused: int
    shown: tuple[Refusal, ...]
    refused_file: str | None
    resumed_behind: int
    seconds: float
    lines_per_second: float

    @property
    def taken(self) -> int:
        """How many lines were taken."""
        return self.counts.total()


def run_import(
    tables: Tables,
    state_dir: Path,
    asked: Asked,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Imported:
    """Imports a file; goes on where a former try of the same import ended.

    Cost: a read unit for the board every ten seconds, and for each line one to see whether the
    player is hidden and a write, see `Scores.submit`.

    Raises:
        TransferUsageError: The file's header or the window does not fit; nothing was written.
        TransferError: The window is closed, the file changed, DynamoDB took too long, or another
            reason to stop; the same import goes on from its checkpoint.
        BoardNotFoundError, WindowNotFoundError: There is none; nothing was written.
    """
    board = tables.boards.get(asked.board)
    window = window_of(board, asked.window, tables.now_ms())
    fresh = Checkpoint(board.first_layout, tables.now_ms(), str(refused_file(asked) or ""))
    with Source(asked.path) as source:
        if asked.dry_run:
            return _Import(board, window, source, asked, fresh, None).run(_taken, progress)
        path = str(asked.path.resolve())
        checkpoints = Checkpoints(state_dir, tables.identity(), board.id, window, path)
        with checkpoints.held():
            if asked.restart:
                checkpoints.forget()
            start = checkpoint_to_start_from(checkpoints, source, fresh)
            task = _Import(board, window, source, asked, start, checkpoints)
            with Writer(tables, board, window) as writer:
                return task.run_resumable(writer.write, progress)


class _Import:
    """One try of an import."""

    def __init__(
        self,
        board: Board,
        window: str,
        source: Source,
        asked: Asked,
        start: Checkpoint,
        checkpoints: Checkpoints | None,
    ) -> None:
        """Read the header, and write the first checkpoint: it holds the time of the import."""
        self._board = board
        self._window = window
        self._source = source
        self._reached = self._start = start
        self._checkpoints = checkpoints
        columns = Columns(board, ignore_unknown=asked.ignore_unknown)
        self._rows = rows(source.file, asked.file_format, columns, start.offset, start.line)
        self._refusals = Refusals(Path(start.refused_file) if start.refused_file else None)
        if start.offset:
            self._refusals.resume(start.refused, start.refused_bytes)
        else:
            self._refusals.start()
        self._counts = Counter(start.counts)
        self._keep(start)

    def run_resumable(self, write: Write, progress: Callable[[Progress], None]) -> Imported:
        """Runs, and says where it goes on if it does not come to its end."""
        try:
            return self.run(write, progress)
        except KeyboardInterrupt:
            raise TransferStoppedError(f"Stopped. {self._going_on()}") from None
        except (ThrottledError, UnavailableError) as error:
            raise TransferError(
                f"DynamoDB did not take a line for {PATIENCE_SECONDS:g} s ({error.code}). "
                f"{self._going_on()}"
            ) from error
        except TransferError as error:
            raise type(error)(f"{error} {self._going_on()}") from error

    def run(self, write: Write, progress: Callable[[Progress], None]) -> Imported:
        """Takes every line from the start on."""
        began = time.monotonic()
        lines = 0
        with closing(self._refusals):
            for block in blocks(self._rows):
                self._source.check_unchanged()
                self._take(block, write)
                lines += len(block)
                progress(Progress(block[-1].end, self._source.size, lines))
        self._source.check_unchanged()
        if self._checkpoints:
            self._checkpoints.forget()
        return self._imported(lines, time.monotonic() - began)

    def _take(self, block: Sequence[Row], write: Write) -> None:
        accepted = list(checked(self._board, block, self._start.imported_at, self._refusals))
        self._counts += write(accepted)
        self._refusals.flush()
        last = block[-1]
        digest = self._source.digest(last.end)
        self._source.check_unchanged()  # what was hashed is what was read
        self._keep(
            replace(
                self._start,
                offset=last.end,
                line=last.last_line,
                digest=digest,
                refused=self._refusals.count,
                refused_bytes=self._refusals.bytes,
                counts=dict(self._counts),
            )
        )

    def _keep(self, reached: Checkpoint) -> None:
        if self._checkpoints:
            self._checkpoints.write(reached)
        self._reached = reached

    def _going_on(self) -> str:
        return f"The same command goes on behind line {self._reached.line:,}."

    def _imported(self, lines: int, seconds: float) -> Imported:
        return Imported(
            window=self._window,
            counts=self._counts,
            refused=self._refusals.count,
            shown=tuple(self._refusals.shown),
            refused_file=(self._start.refused_file or None) if self._refusals.count else None,
            resumed_behind=self._start.line,
            seconds=seconds,
            lines_per_second=lines / seconds if seconds else 0.0,
        )


def _taken(accepted: Sequence[Accepted]) -> Counter[str]:
    return Counter({TAKEN: len(accepted)})


def blocks(read: Iterator[Row]) -> Iterator[list[Row]]:
    """Rows in blocks of at most `BLOCK_LINES`, or of little more than `BLOCK_BYTES`."""
    block: list[Row] = []
    start = 0
    for row in read:
        block.append(row)
        if len(block) == BLOCK_LINES or row.end - start > BLOCK_BYTES:
            yield block
            block, start = [], row.end
    if block:
        yield block


def checked(
    board: Board, block: Sequence[Row], imported_at: int, refusals: Refusals
) -> Iterator[Accepted]:
    """The entries of a block that the board takes; all others are noted as refused."""
    for row in block:
        reason = row.read
        if not isinstance(reason, str):
            try:
                yield accept(board, reason, imported_at)
                continue
            except (PlayerIdError, InvalidFieldsError) as error:
                reason = str(error)
        refusals.add(Refusal(row.line, reason, row.text))
