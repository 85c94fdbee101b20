"""Order keys: strings that sort as a board ranks, better first.

Each column, the score and then the tie-breakers, is offset to its range, complemented where
larger is better, and zero-padded to the width of its range; so every order key of a board has
the same length and no sign, and what tells two of them apart first is what breaks the tie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lambdas.domain.cells import Span


@dataclass(frozen=True)
class Column:
    """One column that a board ranks by.

    Attributes:
        span: the values it takes, both ends included.
        descending: whether larger values are better.
    """

    span: Span
    descending: bool

    @cached_property
    def digits(self) -> int:
        """The length of its part of an order key: 1 to 20."""
        return len(str(self.span.high - self.span.low))

    def key(self, value: int) -> str:
        """The key of a value; the smaller string is the better one.

        Raises:
            ValueError: the value lies outside the range.
        """
        if not self.span.low <= value <= self.span.high:
            raise ValueError(f"{value} is outside {self.span.low} to {self.span.high}")
        offset = self.span.high - value if self.descending else value - self.span.low
        return f"{offset:0{self.digits}d}"

    def value(self, key: str) -> int:
        """The value of a key; the inverse of `key`.

        Raises:
            ValueError: no key of this column.
        """
        if len(key) != self.digits or not (key.isascii() and key.isdigit()):
            raise ValueError(f"{key!r} is no order key of {self.digits} digits")
        value = self.span.high - int(key) if self.descending else self.span.low + int(key)
        if not self.span.low <= value <= self.span.high:
            raise ValueError(f"{key!r} is outside the range")
        return value

    def best_of(self, span: Span) -> int:
        """The best value of a range."""
        return span.high if self.descending else span.low

    def worst_of(self, span: Span) -> int:
        """The worst value of a range."""
        return span.low if self.descending else span.high


@dataclass(frozen=True)
class RankOrder:
    """How one board ranks: by its scores, then by up to two tie-breakers."""

    scores: Column
    tie_breakers: tuple[Column, ...] = ()

    def key(self, score: int, tie_breakers: Sequence[int] = ()) -> str:
        """The order key of a record; without tie-breakers, how those of the score begin.

        Raises:
            ValueError: a value lies outside its range.
        """
        columns = zip(self.tie_breakers, tie_breakers, strict=False)
        return self.scores.key(score) + "".join(column.key(value) for column, value in columns)

    def values(self, key: str) -> tuple[int, tuple[int, ...]]:
        """The score and tie-breakers of an order key; the inverse of `key`.

        Raises:
            ValueError: not an order key of this board.
        """
        values = []
        start = 0
        for column in (self.scores, *self.tie_breakers):
            values.append(column.value(key[start : start + column.digits]))
            start += column.digits
        if start != len(key):
            raise ValueError(f"{key!r} is no order key of {start} digits")
        return values[0], tuple(values[1:])
