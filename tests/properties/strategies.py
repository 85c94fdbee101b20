"""What the property tests draw from: ranges, layouts, scores, player ids and times."""

from typing import Final

from hypothesis import strategies as st

from lambdas.domain.boards import INT64
from lambdas.domain.cells import BUCKET_CHOICES, MAX_LEVELS, Cells, Span, cells_of, log_serves
from lambdas.domain.entries import Entry, Record
from lambdas.domain.order import Column, RankOrder
from lambdas.domain.players import MAX_BYTES

CORNERS: Final = (
    Span(0, 10**12),
    Span(0, 1),
    Span(0, 2),
    Span(-1, 1),
    Span(-1, 2**63 - 1),
    Span(-(2**63), 1),
    Span(-2, 3),
    Span(5, 6),
    Span(1, 100),
    Span(0, 9_999),
    Span(-300, 4_000),
    Span(999_999, 1_000_000),
    Span(0, 2**63 - 1),
    Span(2**63 - 2, 2**63 - 1),
    INT64,
)
NEGATIVE: Final = (Span(-1, 0), Span(-(2**63), -(2**63) + 1), Span(-(2**63), -1), Span(-90, -7))


def magnitudes(most: int) -> st.SearchStrategy[int]:
    """Numbers of every length from 0 to `most`, short ones as often as long ones."""
    return st.integers(0, most.bit_length()).flatmap(
        lambda bits: st.integers(0, min(most, (1 << bits) - 1))
    )


def spans() -> st.SearchStrategy[Span]:
    """Score ranges of at least two scores, anywhere in the signed 64 bits."""
    ends = st.one_of(magnitudes(INT64.high), magnitudes(-INT64.low).map(lambda m: -m))
    drawn = st.tuples(ends, ends).filter(lambda pair: pair[0] != pair[1])
    return st.one_of(
        st.sampled_from((*CORNERS, *NEGATIVE)), drawn.map(lambda pair: Span(*sorted(pair)))
    )


def log_spans() -> st.SearchStrategy[Span]:
    """Score ranges that log spacing serves."""
    return spans().filter(log_serves)


@st.composite
def layouts(draw: st.DrawFn, span: Span | None = None) -> Cells:
    """The cells of any layout that a board may have."""
    span = draw(spans()) if span is None else span
    spacing = draw(st.sampled_from(("log", "linear"))) if log_serves(span) else "linear"
    buckets = draw(st.sampled_from(BUCKET_CHOICES))
    return cells_of(span, buckets, spacing, draw(st.integers(1, MAX_LEVELS)))


def scores(span: Span) -> st.SearchStrategy[int]:
    """Scores of a range: anywhere, at its ends, and near zero where it holds zero."""
    zero = min(max(0, span.low), span.high)
    return st.one_of(
        st.sampled_from(sorted({span.low, span.high, zero})),
        st.integers(*span),
        magnitudes(span.high - zero).map(lambda m: zero + m),
        magnitudes(zero - span.low).map(lambda m: zero - m),
    )


def player_ids() -> st.SearchStrategy[str]:
    """Player ids that keep the rule, with characters of one to four bytes."""
    anything = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/?%#\\")
    edges = st.sampled_from(" a\u00e9\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff")
    text = st.text(st.one_of(edges, anything), min_size=1, max_size=MAX_BYTES)
    longest = st.sampled_from(("\U0010ffff" * 64, "\ud7ff" * 85 + "a", "~" * 256))
    return st.one_of(text, longest).filter(
        lambda player: len(player.encode()) <= MAX_BYTES and player not in (".", "..")
    )


def times() -> st.SearchStrategy[int]:
    """Times in ms since 1970, near each other or as far apart as 13 digits allow."""
    return st.one_of(st.integers(0, 3), st.integers(0, 10**13 - 1))


def columns() -> st.SearchStrategy[Column]:
    """A column that a board may rank by."""
    return st.builds(Column, spans(), st.booleans())


def rank_orders() -> st.SearchStrategy[RankOrder]:
    """How a board may rank: by scores, and by up to two tie-breakers."""
    tie_breakers = st.lists(columns(), max_size=2).map(tuple)
    return st.builds(RankOrder, columns(), tie_breakers)


def records(order: RankOrder) -> st.SearchStrategy[Record]:
    """Records of a board, as far as their rank key needs them."""
    tie_breakers = st.tuples(*(scores(column.span) for column in order.tie_breakers))
    entries = st.builds(Entry, player_ids(), scores(order.scores.span), times(), tie_breakers)
    return entries.map(
        lambda entry: Record(entry, order.key(entry.score, entry.tie_breakers), 1, "00", 0)
    )
