"""Lines of a file as bytes, with their places in it, in bounded memory."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, NamedTuple

# Far above what a line of valid fields needs (some 4 KiB, all of it escaped).
MAX_LINE_BYTES: Final = 65_536
_BOM: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line with its line end.

    Attributes:
        number: From 1.
        end: The offset of the byte behind it.
        data: Its bytes, without the mark that some programs begin a file with; a line longer than
            `MAX_LINE_BYTES` is cut there.
        is_whole: Whether `data` is all of it.
    """

    number: int
    end: int
    data: bytes
    is_whole: bool


class Lines(Iterator[Line]):
    """The lines of a file from an offset on; those put back come first."""

    def __init__(self, file: BinaryIO, offset: int = 0, number: int = 0) -> None:
        """Start behind line `number`, which ends at `offset`."""
        file.seek(offset)
        self._file = file
        self._offset = offset
        self._number = number
        self._put_back: deque[Line] = deque()

    def __next__(self) -> Line:
        """The next line."""
        return self._put_back.popleft() if self._put_back else self._read()

    def put_back(self, lines: Sequence[Line]) -> None:
        """Give lines back, to be read again in their order."""
        self._put_back.extendleft(reversed(lines))

    def _read(self) -> Line:
        data = self._file.readline(MAX_LINE_BYTES + 1)
        if not data:
            raise StopIteration
        length, is_whole = len(data), len(data) <= MAX_LINE_BYTES
        last = data
        while len(last) > MAX_LINE_BYTES and not last.endswith(b"\n"):
            last = self._file.readline(MAX_LINE_BYTES + 1)
            length += len(last)
        first = self._offset == 0
        self._offset += length
        self._number += 1
        shown = data.removeprefix(_BOM) if first else data
        return Line(self._number, self._offset, shown[:MAX_LINE_BYTES], is_whole)
