"""Order keys: strings that sort as a board ranks, better first.

A score is offset to its range, complemented where larger is better, and zero-padded to the
width of the range, so every order key of a board has the same length and no sign.
"""

from dataclasses import dataclass
from functools import cached_property

from lambdas.domain.cells import Span


@dataclass(frozen=True)
class RankOrder:
    """How one board ranks: which scores it takes and which end is better.

    Attributes:
        span: the scores the board takes, both ends included.
        descending: whether larger scores are better.
    """

    span: Span
    descending: bool

    @cached_property
    def digits(self) -> int:
        """The length of every order key: 1 to 20."""
        return len(str(self.span.high - self.span.low))

    def key(self, score: int) -> str:
        """The order key of a score; the smaller string is the better score.

        Raises:
            ValueError: the score lies outside the range.
        """
        if not self.span.low <= score <= self.span.high:
            raise ValueError(f"{score} is outside {self.span.low} to {self.span.high}")
        offset = self.span.high - score if self.descending else score - self.span.low
        return f"{offset:0{self.digits}d}"

    def score(self, key: str) -> int:
        """The score of an order key; the inverse of `key`.

        Raises:
            ValueError: not an order key of this board.
        """
        if len(key) != self.digits or not (key.isascii() and key.isdigit()):
            raise ValueError(f"{key!r} is no order key of {self.digits} digits")
        score = self.span.high - int(key) if self.descending else self.span.low + int(key)
        if not self.span.low <= score <= self.span.high:
            raise ValueError(f"{key!r} is outside the range")
        return score

    def best_of(self, span: Span) -> int:
        """The best score of a range."""
        return span.high if self.descending else span.low

    def worst_of(self, span: Span) -> int:
        """The worst score of a range."""
        return span.low if self.descending else span.high
