"""Pages of a window's list: from the top, after a cursor, or from a rank on."""

from collections.abc import Sequence
from dataclasses import dataclass

from lambdas.domain import cursors
from lambdas.domain.boards import Board
from lambdas.domain.cursors import Cursor
from lambdas.domain.entries import Entry
from lambdas.domain.errors import InvalidFieldsError
from lambdas.domain.ties import listed_ranks
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of
from lambdas.store import keys


@dataclass(frozen=True)
class Top:
    """A page of a window's list.

    Attributes:
        entries: best first.
        ranks: theirs.
        next_cursor: where the next page starts; None exactly when the list is at its end.
        population: players in the window, never below a rank shown; None if the counters could
            not be read.
        as_of: creation time (ms) of the newest record the population counts.
        view: the window as it was read.
        path: the path of the cell that a start_rank was found in.
    """

    entries: list[Entry]
    ranks: list[int]
    next_cursor: str | None
    population: int | None
    as_of: int | None
    view: View
    path: str = ""


@dataclass(frozen=True)
class _Start:
    """Where a page starts: `skip` entries behind a key.

    Attributes:
        after: the key; None for the top of the list.
        place: the place of the first entry behind the key, from 1.
        tied: the cursor of the page before, whose last entry the first one here may be tied with.
        path: the path of the cell that begins there, where a walk led to it.
    """

    after: str | None
    place: int
    skip: int = 0
    tied: Cursor | None = None
    path: str = ""


def top(
    tables: Tables,
    board: Board,
    window: str,
    limit: int,
    *,
    cursor: str | None = None,
    start_rank: int | None = None,
) -> Top:
    """At most `limit` entries in rank order; a `start_rank` is a place in the list.

    From a `start_rank` past `top_exact` on, ranks are right once the stream has drained; all
    others follow from places in the index.

    Cost: one query an index shard, half a read unit each 27 entries or so, unless the page was
    read within the last second; and the root. A `start_rank` reads a node a level more, and the
    entries ahead of it in its cell.

    Raises:
        InvalidCursorError: the cursor is not of this list.
        InvalidFieldsError: cursor and start_rank together, or a start_rank that lies too deep
            in a cell whose players the layout does not tell apart.
        ThrottledError, UnavailableError: DynamoDB did not answer; try again.
    """
    view = view_of(tables, board, window)
    start = _start(view, cursor, start_rank)
    if start is None:
        return _page(view, [], [], None)
    wanted = start.skip + limit + 1  # one more tells whether the list goes on
    read = view.pages.read(start.after, wanted)
    ranks = _ranks(view, start, read)
    listed = slice(start.skip, start.skip + limit)
    following = None
    if len(read) == wanted:
        last = wanted - 2
        key = keys.entry_key(board.order, read[last])
        following = cursors.encode(Cursor(key, start.place + last, ranks[last]), board, window)
    return _page(view, list(read[listed]), ranks[listed], following, start.path)


def _ranks(view: View, start: _Start, read: Sequence[Entry]) -> list[int]:
    tied_ahead = 0
    if start.tied and read:
        ended_at = keys.parse_rank_key(start.tied.rank_key, view.board.order)
        if ended_at.standing == read[0].standing:
            tied_ahead = start.tied.place - start.tied.rank + 1
    return listed_ranks(
        [entry.standing for entry in read],
        place=start.place,
        tied_ahead=tied_ahead,
        shares_ranks=view.board.shares_ranks,
    )


def _page(
    view: View, entries: list[Entry], ranks: list[int], following: str | None, path: str = ""
) -> Top:
    root = view.root()
    if root is None:
        return Top(entries, ranks, following, None, None, view, path)
    last = ranks[-1] if ranks else 0
    population = max(sum(root.counts.values()), last + bool(following))
    return Top(entries, ranks, following, population, root.as_of, view, path)


def _start(view: View, cursor: str | None, start_rank: int | None) -> _Start | None:
    if cursor is not None and start_rank is not None:
        raise InvalidFieldsError.of("start_rank", "Send a cursor or a start_rank, not both.")
    if cursor is not None:
        return _after_cursor(view, cursor)
    if start_rank is None or start_rank <= view.board.config.top_exact:
        return _Start(None, 1, (start_rank or 1) - 1)
    return _at_rank(view, start_rank)


def _after_cursor(view: View, text: str) -> _Start:
    cursor = cursors.decode(text, view.board, view.window)
    try:
        keys.parse_rank_key(cursor.rank_key, view.board.order)
    except ValueError as error:
        raise cursors.garbled() from error
    return _Start(cursor.rank_key, cursor.place + 1, tied=cursor)


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
    return _Start(view.start_of(cell.path), cell.ahead + 1, skip, path=cell.path)
