"""Rows of a file: one entry each, or the reason why the line is none.

A file is read once, line by line, and no line is kept: memory stays the same whatever its size,
and however long one of its lines.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, Literal

from lambdas.domain.submissions import Submission
from ops.transfer.columns import Columns
from ops.transfer.errors import TransferUsageError
from ops.transfer.lines import MAX_LINE_BYTES, Line, Lines
from ops.transfer.values import RefusedLineError, submission_of_cells, submission_of_json

FileFormat = Literal["csv", "jsonl"]
TEXT_CHARACTERS: Final = 200  # of a refused line, kept for the report
_TOO_LONG: Final = f"Is longer than {MAX_LINE_BYTES:,} bytes."
_NOT_UTF8: Final = "Is not valid UTF-8."


@dataclass(frozen=True)
class Row:
    """One entry of a file, or a refused line.

    Attributes:
        line: The number of its first line, from 1.
        last_line: The number of its last line: a quoted cell may hold line ends.
        end: The offset behind it.
        read: The submission, or the reason why there is none.
        text: The beginning of the line.
    """

    line: int
    last_line: int
    end: int
    read: Submission | str
    text: str


def rows(
    file: BinaryIO, file_format: FileFormat, columns: Columns, offset: int = 0, line: int = 0
) -> Iterator[Row]:
    """The rows of a file, or those behind an offset, where line `line` ends.

    Raises:
        TransferUsageError: The header of a CSV file is missing or does not fit the board; raised
            at once.
    """
    if file_format == "jsonl":
        return _json_rows(Lines(file, offset, line), columns)
    lines = Lines(file)
    fields = columns.of_header(_header(_CsvRecords(lines)))
    return _csv_rows(Lines(file, offset, line) if offset else lines, fields, columns)


def _json_rows(lines: Lines, columns: Columns) -> Iterator[Row]:
    for line in lines:
        if line.data.strip():
            yield _row([line], _json_read(line, columns))


def _json_read(line: Line, columns: Columns) -> Submission | str:
    if not line.is_whole:
        return _TOO_LONG
    try:
        return submission_of_json(line.data.decode(), columns)
    except UnicodeDecodeError:
        return _NOT_UTF8
    except RefusedLineError as refused:
        return str(refused)


def _csv_rows(lines: Lines, fields: list[str | None], columns: Columns) -> Iterator[Row]:
    for taken, cells in _CsvRecords(lines):
        yield _row(taken, _csv_read(cells, fields, columns))


def _csv_read(
    cells: list[str] | str, fields: list[str | None], columns: Columns
) -> Submission | str:
    if isinstance(cells, str):
        return cells
    if len(cells) != len(fields):
        return f"Has {len(cells)} cells; the header has {len(fields)}."
    values = {field: cell for field, cell in zip(fields, cells, strict=True) if field is not None}
    try:
        return submission_of_cells(values, columns)
    except RefusedLineError as refused:
        return str(refused)


def _row(taken: list[Line], read: Submission | str) -> Row:
    text = taken[0].data[: 4 * TEXT_CHARACTERS].decode(errors="replace")
    shown = text.rstrip("\r\n")[:TEXT_CHARACTERS]
    return Row(taken[0].number, taken[-1].number, taken[-1].end, read, shown)


def _header(records: "_CsvRecords") -> list[str]:
    for _, cells in records:
        if isinstance(cells, str):
            raise TransferUsageError(f"The header cannot be read as CSV: {cells}")
        return cells
    raise TransferUsageError("The file is empty: its first line must name the columns.")


class _CsvRecords(Iterator[tuple[list[Line], list[str] | str]]):
    """Records of a CSV file with the lines they span; blank ones are passed over.

    Where a quote is never closed, only the line that opened it is refused: reading goes on with
    the line after it.
    """

    def __init__(self, lines: Lines) -> None:
        self._source = _RecordLines(lines)
        self._reader = csv.reader(self._source, strict=True)

    def __next__(self) -> tuple[list[Line], list[str] | str]:
        while True:
            self._source.begin()
            try:
                cells = next(self._reader)
            except (csv.Error, _TooLongError) as error:
                return self._first_refused(error)
            if self._source.is_undecodable:
                return self._source.taken, _NOT_UTF8
            if any(cell.strip() for cell in cells):
                return self._source.taken, cells

    def _first_refused(self, error: Exception) -> tuple[list[Line], str]:
        first, *others = self._source.taken
        self._source.lines.put_back(others)
        if not first.is_whole:
            return [first], _TOO_LONG
        if others:
            reason = f"A quote is not closed, or followed by neither comma nor line end ({error})."
            return [first], reason
        return [first], f"Is no CSV: {error}."


class _TooLongError(Exception):
    """A record that would take too much memory."""


class _RecordLines(Iterator[str]):
    """Lines as text for a CSV reader, noting which it took for the current record.

    A CSV reader takes no line before it needs it, and may go on after an exception or an end.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.begin()

    def begin(self) -> None:
        """Begin a record."""
        self.taken: list[Line] = []
        self.is_undecodable = False
        self._bytes = 0

    def __next__(self) -> str:
        line = next(self.lines)
        self.taken.append(line)
        self._bytes += len(line.data)
        if not line.is_whole or self._bytes > MAX_LINE_BYTES:
            raise _TooLongError(_TOO_LONG)
        try:
            return line.data.decode()
        except UnicodeDecodeError:
            self.is_undecodable = True
            return line.data.decode(errors="replace")
