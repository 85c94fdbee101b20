"""Entries: one player's standing in one window, and everything derived from it.

An entry is what a player achieved; a record is that entry as the board's layout places it. All
of a record but the entry itself can be recomputed, which is how a stream record edited by hand
is told from one that a submit wrote.
"""

from dataclasses import dataclass

from lambdas.domain.boards import Board, Layout
from lambdas.domain.hashing import shard_of


@dataclass(frozen=True)
class Entry:
    """What a player achieved.

    Attributes:
        player: a player id that keeps the rule of `domain/players.py`.
        score: inside the board's range.
        achieved_at: ms since 1970, 0 to 9,999,999,999,999.
        tie_breakers: a value for each of the board's, in their order.
    """

    player: str
    score: int
    achieved_at: int
    tie_breakers: tuple[int, ...] = ()

    @property
    def standing(self) -> tuple[int, ...]:
        """What ties are told by: entries that agree in all of it share a rank, where ranks are."""
        return self.score, *self.tie_breakers


@dataclass(frozen=True)
class Record:
    """An entry placed by a layout: what a score item says beside its keys.

    Attributes:
        order_key: see `domain/order.py`.
        layout: the number of the layout this record is counted under.
        cell: its cell path in that layout.
        index_shard: the index shard it lies in, a hash of the player: [0, index_shards).
    """

    entry: Entry
    order_key: str
    layout: int
    cell: str
    index_shard: int


def place(board: Board, layout: Layout, entry: Entry) -> Record:
    """Places an entry by one of the board's layouts; the same arguments give the same record.

    Raises:
        ValueError: the score or a tie-breaker lies outside its range.
    """
    return Record(
        entry=entry,
        order_key=board.order.key(entry.score, entry.tie_breakers),
        layout=layout.number,
        cell=board.cells(layout).path(entry.score),
        index_shard=shard_of(entry.player, layout.index_shards),
    )
