"""The entries around a player: as many ahead as behind, shifted at either end to stay full."""

from dataclasses import dataclass, replace
from itertools import islice

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from lambdas.domain.ranking import Standing
from lambdas.domain.ties import listed_ranks, ranks_around
from lambdas.logic.rank import Ranked, rank_of_player
from lambdas.logic.tables import Tables
from lambdas.logic.views import View
from lambdas.store import keys


@dataclass(frozen=True)
class Around:
    """A player's neighbours.

    Attributes:
        ranked: the player's own rank.
        entries: in rank order, the player's own among them exactly once; empty if unranked.
        ranks: theirs; None where the player's own is a range, or a tie reaches too far ahead.
        place: the player's place among them, counted from 0.
    """

    ranked: Ranked
    entries: list[Entry]
    ranks: list[int | None]
    place: int


def around(tables: Tables, board: Board, window: str, player: str, k: int) -> Around:
    """The `k` entries ahead of a player and the `k` behind: min(2k + 1, N) in all.

    Where the list ends within the window, the player's rank is their place in it.

    Cost: that of the rank, and two queries an index shard, three at the list's end, each half a
    read unit for 27 entries or so. Where ties share ranks, one query more an index shard, which
    counts at most `count_limit` entries.

    Raises:
        PlayerIdError: the id breaks the rule, so nobody can have it.
        ThrottledError, UnavailableError: DynamoDB answered too little; try again.
    """
    ranked = rank_of_player(tables, board, window, player, consistent=False)
    if ranked.entry is None:
        return Around(ranked, [], [], 0)
    if k == 0:
        return Around(ranked, [ranked.entry], [_exact_rank(ranked)], 0)
    ahead, behind = _neighbours(ranked.view, ranked.entry, k)
    entries = [*reversed(ahead), ranked.entry, *behind]
    if len(ahead) < k:  # the list begins here, so this is their place in it
        standings = [entry.standing for entry in entries]
        ranks = listed_ranks(standings, place=1, tied_ahead=0, shares_ranks=board.shares_ranks)
        standing = _placed(ranked.standing, ranks[len(ahead)], len(entries))
        return Around(replace(ranked, standing=standing), entries, [*ranks], len(ahead))
    return Around(ranked, entries, _ranks(ranked, entries, len(ahead)), len(ahead))


def _exact_rank(ranked: Ranked) -> int | None:
    return ranked.standing.first if ranked.standing.kind == "exact" else None


def _ranks(ranked: Ranked, entries: list[Entry], at: int) -> list[int | None]:
    """Ranks by the player's own, who is not near the list's top."""
    rank, view = _exact_rank(ranked), ranked.view
    if rank is None:
        return [None] * len(entries)
    if not view.board.shares_ranks:
        first = rank - at
        return [first + number if first >= 1 else None for number in range(len(entries))]
    tied_ahead = view.index.count_tied_ahead(entries[0], view.board.config.count_limit)
    standings = [entry.standing for entry in entries]
    return ranks_around(standings, at=at, rank=rank, tied_ahead=tied_ahead)


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
