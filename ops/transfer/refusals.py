"""Refused lines: the first ones to show, all of them in a file of JSON lines."""

import json
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

SHOWN: Final = 20


class Refusal(NamedTuple):
    """A line that was not taken: its number, why, and how it begins."""

    line: int
    reason: str
    text: str


class Refusals:
    """Lists refused lines; the file is made with the first of them.

    Attributes:
        shown: The first ones.
        count: How many there are.
        bytes: The length of the file.
    """

    def __init__(self, path: Path | None) -> None:
        """List into a file, or into none."""
        self.shown: list[Refusal] = []
        self.count = 0
        self.bytes = 0
        self._path = path
        self._file: BinaryIO | None = None

    def start(self) -> None:
        """Begin an empty list."""
        if self._path:
            self._path.unlink(missing_ok=True)

    def resume(self, count: int, length: int) -> None:
        """Go on behind the first `count` lines, which `length` bytes list; the rest is dropped."""
        self.count = count
        if not self._path or not self._path.exists():
            return
        with self._path.open("r+b") as file:
            file.truncate(min(length, self._path.stat().st_size))
            self.shown = [
                Refusal(**json.loads(line)) for line, _ in zip(file, range(SHOWN), strict=False)
            ]
        self.bytes = self._path.stat().st_size

    def add(self, refusal: Refusal) -> None:
        """Note a line."""
        self.count += 1
        if len(self.shown) < SHOWN:
            self.shown.append(refusal)
        if not self._path:
            return
        if self._file is None:
            self._file = self._path.open("ab")
        text = json.dumps(refusal._asdict(), ensure_ascii=False)
        self.bytes += self._file.write(text.encode(errors="backslashreplace") + b"\n")

    def flush(self) -> None:
        """Put what was noted into the file."""
        if self._file:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()
            self._file = None
