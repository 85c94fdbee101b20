"""Writes of an import: many at once, those of one player one after the other."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Self

from lambdas.domain.boards import Board
from lambdas.domain.submissions import Accepted
from lambdas.domain.windows import Window
from lambdas.logic.retrying import Retrying
from ops.transfer.errors import TransferError
from ops.transfer.tables import Tables

IN_FLIGHT: Final = 16
PATIENCE_SECONDS: Final = 120.0  # how long one line is tried again while DynamoDB throttles

TAKING: Final = ("open", "closing")


def check_taking(board: Board, window: Window, now_ms: int) -> None:
    """See that a window takes results.

    Raises:
        TransferError: It does not yet, or no longer.
    """
    state = board.schedule.state(window, now_ms)
    if state == "future":
        raise TransferError(f"Window '{window.name}' has not begun.")
    if state not in TAKING:
        raise TransferError(f"Window '{window.name}' is closed: it takes no results any more.")


class Writer:
    """Writes entries into one window of a board; a context manager."""

    def __init__(self, tables: Tables, board: Board, window: str) -> None:
        """Make its threads."""
        self._tables = tables
        self._board = board
        self._window = window
        self._pool = ThreadPoolExecutor(IN_FLIGHT)
        self._stopping = threading.Event()

    def write(self, accepted: Sequence[Accepted]) -> Counter[str]:
        """Writes all of them and waits for it; how many came to which outcome.

        Calling it again changes nothing more.

        Cost: a read unit to see whether the player is hidden and one `UpdateItem` each, see
        `Scores.submit`.

        Raises:
            ThrottledError, UnavailableError: DynamoDB did not take one for `PATIENCE_SECONDS`.
            TransferError: The window closed, or the board was deleted or made again.
        """
        players: dict[str, list[Accepted]] = defaultdict(list)
        for one in accepted:
            players[one.entry.player].append(one)
        tasks = [self._pool.submit(self._write_all, group) for group in players.values()]
        try:
            return _sum(tasks)
        except BaseException:
            self._stopping.set()
            raise

    def _write_all(self, group: Sequence[Accepted]) -> Counter[str]:
        return Counter(self._retried(one) for one in group if not self._stopping.is_set())

    def _retried(self, accepted: Accepted) -> str:
        retrying = Retrying(time.monotonic() + PATIENCE_SECONDS, sleep=self._sleep)
        return retrying.run(lambda: self._write(accepted))

    def _write(self, accepted: Accepted) -> str:
        """One write, begun while the window takes results: it ends before the window settles."""
        board = self._tables.boards.get(self._board.id)
        if board.first_layout != self._board.first_layout:
            raise TransferError(f"Board '{board.id}' was deleted and made again meanwhile.")
        window = board.schedule.named(self._window)
        now_ms = self._tables.now_ms()
        check_taking(board, window, now_ms)
        hidden = self._tables.visibility.is_hidden(board, accepted.entry.player)
        scores = self._tables.scores
        return str(scores.submit(board, window, accepted, now_ms, hidden=hidden).outcome)

    def _sleep(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise TransferError("Stopped.")

    def __enter__(self) -> Self:
        """Hand itself out."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Wait for writes that have begun; drop the others."""
        self._stopping.set()
        self._pool.shutdown(cancel_futures=True)


def _sum(tasks: Sequence[Future[Counter[str]]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for task in tasks:
        total.update(task.result())
    return total
