"""Order keys and rank keys: their form, and what is refused as neither."""

import pytest

from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry, Record
from lambdas.domain.order import Column, RankOrder
from lambdas.store import keys

DESCENDING = Column(Span(0, 9_999), descending=True)
ASCENDING = Column(Span(-100, 100), descending=False)
BY_SCORE = RankOrder(DESCENDING)


def test_order_keys_count_from_the_better_end() -> None:
    """The best score is all zeros, the worst the width of the range, padded alike."""
    assert [DESCENDING.key(score) for score in (9_999, 9_990, 0)] == ["0000", "0009", "9999"]
    assert [ASCENDING.key(score) for score in (-100, 0, 100)] == ["000", "100", "200"]


@pytest.mark.parametrize("score", [-1, 10_000])
def test_scores_outside_have_no_order_key(score: int) -> None:
    """A key is made for scores of the range alone."""
    with pytest.raises(ValueError, match=f"^{score} is outside 0 to 9999$"):
        DESCENDING.key(score)


@pytest.mark.parametrize(
    "key", ["", "201", "999", "0000", "00", "-01", " 01", "1_0", "\u0660\u0660\u0661", "²00"]
)
def test_what_is_no_order_key_is_refused(key: str) -> None:
    """Wrong length, other digits, or a score past the end of the range."""
    with pytest.raises(ValueError, match=r"order key of 3 digits|outside the range"):
        ASCENDING.value(key)


def test_order_key_past_a_descending_range_is_refused() -> None:
    """The digits of a width can say more than the range holds."""
    column = Column(Span(0, 5_000), descending=True)
    assert column.value("5000") == 0
    with pytest.raises(ValueError, match="outside the range"):
        column.value("5001")


def test_tie_breakers_follow_the_score() -> None:
    """Each column has a direction of its own; without their values a key is how they all begin."""
    order = RankOrder(DESCENDING, (ASCENDING, Column(Span(0, 9), descending=True)))
    assert order.key(9_990, (-100, 9)) == "0009" + "000" + "0"
    assert order.values("00090000") == (9_990, (-100, 9))
    assert order.key(9_990) == "0009"
    for key in ("0009", "0009000", "000900000"):
        with pytest.raises(ValueError, match="order key"):
            order.values(key)


def test_rank_keys_pad_their_time() -> None:
    """Order key, time in 13 digits, player id, so that they sort as text."""
    record = Record(Entry("a#b#c", 9_990, 77), "0009", 1, "00", 0)
    assert keys.rank_key(record) == "0009#0000000000077#a#b#c"
    assert keys.parse_rank_key("0009#0000000000077#a#b#c", BY_SCORE) == record.entry


@pytest.mark.parametrize("key", ["", "0009", "0009#77", "#", "009#0000000000077#a", "0009#x#a"])
def test_what_is_no_rank_key_is_refused(key: str) -> None:
    """A key has three parts, the first an order key, the second a time."""
    with pytest.raises(ValueError, match=r"rank key|order key|no time"):
        keys.parse_rank_key(key, BY_SCORE)


@pytest.mark.parametrize("pk", ["", "board", "board#all", "#"])
def test_what_is_no_score_key_is_refused(pk: str) -> None:
    """A score item's key has three parts."""
    with pytest.raises(ValueError, match="no key of a score item"):
        keys.parse_score_pk(pk)
