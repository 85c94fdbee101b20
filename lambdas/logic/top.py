"""Pages of a window's list: from the top, after a cursor, or from a rank on."""

from dataclasses import dataclass
from itertools import islice

from lambdas.domain import cursors
from lambdas.domain.boards import Board
from lambdas.domain.cursors import Cursor
from lambdas.domain.entries import Entry
from lambdas.domain.errors import InvalidFieldsError
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of
from lambdas.store import keys


@dataclass(frozen=True)
class Top:
    """A page of a window's list.

    Attributes:
        entries: best first.
        first_rank: the rank of the first entry.
        next_cursor: where the next page starts; None exactly when the list is at its end.
        population: players in the window, never below a rank shown; None if the counters could
            not be read.
        as_of: creation time (ms) of the newest record the population counts.
    """

    entries: list[Entry]
    first_rank: int
    next_cursor: str | None
    population: int | None
    as_of: int | None


@dataclass(frozen=True)
class _Start:
    """Where a page starts: `skip` entries after a key, at a rank."""

    after: str | None
    skip: int
    rank: int


def top(
    tables: Tables,
    board: Board,
    window: str,
    limit: int,
    *,
    cursor: str | None = None,
    start_rank: int | None = None,
) -> Top:
    """At most `limit` entries in rank order.

    From a `start_rank` past `top_exact` on, ranks are right once the stream has drained; all
    others are places in the index.

    Cost: one query an index shard, half a read unit each 27 entries or so, and the root. A
    `start_rank` reads a node a level more, and the entries ahead of it in its cell.

    Raises:
        InvalidCursorError: the cursor is not of this list.
        InvalidFieldsError: cursor and start_rank together, or a start_rank that lies too deep
            in a cell whose players the layout does not tell apart.
        ThrottledError, UnavailableError: DynamoDB did not answer; try again.
    """
    view = view_of(tables, board, window)
    start = _start(view, cursor, start_rank)
    if start is None:
        return _page(view, [], start_rank or 1, None)
    wanted = start.skip + limit + 1  # one more tells whether the list goes on
    read = list(islice(view.index.entries(wanted, after=start.after), wanted))[start.skip :]
    entries = read[:limit]
    following = None
    if len(read) > limit:
        ending = Cursor(keys.entry_key(board.order, entries[-1]), start.rank + limit - 1)
        following = cursors.encode(ending, board, window)
    return _page(view, entries, start.rank, following)


def _page(view: View, entries: list[Entry], first_rank: int, following: str | None) -> Top:
    root = view.root()
    if root is None:
        return Top(entries, first_rank, following, None, None)
    last = first_rank + len(entries) - 1 if entries else 0
    population = max(sum(root.counts.values()), last + bool(following))
    return Top(entries, first_rank, following, population, root.as_of)


def _start(view: View, cursor: str | None, start_rank: int | None) -> _Start | None:
    if cursor is not None and start_rank is not None:
        raise InvalidFieldsError.of("start_rank", "Send a cursor or a start_rank, not both.")
    if cursor is not None:
        return _after_cursor(view, cursor)
    if start_rank is None or start_rank <= view.board.config.top_exact:
        rank = start_rank or 1
        return _Start(None, rank - 1, rank)
    return _at_rank(view, start_rank)


def _after_cursor(view: View, text: str) -> _Start:
    cursor = cursors.decode(text, view.board, view.window)
    try:
        keys.parse_rank_key(cursor.rank_key, view.board.order)
    except ValueError as error:
        raise cursors.garbled() from error
    return _Start(cursor.rank_key, 0, cursor.rank + 1)


def _at_rank(view: View, rank: int) -> _Start | None:
    config = view.board.config
    cell = view.locate(rank, config.count_limit)
    if rank > cell.population:
        return None
    skip = rank - cell.ahead - 1
    if skip > config.exact_limit and cell.failure:
        raise cell.failure  # a node below might tell these players apart
    if skip > config.exact_limit:
        reach = cell.ahead + config.exact_limit + 1
        raise InvalidFieldsError.of(
            "start_rank",
            f"Ranks {cell.ahead + 1} to {cell.ahead + cell.count} share a cell, and a list can "
            f"start at most {config.exact_limit} places into one: up to rank {reach} here, "
            f"or from rank {cell.ahead + cell.count + 1} on.",
        )
    return _Start(view.start_of(cell.path), skip, rank)
