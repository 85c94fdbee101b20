"""The file that is imported, watched: it must stay as it was while it is read."""

import hashlib
import os
from pathlib import Path
from typing import Final, NamedTuple, Self

from ops.transfer.errors import TransferError

_CHUNK_BYTES: Final = 1 << 20


class _Fingerprint(NamedTuple):
    device: int
    inode: int
    size: int
    modified_ns: int


class Source:
    """An open file and the hash of what was read of it; a context manager.

    Attributes:
        size: In bytes.
        hashed: How many bytes the hash covers.
    """

    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises:
            TransferError: It cannot be read, or is no ordinary file: nothing else can be resumed.
        """
        if not path.is_file():  # a pipe would block the one who opens it
            raise TransferError(f"{path} is no ordinary file.")
        self.path = path
        try:
            self.file = path.open("rb")
        except OSError as error:
            raise TransferError(f"{path} cannot be read: {error.strerror}.") from error
        opened = os.fstat(self.file.fileno())
        self._fingerprint = _fingerprint(opened)
        self.size = opened.st_size
        self._hash = hashlib.sha256()
        self.hashed = 0

    def digest(self, end: int) -> str:
        """The hash of the bytes up to an offset, which never goes back.

        Raises:
            TransferError: The file has become shorter.
        """
        while self.hashed < end:
            wanted = min(_CHUNK_BYTES, end - self.hashed)
            chunk = os.pread(self.file.fileno(), wanted, self.hashed)  # leaves the reader its place
            if not chunk:
                raise self._changed()
            self._hash.update(chunk)
            self.hashed += len(chunk)
        return self._hash.hexdigest()

    def check_unchanged(self) -> None:
        """See that the file at the path is the one that was opened, and as it was then.

        Raises:
            TransferError: It is not.
        """
        try:
            same = _fingerprint(self.path.stat()) == self._fingerprint
        except OSError:
            same = False
        if not same:
            raise self._changed()

    def _changed(self) -> TransferError:
        return TransferError(f"{self.path} was changed or replaced while it was read.")

    def __enter__(self) -> Self:
        """Hand out the file, open."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close it."""
        self.file.close()


def _fingerprint(found: os.stat_result) -> _Fingerprint:
    return _Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
