"""How far an import came: a small file that says up to where every line is surely written."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Final

from ops.transfer.errors import TransferError

FOLDER: Final = "imports"
_KEY_CHARACTERS: Final = 32


@dataclass(frozen=True)
class Checkpoint:
    """How far an import came.

    Attributes:
        life: The first layout of the board, which tells its lives apart.
        imported_at: When the import began, ms since 1970: the time of lines that name none, the
            same however often it is resumed.
        offset: Every line before this byte is written or refused.
        line: The number of the line that ends there.
        digest: The hash of the bytes before it.
        refused_file: Where refused lines are listed.
        refused, refused_bytes: How many they are, and how long the list is.
        counts: What became of all others, by outcome.
    """

    life: int
    imported_at: int
    refused_file: str
    offset: int = 0
    line: int = 0
    digest: str = hashlib.sha256().hexdigest()
    refused: int = 0
    refused_bytes: int = 0
    counts: dict[str, int] = field(default_factory=dict)


class Checkpoints:
    """The checkpoint of one import: of one file into one window of one board's table."""

    def __init__(self, state_dir: Path, *identity: str) -> None:
        """Name it by what is imported where."""
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
        self._path = state_dir / FOLDER / f"{digest[:_KEY_CHARACTERS]}.json"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the same import from running twice at once; dropped with the process.

        Raises:
            TransferError: It is running.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_suffix(".lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TransferError("The same import is running already.") from None
            yield

    def read(self) -> Checkpoint | None:
        """The checkpoint of an import that was not finished.

        Raises:
            TransferError: It cannot be read; nothing of ours leaves such a file.
        """
        try:
            held = json.loads(self._path.read_text(encoding="utf-8"))
            return Checkpoint(**{one.name: held[one.name] for one in fields(Checkpoint)})
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TransferError(
                f"The checkpoint {self._path} cannot be read: --restart begins anew."
            ) from error

    def write(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint: whoever reads finds the former or this one, whole."""
        written = self._path.with_suffix(".new")
        with written.open("w", encoding="utf-8") as file:
            json.dump(asdict(checkpoint), file)
            file.flush()
            os.fsync(file.fileno())
        written.replace(self._path)

    def forget(self) -> None:
        """Drop the checkpoint."""
        self._path.unlink(missing_ok=True)
