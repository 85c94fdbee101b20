"""Friends: a handful of players ranked among themselves, whatever the board around them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from lambdas.domain.errors import ThrottledError
from lambdas.domain.players import check_player_id
from lambdas.domain.ties import listed_ranks
from lambdas.logic.retrying import Retrying
from lambdas.logic.tables import Tables
from lambdas.store import keys
from lambdas.store.dynamo import MOST_AT_ONCE

_PATIENCE_SECONDS: Final = 2.0  # for keys that DynamoDB leaves unread


@dataclass(frozen=True)
class Friends:
    """Players ranked among themselves.

    Attributes:
        entries: best first.
        ranks: theirs among themselves, from 1.
        unranked: those without an entry, in the order they were asked for.
    """

    board: Board
    window: str
    entries: list[Entry]
    ranks: list[int]
    unranked: list[str]


def friends(
    tables: Tables, board: Board, window: str, player: str, friend_ids: Sequence[str]
) -> Friends:
    """Ranks a player and their friends by score, then time, then id; each id counts once.

    Cost: half a read unit an id, 100 ids a request; keys left unread are asked for again.

    Raises:
        PlayerIdError: one of the ids breaks the rule.
        ThrottledError, UnavailableError: DynamoDB left some unread; try again.
    """
    players = [check_player_id(one) for one in dict.fromkeys((player, *friend_ids))]
    found = {entry.player: entry for entry in _read(tables, board, window, players)}
    entries = sorted(found.values(), key=lambda entry: keys.entry_key(board.order, entry))
    standings = [entry.standing for entry in entries]
    ranks = listed_ranks(standings, place=1, tied_ahead=0, shares_ranks=board.shares_ranks)
    return Friends(board, window, entries, ranks, [one for one in players if one not in found])


def _read(tables: Tables, board: Board, window: str, players: list[str]) -> Iterator[Entry]:
    retrying = Retrying(time.monotonic() + _PATIENCE_SECONDS)
    for start in range(0, len(players), MOST_AT_ONCE):
        yield from _Reading(tables, board, window, players[start : start + MOST_AT_ONCE]).all(
            retrying
        )


class _Reading:
    """One batch of keys, asked for until DynamoDB has read them all."""

    def __init__(self, tables: Tables, board: Board, window: str, waiting: list[str]) -> None:
        self._tables = tables
        self._board = board
        self._window = window
        self._waiting = waiting
        self._entries: list[Entry] = []

    def all(self, retrying: Retrying) -> list[Entry]:
        """The entries found, in no order."""
        retrying.run(self._ask)
        return self._entries

    def _ask(self) -> None:
        entries, self._waiting = self._tables.scores.get_many(
            self._board, self._window, self._waiting, self._tables.now_ms
        )
        self._entries += entries
        if self._waiting:
            raise ThrottledError("UnprocessedKeys")
