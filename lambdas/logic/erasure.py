"""All that is stored of a player, anywhere: shown, or erased, a call's worth at a time.

No index leads from a player to their items. So a look goes through every board there is or was,
and asks for the player's key in every window that the board can have fed; then for the ledger, and
for the flag that keeps a player hidden. When its time is up it says where to go on.

What is submitted of the player meanwhile, or afterwards, is stored anew.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from lambdas.domain.boards import Board
from lambdas.domain.erasures import START, Position, Purpose
from lambdas.domain.lives import Tombstone, id_of
from lambdas.domain.players import check_player_id
from lambdas.logic.board_look import BoardLook, Wanted
from lambdas.logic.held import OnBoard
from lambdas.logic.retrying import Retrying
from lambdas.store.boards import Boards
from lambdas.store.holdings import Holdings
from lambdas.store.ledger_items import LedgerItems
from lambdas.store.visibility import Visibility

SECONDS: Final = 6.0  # of the 10 that an HTTP function has: the rest is for the last requests
BOARDS_AT_ONCE: Final = 8


@dataclass(frozen=True)
class Looked:
    """What one call found, or removed.

    Attributes:
        boards: those that held anything, by id.
        position: where the next call goes on; None if all is looked through.
    """

    player: str
    boards: list[OnBoard]
    position: Position | None


@dataclass(frozen=True)
class Erasure:
    """Looks for what is stored of players, and erases it.

    Attributes:
        until: how long a call goes on, by `time.monotonic`; it always comes some way.
    """

    boards: Boards
    holdings: Holdings
    ledger: LedgerItems
    visibility: Visibility
    now_ms: int
    until: float

    def look(self, player: str, purpose: Purpose, start: Position = START) -> Looked:
        """Goes on from a position, and erases what it finds if that is the purpose.

        An erasure sent again finds nothing, but what was stored since. If DynamoDB serves no more,
        what was found or removed till then is the answer; where that is nothing, an error.

        Cost: a consistent scan of `Boards`, 1 read unit each 4 KB; for each board 1 read unit a
        window it can have fed, 100 of them a request, 1 for the ledger and 1 for the flag. To
        erase costs for each score item 1 write unit in the table and 1 in the index, and for each
        ledger item and flag 1.

        Raises:
            PlayerIdError: the id breaks the rule.
            ThrottledError, UnavailableError: still so when the time was up; try again.
        """
        call = _Call(
            Wanted(
                holdings=self.holdings,
                ledger=self.ledger,
                visibility=self.visibility,
                player=check_player_id(player),
                erases=purpose == Purpose.ERASE,
                now_ms=self.now_ms,
                until=self.until,
            ),
            start,
        )
        stored = Retrying(self.until).run(lambda: list(self.boards.stored(consistent=True)))
        call.go_through(stored)
        return Looked(player, [one for one in call.found if not one.is_empty], call.position)


class _Call:
    """One call: some boards at a time, in the order of their ids.

    Attributes:
        found: what there was, by board.
        position: where the next call goes on; None if all is looked through.
    """

    def __init__(self, wanted: Wanted, start: Position) -> None:
        self.found: list[OnBoard] = []
        self.position: Position | None = start
        self._wanted = wanted
        self._start = start

    def go_through(self, stored: Sequence[Board | Tombstone]) -> None:
        """Goes through the boards that are left, until the time is up."""
        left = sorted((one for one in stored if id_of(one) >= self._start.board), key=id_of)
        for first in range(0, len(left), BOARDS_AT_ONCE):
            looks = [
                BoardLook(self._wanted, one, self._start)
                for one in left[first : first + BOARDS_AT_ONCE]
            ]
            with ThreadPoolExecutor(BOARDS_AT_ONCE) as pool:
                list(pool.map(BoardLook.go_on, looks))
            unfinished = next((one for one in looks if one.position), None)
            if unfinished:
                self._end_within(looks, unfinished)
                if unfinished is looks[0] and first == 0:
                    self._check_progress(unfinished)
                return
            self.found += [one.found for one in looks]
            following = first + BOARDS_AT_ONCE
            if following < len(left) and time.monotonic() >= self._wanted.until:
                self.position = Position(id_of(left[following]))
                return
        self.position = None

    def _end_within(self, looks: list[BoardLook], unfinished: BoardLook) -> None:
        """Ends the call in the first board that is not done; the next one looks at those behind.

        What was removed behind it is told now, for it will not be found again; what was only
        looked at is told then.
        """
        done = len(looks) if self._wanted.erases else looks.index(unfinished) + 1
        self.found += [one.found for one in looks[:done]]
        self.position = unfinished.position

    def _check_progress(self, first: BoardLook) -> None:
        """Raises what ended the call if it came nowhere: to answer would be to say nothing."""
        if first.failure and not first.has_come and all(one.is_empty for one in self.found):
            raise first.failure
