"""The shapes of answers about boards: what the OpenAPI document says of them."""

from typing import Annotated

from pydantic import BaseModel, Field

from lambdas.domain.boards import BOARD_ID_PATTERN, LayoutState, Order, Policy, Ties
from lambdas.domain.cells import Spacing
from lambdas.domain.windows import WindowKind
from lambdas.logic.window_infos import State


class LayoutAnswer(BaseModel):
    """One numbered layout."""

    number: int
    state: LayoutState
    buckets: int
    spacing: Spacing
    levels: int
    counter_shards: int
    index_shards: int


class TieBreakerAnswer(BaseModel):
    """A column that ranks between equal scores."""

    name: str
    order: Order
    range: tuple[int, int]


class SeasonAnswer(BaseModel):
    """A window with a name and bounds of its own, in milliseconds since 1970."""

    season: str
    start: int
    end: Annotated[int, Field(description="The first millisecond after it.")]


class BoardAnswer(BaseModel):
    """A board: its config, and its layouts, the one that is written last."""

    board: Annotated[str, Field(pattern=BOARD_ID_PATTERN)]
    version: Annotated[int, Field(description="1 when it was made; goes on with each change.")]
    policy: Policy
    order: Order
    score_range: tuple[int, int]
    tie_breakers: list[TieBreakerAnswer]
    ties: Ties
    windows: list[WindowKind | SeasonAnswer]
    time_zone: str
    retention_days: int | None
    grace_seconds: int
    entry_ttl_seconds: int | None
    dimensions: list[str]
    top_exact: int
    exact_limit: int
    count_limit: int
    display_name: str | None
    description: str | None
    layout: LayoutAnswer
    layouts: list[LayoutAnswer]


class WindowInfo(BaseModel):
    """A window of a board."""

    window: str
    state: Annotated[State, Field(description="closing: over, and not found final yet.")]
    start: Annotated[int, Field(description="Its first millisecond since 1970.")]
    end: Annotated[
        int | None, Field(description="The first millisecond after it; null if it never ends.")
    ]
    population: Annotated[
        int | None, Field(description="Null where the counters could not be read.")
    ]
    as_of: int | None


class BoardInfoAnswer(BaseModel):
    """What players may know of a board."""

    board: Annotated[str, Field(pattern=BOARD_ID_PATTERN)]
    policy: Policy
    order: Order
    score_range: tuple[int, int]
    tie_breakers: list[TieBreakerAnswer]
    ties: Ties
    time_zone: str
    dimensions: Annotated[list[str], Field(description="What reads may name a segment by.")]
    display_name: str | None
    description: str | None
    windows: Annotated[
        list[WindowInfo], Field(description="The current ones, those just over, and seasons.")
    ]


class BoardsAnswer(BaseModel):
    """Every board."""

    boards: list[BoardAnswer]
