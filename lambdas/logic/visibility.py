"""A board's players in a moderator's hands: hidden, shown again, or taken off the board.

Hiding writes the player's flag, which every submit reads, and then moves each item the player has
out of the list; its counters follow in the stream. What was not done a repeat does, and in any case
the flag's settling: once no submit that read the former flag can be under way, every item is put
where the flag says, a second time.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from lambdas.domain.boards import Board, board_named
from lambdas.domain.lives import LAPSE_MS, Tombstone, windows_fed
from lambdas.domain.players import check_player_id
from lambdas.logic.retrying import Retrying
from lambdas.names import RANK_PARTITION
from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo, Item, text_of
from lambdas.store.holdings import Holdings
from lambdas.store.score_items import is_of_former_life, partition_of
from lambdas.store.visibility import Flag, Visibility

_THREADS: Final = 8  # a write waits some milliseconds and takes one of CPU


@dataclass(frozen=True)
class Moderation:
    """Moderates boards, at one time.

    Attributes:
        patience_seconds: how long a player's items are tried while DynamoDB does not serve them.
        now_ms: when the call began, ms since 1970.
    """

    boards: Boards
    holdings: Holdings
    visibility: Visibility
    patience_seconds: float
    now_ms: int

    @classmethod
    def over(
        cls,
        dynamo: Dynamo,
        *,
        scores_table: str,
        boards_table: str,
        patience_seconds: float,
        now_ms: int,
    ) -> "Moderation":
        """Moderates the boards of some tables."""
        return cls(
            Boards(dynamo, boards_table),
            Holdings(dynamo, scores_table),
            Visibility(dynamo, boards_table),
            patience_seconds,
            now_ms,
        )

    def set_hidden(self, board: str, player: str, *, hidden: bool) -> None:
        """Takes a player out of a board's lists and counts, now and in windows to come; or back.

        Twice is as once, and a repeat completes what broke off.

        Cost: two read units and a write unit, a read unit for each window that the board has ever
        had, and for each item moved what `Holdings.move` says.

        Raises:
            BoardNotFoundError: there is no such board.
            PlayerIdError: the id breaks the rule.
            ThrottledError, UnavailableError: try again; it may be half done.
        """
        standing = self._standing(board, player)
        flag = Flag(standing.id, player, hidden, standing.first_layout, self.now_ms)
        self.visibility.write(flag)
        self._apply(flag, standing)

    def remove(self, board: str, player: str) -> None:
        """Removes every item that a player has on a board, those out of its lists too.

        A flag stays as it is: who was hidden is hidden when they come again. Twice is as once.

        Cost: one read unit, one for each window that the board has ever had, and for each item
        what `Holdings.remove` says.

        Raises:
            BoardNotFoundError: there is no such board.
            PlayerIdError: the id breaks the rule.
            ThrottledError, UnavailableError: try again; it may be half done.
        """
        standing = self._standing(board, player)
        deadline = self._deadline()
        self._each(self.holdings.remove, self._items(standing, player, deadline), deadline)

    def _standing(self, board: str, player: str) -> Board:
        """The board that is named, of a player that can be."""
        standing = self.boards.get(board_named(board))
        check_player_id(player)
        return standing

    def settle_due(
        self, stored: Mapping[str, Board | Tombstone], has_time: Callable[[], bool]
    ) -> int:
        """Settles every flag that was changed long enough ago; how many it settled or removed.

        A flag of a life of its board that is over goes. Calling it again finds what is left.

        Args:
            stored: every board by id, as it stood when the call began.
            has_time: whether to go on with another flag.

        Cost: a scan of the flags; for each that is due what `set_hidden` costs.

        Raises:
            ThrottledError, UnavailableError: try again; what is settled stays so.
        """
        settled = 0
        for flag in self.visibility.all():
            board = stored.get(flag.board)
            if board is None:  # made since the boards were read
                continue
            if not has_time():
                break
            settled += self._settle(flag, board)
        return settled

    def _settle(self, flag: Flag, stored: Board | Tombstone) -> bool:
        lives_from = stored.first_layout if isinstance(stored, Board) else stored.next_layout
        if flag.first_layout < lives_from:
            return self.visibility.remove(flag)
        has_lapsed = self.now_ms - flag.changed_at >= LAPSE_MS
        if flag.is_settled or not has_lapsed or not isinstance(stored, Board):
            return False
        # Looked up anew: between this and the last move there is less than a lapse, so that
        # whoever changes the flag meanwhile has it settled after the last of these moves.
        if self.visibility.find(flag.board, flag.player) != flag:
            return False
        self._apply(flag, stored)
        return self.visibility.settle(flag, self.now_ms)

    def _apply(self, flag: Flag, board: Board) -> None:
        put_in_place, deadline = partial(self._put_in_place, flag, board), self._deadline()
        self._each(put_in_place, self._items(board, flag.player, deadline), deadline)

    def _items(self, board: Board, player: str, deadline: float) -> list[Item]:
        windows = windows_fed(board, self.now_ms)
        return Retrying(deadline).run(lambda: self.holdings.of_player(board.id, windows, player))

    def _put_in_place(self, flag: Flag, board: Board, item: Item) -> None:
        standing: Item | None = item
        while standing is not None and not is_of_former_life(standing, board):
            partition = partition_of(standing, board, hidden=flag.hidden)
            if text_of(standing, RANK_PARTITION) == partition:
                return
            standing = self.holdings.move(standing, partition)

    def _each(self, call: Callable[[Item], None], items: list[Item], deadline: float) -> None:
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(lambda item: Retrying(deadline).run(partial(call, item)), items))

    def _deadline(self) -> float:
        return time.monotonic() + self.patience_seconds
