"""The reads that are sampled, each about somebody drawn from the whole board."""

import random
from dataclasses import replace
from typing import Final

from lambdas.domain import cursors
from lambdas.domain.cursors import Cursor
from lambdas.domain.windows import ALL
from lambdas.logic.around import around
from lambdas.logic.friends import friends
from lambdas.logic.rank import Ranked, rank_of_player
from lambdas.logic.standing import at_rank
from lambdas.logic.tables import Tables
from lambdas.logic.top import top
from lambdas.store import keys
from ops.bench.fixtures import Fixture
from ops.bench.sampling import Answer, Question

RANK: Final = "rank"
RANK_ESTIMATED: Final = "rank at levels 1, estimated"
RANK_CAPPED: Final = "rank at levels 1, estimated after a count that met its cap"
RANK_FIRST: Final = "rank at levels 1, estimated, the first in a second"
RANK_COUNTED: Final = "rank at levels 1, exact"
TOP: Final = "top 100"
PAGE: Final = "100 after a cursor"
AROUND: Final = "around, k 5"
FRIENDS: Final = "friends, 150 ids"
STANDING: Final = "standing, in a cell of few"
STANDING_CROWDED: Final = "standing, in a crowded cell"

_PAGE: Final = 100
_NEIGHBOURS: Final = 5
_FRIENDS: Final = 150


def _rank(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    return Answer(RANK, _ranked(tables, fixture, rng).standing.kind == "exact")


def _rank_at_levels_1(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    """The same items under one level: levels tell only how far down a read may walk."""
    ranked = _ranked_at_levels_1(tables, fixture, rng)
    if ranked.standing.kind == "exact":
        return Answer(RANK_COUNTED, True)
    return Answer(RANK_CAPPED if ranked.view.index.passed else RANK_ESTIMATED, False)


def _first_rank_at_levels_1(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    ranked = _ranked_at_levels_1(tables, fixture, rng)
    is_exact = ranked.standing.kind == "exact"
    return Answer(f"{RANK_COUNTED}, the first in a second" if is_exact else RANK_FIRST, is_exact)


def _ranked_at_levels_1(tables: Tables, fixture: Fixture, rng: random.Random) -> Ranked:
    board = fixture.board
    shallow = replace(board, layouts=(replace(board.written_layout, levels=1),))
    return _ranked(tables, replace(fixture, board=shallow), rng)


def _ranked(tables: Tables, fixture: Fixture, rng: random.Random) -> Ranked:
    player = rng.choice(fixture.entries).player
    return rank_of_player(tables, fixture.board, ALL, player, consistent=False)


def _top(tables: Tables, fixture: Fixture, _: random.Random) -> Answer:
    top(tables, fixture.board, ALL, _PAGE)
    return Answer(TOP, True)


def _page(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    board, entry = fixture.board, rng.choice(fixture.entries)
    ending = Cursor(keys.entry_key(board.order, entry), 1, 1)  # any place: it is only passed on
    top(tables, board, ALL, _PAGE, cursor=cursors.encode(ending, board, ALL))
    return Answer(PAGE, True)


def _around(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    player = rng.choice(fixture.entries).player
    found = around(tables, fixture.board, ALL, player, _NEIGHBOURS)
    return Answer(AROUND, found.ranked.standing.kind == "exact")


def _friends(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    player, *others = (entry.player for entry in rng.sample(fixture.entries, _FRIENDS + 1))
    friends(tables, fixture.board, ALL, player, others)
    return Answer(FRIENDS, True)


def _standing(tables: Tables, fixture: Fixture, rng: random.Random) -> Answer:
    rank = rng.randint(1, len(fixture.entries))
    found = at_rank(tables, fixture.board, ALL, rank)
    is_crowded = fixture.sharing_a_cell(rank) > fixture.board.config.count_limit
    return Answer(STANDING_CROWDED if is_crowded else STANDING, found.kind == "exact")


QUESTIONS: Final = (
    Question(_rank, 500),
    Question(_rank_at_levels_1, 500, asked_before=True),
    Question(_first_rank_at_levels_1, 100),
    Question(_top, 1),
    Question(_page, 100),
    Question(_around, 500),
    Question(_friends, 100),
    Question(_standing, 500),
)
