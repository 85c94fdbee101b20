"""A player's rank: the score item, the walk, then the least that must be counted."""

from dataclasses import dataclass

from lambdas.domain import ranking
from lambdas.domain.boards import Board, Layout
from lambdas.domain.entries import Entry, place
from lambdas.domain.players import check_player_id
from lambdas.domain.ranking import UNRANKED, Standing
from lambdas.domain.walk import Subject, Walk, walk
from lambdas.logic.tables import Tables
from lambdas.store import keys
from lambdas.store.cached_nodes import CachedNodes
from lambdas.store.dynamo import integer_of
from lambdas.store.rank_index import AheadOf, RankIndex
from lambdas.store.scores import LAYOUT, entry_of


@dataclass(frozen=True)
class Ranked:
    """A rank with all that went into it.

    Attributes:
        entry: the player's entry; None for an unranked player.
        walked: the walk; None where there was nothing to walk for.
        layout: the layout the entry is counted under; None for an unranked player.
    """

    player: str
    window: str
    entry: Entry | None
    standing: Standing
    walked: Walk | None
    layout: Layout | None = None


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
    item = tables.scores.get(board, window, player, consistent=consistent)
    if item is None:
        return Ranked(player, window, None, UNRANKED, None)
    layout = board.layout(integer_of(item, LAYOUT)) or board.written_layout
    entry = entry_of(item)
    return rank_of_entry(
        tables, board, window, layout, entry, board.cells(layout).path(entry.score)
    )


def rank_of_entry(
    tables: Tables,
    board: Board,
    window: str,
    layout: Layout,
    entry: Entry,
    counted_at: str | None,
) -> Ranked:
    """The rank of an entry that stands, or was just stored.

    Args:
        counted_at: see `domain/walk.py`.
    """
    record = place(board, layout, entry)
    nodes = CachedNodes(tables.counters, tables.nodes, board, window, layout)
    walked = walk(
        Subject(record.cell, counted_at),
        descending=board.order.descending,
        read=nodes.read,
        enough=board.config.top_exact,
    )
    index = RankIndex(tables.dynamo, tables.scores_table, board, window, layout)
    ahead_of = AheadOf(index, board, layout, keys.rank_key(record))
    standing = ranking.rank(board.config, walked, ahead_of)
    return Ranked(entry.player, window, entry, standing, walked, layout)
