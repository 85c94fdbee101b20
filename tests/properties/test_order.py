"""Keys: order keys and rank keys sort as a board ranks, and read back what was written."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.cells import Cells, Span
from lambdas.domain.counting import NodeKey
from lambdas.domain.entries import Entry, Record
from lambdas.domain.order import Column, RankOrder
from lambdas.store import keys
from tests.properties.strategies import (
    columns,
    layouts,
    player_ids,
    rank_orders,
    records,
    scores,
)

MAX_SORT_KEY_BYTES = 1024  # DynamoDB's limit
MAX_PARTITION_KEY_BYTES = 2048
BOARD_IDS = st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True)
WINDOWS = st.sampled_from(("all", "d2026-11-30", "w2026-W49", "s:spring", "all@region:eu"))
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


def standing(order: RankOrder, entry: Entry) -> tuple[list[int], int, bytes]:
    """What sorts entries as the board ranks: its columns, the earlier, then the player's bytes."""
    columns = zip((order.scores, *order.tie_breakers), entry.standing, strict=True)
    better_is_less = [-value if column.descending else value for column, value in columns]
    return better_is_less, entry.achieved_at, entry.player.encode()


@given(st.data(), columns())
def test_order_keys_sort_as_the_board_ranks(data: st.DataObject, column: Column) -> None:
    """The better value has the smaller key, and equal values have equal ones."""
    a, b = data.draw(scores(column.span)), data.draw(scores(column.span))
    better = a > b if column.descending else a < b
    assert (column.key(a) < column.key(b)) == better
    assert (column.key(a) == column.key(b)) == (a == b)


@given(st.data(), columns())
@example(None, Column(Span(-(2**63), 2**63 - 1), True))
@example(None, Column(Span(-(2**63), 2**63 - 1), False))
def test_order_keys_read_back(data: st.DataObject | None, column: Column) -> None:
    """A key has the width of its range, digits alone, and gives its value back."""
    drawn = [] if data is None else [data.draw(scores(column.span))]
    for value in (*drawn, column.span.low, column.span.high):
        key = column.key(value)
        assert column.value(key) == value
        assert key.isascii()
        assert key.isdigit()
        assert len(key) == len(str(column.span.high - column.span.low)) <= 20


@given(st.data(), rank_orders())
def test_whole_order_keys_read_back(data: st.DataObject, order: RankOrder) -> None:
    """Score and tie-breakers come back, and every key of a board is as long as the others."""
    record = data.draw(records(order))
    assert order.values(record.order_key) == (record.entry.score, record.entry.tie_breakers)
    assert len(record.order_key) == sum(
        column.digits for column in (order.scores, *order.tie_breakers)
    )
    assert record.order_key.startswith(order.key(record.entry.score))


@given(st.data(), layouts(), st.booleans())
def test_the_best_of_a_cell_comes_first(
    data: st.DataObject, cells: Cells, descending: bool
) -> None:
    """No score of a cell has a smaller order key than the best of the cell."""
    order = Column(cells.span, descending)
    score = data.draw(scores(cells.span))
    bounds = cells.bounds(cells.path(score))
    best = order.best_of(bounds)
    assert order.key(best) == min(order.key(bounds.low), order.key(bounds.high))
    assert order.key(best) <= order.key(score)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[RankOrder, Record, Record]:
    """Two records of one board, often near each other."""
    order = draw(rank_orders())
    x, y = draw(records(order)), draw(records(order))
    score, time, player = x.entry.score, x.entry.achieved_at, x.entry.player
    if draw(st.booleans()):
        y = records_of(order, replace(y.entry, score=score))
    if draw(st.booleans()):
        y = records_of(order, replace(y.entry, achieved_at=time))
    if draw(st.booleans()):
        y = records_of(order, replace(y.entry, tie_breakers=x.entry.tie_breakers))
    if draw(st.booleans()):  # one id a beginning of the other, or next to it
        nearby = player + draw(st.sampled_from(" a\ud7ff\U0010ffff"))
        other = draw(st.sampled_from((player[:-1] or player, nearby, player)))
        if len(other.encode()) <= 256 and other not in (".", ".."):
            y = records_of(order, replace(x.entry, player=other))
    return order, x, y


def records_of(order: RankOrder, entry: Entry) -> Record:
    """A record of an entry, as far as its rank key needs it."""
    return Record(entry, order.key(entry.score, entry.tie_breakers), 1, "00", 0)


TINY = RankOrder(Column(Span(0, 1), True))


@given(pairs())
@example((TINY, records_of(TINY, Entry("a", 0, 0)), records_of(TINY, Entry("a!", 0, 0))))
@example((TINY, records_of(TINY, Entry("\ud7ff", 0, 0)), records_of(TINY, Entry("\ue000", 0, 0))))
@example(
    (
        TINY,
        records_of(TINY, Entry("\U0010ffff" * 63 + "\U0010fffe", 0, 0)),
        records_of(TINY, Entry("\U0010ffff" * 64, 0, 0)),
    )
)
def test_rank_keys_sort_as_the_board_ranks(pair: tuple[RankOrder, Record, Record]) -> None:
    """Better scores first, then the earlier, then the player id, byte by byte as DynamoDB sorts."""
    order, x, y = pair
    as_bytes = keys.rank_key(x).encode() < keys.rank_key(y).encode()
    assert as_bytes == (standing(order, x.entry) < standing(order, y.entry))
    assert as_bytes == (keys.rank_key(x) < keys.rank_key(y))  # so a merge in Python agrees


@given(pairs())
@example((TINY, records_of(TINY, Entry("a", 0, 0)), records_of(TINY, Entry("a!", 0, 0))))
@example((TINY, records_of(TINY, Entry("\ud7ff", 0, 0)), records_of(TINY, Entry("\ue000", 0, 0))))
@example(
    (
        TINY,
        records_of(TINY, Entry("\ud7ff" + "\U0010ffff" * 63, 0, 0)),
        records_of(TINY, Entry("\ue000", 0, 0)),
    )
)
def test_just_before_parts_what_is_before_from_what_is_not(
    pair: tuple[RankOrder, Record, Record],
) -> None:
    """A rank key is before another exactly if it is up to and with the key just before that."""
    _, x, y = pair
    for one, other in ((x, y), (y, x), (x, x)):
        before = keys.rank_key(one).encode() < keys.rank_key(other).encode()
        bound = keys.just_before(keys.rank_key(other)).encode()
        assert before == (keys.rank_key(one).encode() <= bound)


@given(pairs())
def test_rank_keys_read_back(pair: tuple[RankOrder, Record, Record]) -> None:
    """A rank key gives back its entry and fits, as its bound does, into a sort key."""
    order, x, _ = pair
    key = keys.rank_key(x)
    assert keys.parse_rank_key(key, order) == x.entry
    assert len(keys.just_before(key).encode()) <= MAX_SORT_KEY_BYTES
    assert len(key.encode()) <= MAX_SORT_KEY_BYTES


@given(pairs())
def test_a_count_inside_a_cell_never_asks_backwards(
    pair: tuple[RankOrder, Record, Record],
) -> None:
    """DynamoDB refuses a BETWEEN whose lower bound is above: the best key of the cell never is."""
    order, x, _ = pair
    start = order.key(x.entry.score)
    assert start.encode() <= keys.just_before(keys.rank_key(x)).encode()
    assert start.encode() < keys.rank_key(x).encode()


@given(BOARD_IDS, WINDOWS, st.one_of(player_ids(), ANY_TEXT))
def test_score_keys_read_back(board: str, window: str, player: str) -> None:
    """A score item's key gives back board, window and player, whatever the player id holds."""
    pk = keys.score_pk(board, window, player)
    assert keys.parse_score_pk(pk) == (board, window, player)
    assert len(pk.encode()) <= MAX_PARTITION_KEY_BYTES


@given(*[st.tuples(BOARD_IDS, WINDOWS, st.integers(1, 10**6), st.integers(0, 31))] * 2)
def test_partitions_are_apart(a: tuple[str, str, int, int], b: tuple[str, str, int, int]) -> None:
    """Two index partitions share a key only if they are the same, and no hidden one is among them.

    The same holds for the nodes of counters.
    """
    assert (keys.rank_partition(*a) == keys.rank_partition(*b)) == (a == b)
    assert keys.rank_partition(*a) != keys.hidden_partition(*a[:2])
    node_a, node_b = NodeKey(*a[:3], f"{a[3]:02d}"), NodeKey(*b[:3], f"{b[3]:02d}")
    assert (keys.counter_pk(node_a) == keys.counter_pk(node_b)) == (a == b)
