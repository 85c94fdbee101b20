"""Whether an import may start, into which window, and where it goes on."""

from dataclasses import dataclass
from pathlib import Path

from lambdas.domain.boards import Board
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.segments import SEPARATOR
from lambdas.domain.windows import ALL
from ops.transfer.checkpoints import Checkpoint, Checkpoints
from ops.transfer.errors import TransferError, TransferUsageError
from ops.transfer.rows import FileFormat
from ops.transfer.source import Source
from ops.transfer.writing import check_taking

_ANEW = "--restart begins anew."


@dataclass(frozen=True)
class Asked:
    """What is to be imported, and how.

    Attributes:
        window: The window's name; None for `all`.
        refused: Where to list refused lines; None for a file beside the imported one.
        restart: Forget how far a former try came.
        dry_run: Read and check, and write nothing.
    """

    board: str
    path: Path
    file_format: FileFormat
    window: str | None = None
    refused: Path | None = None
    ignore_unknown: bool = False
    restart: bool = False
    dry_run: bool = False


def window_of(board: Board, name: str | None, now_ms: int) -> str:
    """The window that is written, which takes results now.

    Raises:
        TransferUsageError: None is named, and the board has no `all`.
        WindowNotFoundError: The board has none of that name.
        TransferError: It is closed, has not begun or is a segment; or the board cannot be imported
            into.
    """
    if board.config.policy == "sum":
        raise TransferError(
            f"Board '{board.id}' adds scores up, and a line written again would count again. "
            "Submit them through the API, each with a submission_id."
        )
    if name is None:
        name = _all(board, now_ms)
    if SEPARATOR in name:
        raise TransferError(
            f"'{name}' is a segment, which only submissions feed: name the whole window."
        )
    check_taking(board, board.schedule.named(name), now_ms)
    return name


def _all(board: Board, now_ms: int) -> str:
    try:
        return board.schedule.named(ALL).name
    except WindowNotFoundError:
        current = ", ".join(one.name for one in board.schedule.current(now_ms))
        raise TransferUsageError(
            f"Board '{board.id}' has no window '{ALL}': name one with --window. "
            f"Open now: {current or 'none'}."
        ) from None


def refused_file(asked: Asked) -> Path | None:
    """Where refused lines are listed; None for a dry run that names no place for it.

    Raises:
        TransferUsageError: It is the imported file itself.
    """
    if asked.dry_run and asked.refused is None:
        return None
    path = asked.refused or asked.path.with_name(f"{asked.path.name}.refused.jsonl")
    if path.resolve() == asked.path.resolve():
        raise TransferUsageError("--refused names the file that is imported.")
    return path.resolve()


def checkpoint_to_start_from(
    checkpoints: Checkpoints, source: Source, fresh: Checkpoint
) -> Checkpoint:
    """Where a former try ended, if that is still true; a fresh one if there was none.

    Raises:
        TransferError: The board was made again, or what was read of the file has changed.
        TransferUsageError: Refused lines were listed elsewhere.
    """
    found = checkpoints.read()
    if found is None:
        return fresh
    if found.life != fresh.life:
        raise TransferError(f"The board was made again since a former try. {_ANEW}")
    if found.offset > source.size or source.digest(found.offset) != found.digest:
        raise TransferError(
            f"{source.path} was changed since a former try, in the first {found.line:,} lines, "
            f"which are written. {_ANEW}"
        )
    if found.refused_file != fresh.refused_file:
        raise TransferUsageError(
            f"A former try lists refused lines in {found.refused_file}: name it with --refused. "
            f"{_ANEW}"
        )
    return found
