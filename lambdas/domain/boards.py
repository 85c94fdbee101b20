"""Boards: what a leaderboard's config holds, and which configs make sense.

Types are checked where a config enters (`api/requests.py`); here it is judged as a whole.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, Final, Literal

from lambdas.domain import expiry
from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.cells import (
    BUCKET_CHOICES,
    MAX_LEVELS,
    Cells,
    Spacing,
    Span,
    cells_of,
    log_serves,
)
from lambdas.domain.errors import BoardNotFoundError, FieldProblem, InvalidFieldsError
from lambdas.domain.order import Column, RankOrder
from lambdas.domain.schedules import Schedule, WindowRules, schedule_problems
from lambdas.domain.segments import dimension_problems

BOARD_ID_PATTERN: Final = "^[a-z0-9-]{1,64}$"
INT64: Final = Span(-(2**63), 2**63 - 1)
DEFAULT_RANGE: Final = Span(0, 10**12)  # the histogram article's score ceiling
MAX_EXACT_LIMIT: Final = 2_000  # the article's cap on entries counted a read
# Entries of up to 163 bytes, as ids of 36 make them: a read unit and a half holds the first
# seventy-four, one read unit fifty (docs/decisions/0008 and 0006).
DEFAULT_TOP_EXACT: Final = 75
DEFAULT_COUNT_LIMIT: Final = 50
MAX_SHARDS: Final = 32  # more would make every read query more than it counts
MAX_TIE_BREAKERS: Final = 2
TIE_BREAKER_PATTERN: Final = "^[a-z][a-z0-9_]{0,31}$"

Policy = Literal["best", "latest", "sum"]
Order = Literal["desc", "asc"]
Ties = Literal["ordinal", "shared"]
LayoutState = Literal["announced", "filling", "draining", "retired"]


@dataclass(frozen=True)
class LayoutSpec:
    """How a board maps scores to cells and spreads its items, as an operator asks for it."""

    buckets: int = 128
    spacing: Spacing = "log"
    levels: int = 2
    counter_shards: int = 4
    index_shards: int = 1


@dataclass(frozen=True)
class Layout(LayoutSpec):
    """A numbered layout of one board: a number is never used twice, even by a board remade."""

    number: int = 0
    state: LayoutState = "filling"


@dataclass(frozen=True)
class Tenure:
    """A schedule that a former life had: the windows it fed then may still hold items.

    Attributes:
        since_ms, until_ms: from when to when it was in force.
    """

    schedule: Schedule
    since_ms: int
    until_ms: int


@dataclass(frozen=True)
class Past:
    """What a sweep has to look through: what is left of former lives.

    Attributes:
        tenures: the schedules of former lives not swept yet.
        layouts: their layouts.
    """

    tenures: tuple[Tenure, ...] = ()
    layouts: tuple[Layout, ...] = ()


@dataclass(frozen=True)
class TieBreaker:
    """A column that ranks between equal scores.

    Attributes:
        name: what submissions and answers call it.
        range: the values it takes, both ends included.
    """

    name: str
    order: Order = "desc"
    range: Span = DEFAULT_RANGE


@dataclass(frozen=True)
class BoardConfig:
    """What a board is, as its owner states it; every field has a default."""

    policy: Policy = "best"
    order: Order = "desc"
    score_range: Span = DEFAULT_RANGE
    tie_breakers: tuple[TieBreaker, ...] = ()
    ties: Ties = "ordinal"
    schedule: Schedule = field(default_factory=Schedule)
    entry_ttl_seconds: int | None = None
    dimensions: tuple[str, ...] = ()
    top_exact: int = DEFAULT_TOP_EXACT
    exact_limit: int = MAX_EXACT_LIMIT
    count_limit: int = DEFAULT_COUNT_LIMIT
    display_name: str | None = None
    description: str | None = None


@dataclass(frozen=True)
class Board:
    """A live board: its id, config and layouts.

    Attributes:
        first_layout: the first layout of this life; items of an older one are of a board that
            was deleted, and count as absent.
        layouts: the layouts of this life, oldest first; the last one is written.
        version: 1 when the board was made; goes on with each change and with a deletion.
        made_at: when this life began, ms since 1970.
        eras: the schedules of this life, once it has had several; the last one is the config's.
        past: where items of former lives may lie.
    """

    id: str
    config: BoardConfig
    first_layout: int
    layouts: tuple[Layout, ...]
    version: int = 1
    made_at: int = 0
    eras: tuple[Era, ...] = ()
    past: Past = Past()

    @cached_property
    def order(self) -> RankOrder:
        """How this board ranks."""
        config = self.config
        return RankOrder(
            Column(config.score_range, config.order == "desc"),
            tuple(Column(one.range, one.order == "desc") for one in config.tie_breakers),
        )

    @cached_property
    def schedule(self) -> WindowRules:
        """Which windows it has, and when, through every change of its config."""
        return Calendar(self.eras) if self.eras else self.config.schedule

    @property
    def written_layout(self) -> Layout:
        """The layout that new writes go to."""
        return self.layouts[-1]

    @property
    def shares_ranks(self) -> bool:
        """Whether equal scores share the better rank, 1-2-2-4, instead of the earlier leading."""
        return self.config.ties == "shared"

    @property
    def ties_by_score(self) -> bool:
        """Whether all who hold one score share one rank: no tie-breaker parts them."""
        return self.shares_ranks and not self.config.tie_breakers

    def cutoff(self, now_ms: int) -> int | None:
        """Up to when, included, what was achieved has expired by now; None where nothing does."""
        return expiry.cutoff(self.config.entry_ttl_seconds, now_ms)

    def layout(self, number: int) -> Layout | None:
        """The layout of that number, if it belongs to this life of the board."""
        return next((layout for layout in self.layouts if layout.number == number), None)

    def cells(self, layout: Layout) -> Cells:
        """The cells of one of this board's layouts."""
        span = self.config.score_range
        return cells_of(span, layout.buckets, layout.spacing, layout.levels)


def check_board_id(board: str) -> str:
    """Returns the id unchanged when it keeps the pattern.

    Raises:
        InvalidFieldsError: it does not.
    """
    if not re.fullmatch(BOARD_ID_PATTERN, board):
        raise InvalidFieldsError.of(
            "board", "A board id is 1 to 64 lower-case letters, digits and hyphens."
        )
    return board


def board_named(board: str) -> str:
    """Returns the id in a path unchanged when a board can have it.

    Raises:
        BoardNotFoundError: it breaks the pattern, so it is no board's.
    """
    try:
        return check_board_id(board)
    except InvalidFieldsError as error:
        raise BoardNotFoundError(board) from error


def check_config(config: BoardConfig, layout: LayoutSpec) -> None:
    """Judges a config with its layout as a whole.

    Raises:
        InvalidFieldsError: naming every field that is wrong.
    """
    problems = [
        *_range_problems("score_range", config.score_range),
        *_tie_breaker_problems(config),
        *schedule_problems(config.schedule),
        *expiry.ttl_problems(config.entry_ttl_seconds),
        *dimension_problems(config.dimensions),
        *_limit_problems(config),
        *_layout_problems(layout),
    ]
    if not problems and layout.spacing == "log" and not log_serves(config.score_range):
        problems.append(
            FieldProblem(
                "layout.spacing",
                "log serves ranges that reach above 0; use linear for this score_range.",
            )
        )
    if problems:
        raise InvalidFieldsError(problems)


def default_spacing(span: Span) -> Spacing:
    """The spacing of a layout that names none: log wherever it can serve the range."""
    return "log" if log_serves(span) else "linear"


def differences(ours: Board, config: BoardConfig, layout: LayoutSpec) -> list[str]:
    """The names of the fields in which a wanted config differs from a board's own."""
    mine = {**asdict(ours.config), **_prefixed(ours.written_layout)}
    wanted = {**asdict(config), **_prefixed(layout)}
    return [name for name in mine if mine[name] != wanted[name]]


def _prefixed(layout: LayoutSpec) -> Mapping[str, Any]:
    return {f"layout.{f.name}": getattr(layout, f.name) for f in fields(LayoutSpec)}


def _range_problems(name: str, span: Span) -> Iterator[FieldProblem]:
    low, high = span
    if not (INT64.low <= low <= INT64.high and INT64.low <= high <= INT64.high):
        yield FieldProblem(name, "Both ends must be signed 64-bit integers.")
    elif low >= high:
        yield FieldProblem(name, f"The lower end {low} must be below the upper end {high}.")


def _tie_breaker_problems(config: BoardConfig) -> Iterator[FieldProblem]:
    columns = config.tie_breakers
    if len(columns) > MAX_TIE_BREAKERS:
        yield FieldProblem("tie_breakers", f"A board has at most {MAX_TIE_BREAKERS}.")
    if columns and config.policy == "sum":
        yield FieldProblem("tie_breakers", "Sums have none: no one result holds a sum.")
    for place, column in enumerate(columns):
        name = f"tie_breakers.{place}"
        if not re.fullmatch(TIE_BREAKER_PATTERN, column.name):
            yield FieldProblem(f"{name}.name", f"Must match {TIE_BREAKER_PATTERN}.")
        if column.name in [other.name for other in columns[:place]]:
            yield FieldProblem(f"{name}.name", "Is in the list already.")
        yield from _range_problems(f"{name}.range", column.range)


def _limit_problems(config: BoardConfig) -> Iterator[FieldProblem]:
    names = ("top_exact", "exact_limit", "count_limit")
    wrong = [name for name in names if not 1 <= getattr(config, name) <= MAX_EXACT_LIMIT]
    yield from (FieldProblem(name, f"Must be 1 to {MAX_EXACT_LIMIT}.") for name in wrong)
    if wrong:
        return
    for name in ("top_exact", "count_limit"):  # no read counts more than exact_limit entries
        if getattr(config, name) > config.exact_limit:
            yield FieldProblem(name, f"Must not be above exact_limit ({config.exact_limit}).")


def _layout_problems(layout: LayoutSpec) -> Iterator[FieldProblem]:
    if layout.buckets not in BUCKET_CHOICES:
        yield FieldProblem("layout.buckets", f"Must be one of {BUCKET_CHOICES}.")
    if not 1 <= layout.levels <= MAX_LEVELS:
        yield FieldProblem("layout.levels", f"Must be 1 to {MAX_LEVELS}.")
    for name in ("counter_shards", "index_shards"):
        if not 1 <= getattr(layout, name) <= MAX_SHARDS:
            yield FieldProblem(f"layout.{name}", f"Must be 1 to {MAX_SHARDS}.")
