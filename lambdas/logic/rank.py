"""A player's rank: the score item, the walk, then the least that must be counted."""

from dataclasses import dataclass

from lambdas.domain import ranking
from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry, Record, place
from lambdas.domain.players import check_player_id
from lambdas.domain.ranking import UNRANKED, Standing
from lambdas.logic.tables import Tables
from lambdas.logic.views import AheadOf, View, view_of
from lambdas.store import keys
from lambdas.store.dynamo import integer_of
from lambdas.store.score_items import LAYOUT, entry_of
from lambdas.store.scores import Written


@dataclass(frozen=True)
class Ranked:
    """A rank with all that went into it.

    Attributes:
        entry: the player's entry; None for an unranked player.
        view: the window as it was read, under the layout the entry is counted in.
        path: the cell path that was walked; empty where there was nothing to walk for.
    """

    player: str
    window: str
    entry: Entry | None
    standing: Standing
    view: View
    path: str = ""


def rank_of_player(
    tables: Tables, board: Board, window: str, player: str, *, consistent: bool
) -> Ranked:
    """The rank of a player by id.

    Cost: half a read unit for the score item (one when consistent), half for each node that is
    not cached, and what `domain/ranking.py` has to count.

    Raises:
        PlayerIdError: the id breaks the rule, so nobody can have it.
        ThrottledError, UnavailableError: DynamoDB answered too little to say anything.
    """
    check_player_id(player)
    item = tables.scores.get(board, window, player, tables.now_ms, consistent=consistent)
    if item is None:
        return _unranked(tables, board, window, player)
    layout = board.layout(integer_of(item, LAYOUT)) or board.written_layout
    record = place(board, layout, entry_of(item))
    return _ranked(view_of(tables, board, window, layout), record, record.cell)


def rank_of_written(tables: Tables, board: Board, window: str, written: Written) -> Ranked:
    """The rank of an entry that was just stored, or of the better one that was kept.

    Raises:
        ThrottledError, UnavailableError: DynamoDB answered too little to say anything.
    """
    if written.hidden:
        return _unranked(tables, board, window, written.entry.player)
    view = view_of(tables, board, window)
    record = place(board, view.layout, written.entry)
    return _ranked(view, record, written.counted_at, written.former_key)


def _unranked(tables: Tables, board: Board, window: str, player: str) -> Ranked:
    return Ranked(player, window, None, UNRANKED, view_of(tables, board, window))


def _ranked(
    view: View, record: Record, counted_at: str | None, former_key: str | None = None
) -> Ranked:
    board, entry = view.board, record.entry
    walked = view.walk(record.cell, counted_at, enough=board.config.top_exact)
    key, ahead_in_cell = keys.rank_key(record), None
    if board.shares_ranks:
        key = record.order_key
    if board.ties_by_score and view.is_best_of(walked.path, entry.score):
        ahead_in_cell = 0
    index = AheadOf(view, key, former_key)
    standing = ranking.rank(board.config, walked, index, ahead_in_cell=ahead_in_cell)
    return Ranked(entry.player, view.window, entry, standing, view, walked.path)
