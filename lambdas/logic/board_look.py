"""All that one board id holds of a player: found, and erased, step by step.

Score items first, then the ledger, and the flag that keeps a player hidden for last: whatever
breaks off before is found again, hidden as it was, and completed by a repeat.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

from lambdas.domain.boards import Board
from lambdas.domain.erasures import Part, Position
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.lives import Tombstone, id_of, windows_fed
from lambdas.logic.held import held_score, on_board
from lambdas.logic.retrying import Retrying
from lambdas.store.dynamo import MOST_AT_ONCE, Item
from lambdas.store.holdings import Holdings
from lambdas.store.ledger_items import LedgerItems
from lambdas.store.visibility import Flag, Visibility

WINDOWS_AT_ONCE: Final = 4 * MOST_AT_ONCE  # then the time is looked at again
_THREADS: Final = 4  # for each of the boards that are looked at together

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Wanted:
    """Whose items are looked for, where, and how long.

    Attributes:
        erases: whether what is found is removed.
        until: how long a call goes on, by `time.monotonic`.
    """

    holdings: Holdings
    ledger: LedgerItems
    visibility: Visibility
    player: str
    erases: bool
    now_ms: int
    until: float


class BoardLook:
    """A look at one board; what it finds is kept as soon as it is found, or removed.

    Attributes:
        found: what there was so far.
        position: where it goes on; None if all of the board is looked through.
        has_come: whether any step was made to its end.
        failure: what ended it early.
    """

    def __init__(self, wanted: Wanted, stored: Board | Tombstone, start: Position) -> None:
        self.found = on_board(stored)
        self.position: Position | None = start
        if start.board != id_of(stored):
            self.position = Position(id_of(stored))
        self.has_come = False
        self.failure: ThrottledError | UnavailableError | None = None
        self._wanted = wanted
        self._stored = stored

    def go_on(self) -> None:
        """Makes steps, at least one, until none is left, the time is up or DynamoDB fails.

        Raises:
            UnexpectedStoreError: a bug, or a missing permission.
        """
        try:
            for reached in self._steps(self.position or Position()):
                self.position, self.has_come = reached, True
                if time.monotonic() >= self._wanted.until:
                    return
            self.position = None
        except (ThrottledError, UnavailableError) as failure:
            self.failure = failure

    def _steps(self, start: Position) -> Iterator[Position]:
        """Makes one step after the other; yields where the next begins."""
        if start.part == Part.WINDOWS:
            names = sorted(windows_fed(self._stored, self._wanted.now_ms))
            left = [name for name in names if name > start.after]
            for first in range(0, len(left), WINDOWS_AT_ONCE):
                windows = left[first : first + WINDOWS_AT_ONCE]
                self._in_windows(windows)
                yield start._replace(after=windows[-1])
        if start.part != Part.FLAG:
            after = start.after if start.part == Part.LEDGER else ""
            while after := self._in_ledger(after):
                yield start._replace(part=Part.LEDGER, after=after)
            yield start._replace(part=Part.FLAG, after="")
        self._flag()

    def _in_windows(self, windows: list[str]) -> None:
        wanted, board = self._wanted, self.found.board
        items = self._run(lambda: wanted.holdings.of_player(board, windows, wanted.player))

        def take(item: Item) -> None:
            if wanted.erases:
                self._run(lambda: wanted.holdings.remove(item))
            self.found.scores.append(held_score(item, self._stored))

        self._each(take, items)

    def _in_ledger(self, after: str) -> str:
        """One page of the ledger; the submission it ended with, empty if it was the last page."""
        wanted, board = self._wanted, self.found.board
        page = self._run(lambda: wanted.ledger.page(board, wanted.player, after))

        def take(submission: str) -> None:
            if wanted.erases:
                self._run(lambda: wanted.ledger.remove(board, wanted.player, submission))
            self.found.ledger.append(submission)

        self._each(take, page.ids)
        return page.ids[-1] if page.has_more else ""

    def _flag(self) -> None:
        flag = self._find_flag()
        self.found.has_flag = flag is not None
        # One that is changed meanwhile, or settled, is of this player still.
        while flag and self._wanted.erases and not self._remove_flag(flag):
            flag = self._find_flag()

    def _find_flag(self) -> Flag | None:
        wanted = self._wanted
        return self._run(lambda: wanted.visibility.find(self.found.board, wanted.player))

    def _remove_flag(self, flag: Flag) -> bool:
        return self._run(lambda: self._wanted.visibility.remove(flag))

    def _each(self, call: Callable[[T], None], over: Iterable[T]) -> None:
        """Calls with each, some at once; those that go through do so whatever the others do."""
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(call, over))

    def _run(self, call: Callable[[], R]) -> R:
        return Retrying(self._wanted.until).run(call)
