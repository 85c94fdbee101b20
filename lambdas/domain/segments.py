"""Segments: parts of a window, by what submissions say of their players.

A board declares dimensions, as `region`; a submission that names a value for one, as `eu`, feeds
the segment `all@region:eu` beside the window `all`. A segment's bounds, retention and state are
those of the window it is a part of, and in everything else it is a window of its own. In each
window a player is in at most one segment of a dimension: the one that the last submission with a
value for it named.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from lambdas.domain.errors import FieldProblem, InvalidFieldsError, WindowNotFoundError
from lambdas.domain.windows import Window

SEPARATOR: Final = "@"
MAX_DIMENSIONS: Final = 8
MAX_WINDOWS: Final = 8  # windows of segments that one submission feeds
DIMENSION_PATTERN: Final = "^[a-z][a-z0-9_]{0,31}$"
VALUE_PATTERN: Final = "^[a-z0-9-]{1,32}$"
SEGMENT_PATTERN: Final = "^[a-z][a-z0-9_]{0,31}:[a-z0-9-]{1,32}$"


class Segment(NamedTuple):
    """A value of a dimension."""

    dimension: str
    value: str

    @property
    def text(self) -> str:
        """As reads name it: `region:eu`."""
        return f"{self.dimension}:{self.value}"

    def name_in(self, window: str) -> str:
        """The name of the part of a window that it is, by the window's name."""
        return f"{window}{SEPARATOR}{self.text}"

    def of(self, window: Window) -> Window:
        """The part of a window that it is."""
        return window._replace(name=self.name_in(window.name))


def segment_of(text: str) -> Segment | None:
    """The segment that a text such as `region:eu` names; None if it can name none."""
    if not re.fullmatch(SEGMENT_PATTERN, text):
        return None
    return Segment(*text.split(":"))


def split_name(name: str) -> tuple[str, Segment | None]:
    """The name of a window's whole, and which segment of it the name means; None for the whole.

    Raises:
        WindowNotFoundError: what follows the separator can be no segment.
    """
    base, separator, text = name.partition(SEPARATOR)
    segment = segment_of(text)
    if separator and not segment:
        raise WindowNotFoundError(name)
    return base, segment


def whole_of(window: Window) -> Window:
    """The window that a segment is a part of; any other one is its own."""
    return window._replace(name=window.name.partition(SEPARATOR)[0])


def is_segment(window: Window) -> bool:
    """Whether a window is a part of another one."""
    return SEPARATOR in window.name


def moved(
    standing: Mapping[str, str], named: Sequence[Segment], dimensions: Sequence[str]
) -> tuple[dict[str, str], list[Segment]]:
    """The segments that a player is in after a submission, and those that the player leaves.

    A dimension that the submission does not name stays as it is.
    """
    kept = {name: value for name, value in standing.items() if name in dimensions}
    left = [
        Segment(one.dimension, standing[one.dimension])
        for one in named
        if standing.get(one.dimension, one.value) != one.value
    ]
    return kept | dict(named), left


def dimension_problems(dimensions: Sequence[str]) -> Iterator[FieldProblem]:
    """What is wrong with a board's dimensions, field by field."""
    if len(dimensions) > MAX_DIMENSIONS:
        yield FieldProblem("dimensions", f"A board has at most {MAX_DIMENSIONS}.")
    for place, name in enumerate(dimensions):
        if not re.fullmatch(DIMENSION_PATTERN, name):
            yield FieldProblem(f"dimensions.{place}", f"Must match {DIMENSION_PATTERN}.")
        if name in dimensions[:place]:
            yield FieldProblem(f"dimensions.{place}", "Is in the list already.")


def segment_problems(given: Mapping[str, str], dimensions: Sequence[str]) -> Iterator[FieldProblem]:
    """What is wrong with the values that a submission names, by dimension."""
    for name, value in given.items():
        if name not in dimensions:
            yield FieldProblem(f"segments.{name}", "The board has no such dimension.")
        elif not re.fullmatch(VALUE_PATTERN, value):
            yield FieldProblem(f"segments.{name}", f"Must match {VALUE_PATTERN}.")


def check_fed(windows: int) -> None:
    """Judges how many windows of segments a submission would feed.

    Raises:
        InvalidFieldsError: too many.
    """
    if windows > MAX_WINDOWS:
        raise InvalidFieldsError.of(
            "segments",
            f"Would feed {windows} windows of segments; a submission may feed {MAX_WINDOWS}.",
        )
