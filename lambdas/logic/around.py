"""The entries around a player: as many ahead as behind, shifted at either end to stay full."""

from dataclasses import dataclass, replace
from itertools import islice

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from lambdas.domain.ranking import Standing
from lambdas.logic.rank import Ranked, rank_of_player
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of
from lambdas.store import keys


@dataclass(frozen=True)
class Around:
    """A player's neighbours.

    Attributes:
        ranked: the player's own rank.
        entries: in rank order, the player's own among them exactly once; empty if unranked.
        place: the player's place among them, counted from 0.
    """

    ranked: Ranked
    entries: list[Entry]
    place: int


def around(tables: Tables, board: Board, window: str, player: str, k: int) -> Around:
    """The `k` entries ahead of a player and the `k` behind: min(2k + 1, N) in all.

    Where the list ends within the window, the player's rank is their place in it.

    Cost: that of the rank, and two queries an index shard, three at the list's end, each half a
    read unit for 27 entries or so.

    Raises:
        PlayerIdError: the id breaks the rule, so nobody can have it.
        ThrottledError, UnavailableError: DynamoDB answered too little; try again.
    """
    ranked = rank_of_player(tables, board, window, player, consistent=False)
    if ranked.entry is None:
        return Around(ranked, [], 0)
    if k == 0:
        return Around(ranked, [ranked.entry], 0)
    view = view_of(tables, board, window, ranked.layout)
    ahead, behind = _neighbours(view, ranked.entry, k)
    entries = [*reversed(ahead), ranked.entry, *behind]
    if len(ahead) < k:  # the list begins here, so this is their place in it
        ranked = replace(ranked, standing=_placed(ranked.standing, len(ahead) + 1, len(entries)))
    return Around(ranked, entries, len(ahead))


def _neighbours(view: View, entry: Entry, k: int) -> tuple[list[Entry], list[Entry]]:
    key = keys.entry_key(view.board.order, entry)
    ahead = _others(view, entry, key, k, forward=False)
    behind = _others(view, entry, key, 2 * k - len(ahead), forward=True)
    if len(ahead) == k and len(behind) < k:
        ahead = _others(view, entry, key, 2 * k - len(behind), forward=False)
    return ahead, behind


def _others(view: View, entry: Entry, key: str, count: int, *, forward: bool) -> list[Entry]:
    # The index may still hold the player's former entry: one more is read, so that the window
    # is full without it.
    page = count + 1
    found = view.index.entries(page, after=key) if forward else view.index.entries_before(key, page)
    return list(islice((one for one in found if one.player != entry.player), count))


def _placed(standing: Standing, rank: int, listed: int) -> Standing:
    population = standing.population
    if population is not None:
        population = max(population, listed)
    return replace(
        standing, kind="exact", basis="index", first=rank, last=rank, population=population
    )
