"""The shapes of requests, which Powertools holds what comes in against.

Integers are strict: `1.0`, `true` and `"5"` are refused. What needs a board or a clock to judge is
judged in the domain.
"""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, StrictInt, Tag
from pydantic_core import PydanticCustomError

from lambdas.domain.boards import TIE_BREAKER_PATTERN, Order, Policy, Ties
from lambdas.domain.cells import Spacing
from lambdas.domain.players import RULE
from lambdas.domain.schedules import SEASON_NAME_PATTERN
from lambdas.domain.windows import WindowKind

Int64 = Annotated[
    StrictInt, Field(ge=-(2**63), le=2**63 - 1, json_schema_extra={"format": "int64"})
]
Milliseconds = Annotated[StrictInt, Field(description="Milliseconds since 1970.")]


def _digits(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch("-?[0-9]+", value):
        raise PydanticCustomError("int_parsing", "Input should be a valid integer, in digits alone")
    return value


QueryInteger = Annotated[int, BeforeValidator(_digits)]
"""An integer of a query: pydantic itself would also take ` 5`, `5.0` and `1_0`."""


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SubmissionBody(_Request):
    """One result."""

    player_id: Annotated[str, Field(description=RULE)]
    score: Int64
    tie_breakers: Annotated[
        dict[str, Int64] | None, Field(description="A value for each of the board's, by name.")
    ] = None
    achieved_at: Milliseconds | None = None
    submission_id: str | None = None
    metadata: dict[str, Any] | None = None


class BatchBody(_Request):
    """Up to 100 results; each is judged on its own, so one bad entry does not spoil the rest."""

    scores: Annotated[
        list[Any],
        Field(
            min_length=1,
            max_length=100,
            json_schema_extra={"items": {"$ref": "#/components/schemas/SubmissionBody"}},
        ),
    ]


class FriendsBody(_Request):
    """A player and their friends."""

    player_id: Annotated[str, Field(description=RULE)]
    friend_ids: Annotated[list[str], Field(max_length=500)]


class RanksBody(_Request):
    """Scores whose ranks are asked for, held by anyone or not."""

    scores: Annotated[list[Int64], Field(min_length=1, max_length=100)]


class TieBreakerBody(_Request):
    """A column that ranks between equal scores."""

    name: Annotated[str, Field(pattern=TIE_BREAKER_PATTERN)]
    order: Order = "desc"
    range: tuple[Int64, Int64]


class SeasonBody(_Request):
    """A window with a name and bounds of its own; the end is not part of it."""

    season: Annotated[str, Field(pattern=SEASON_NAME_PATTERN)]
    start: Milliseconds
    end: Milliseconds


def _kind_of_window(value: Any) -> str:
    return "<kind>" if isinstance(value, str) else "<season>"


# The tags tell a season's problems from a kind's; no answer shows them (`api/resolver.py`).
WindowBody = Annotated[
    Annotated[WindowKind, Tag("<kind>")] | Annotated[SeasonBody, Tag("<season>")],
    Discriminator(_kind_of_window),
]


class LayoutBody(_Request):
    """How scores are mapped to cells and spread over shards."""

    buckets: StrictInt = 128
    spacing: Annotated[
        Spacing | None, Field(description="By default log where the range allows it.")
    ] = None
    levels: StrictInt = 2
    counter_shards: StrictInt = 4
    index_shards: StrictInt = 1


class ConfigBody(_Request):
    """A board's config; what is left out takes its default."""

    policy: Annotated[
        Policy,
        Field(description="best: set if better; latest: by achieved_at; sum: scores are added up."),
    ] = "best"
    order: Order = "desc"
    score_range: tuple[Int64, Int64] = (0, 10**12)
    tie_breakers: Annotated[
        list[TieBreakerBody], Field(description="Up to two; the first one ranks first.")
    ] = []
    ties: Annotated[
        Ties, Field(description="ordinal: the earlier leads; shared: equal scores share a rank.")
    ] = "ordinal"
    windows: Annotated[
        list[WindowBody],
        Field(description="Periods and seasons; the first is the one read where none is named."),
    ] = ["all"]
    time_zone: Annotated[
        str, Field(description="An IANA name; days and weeks are this zone's.")
    ] = "UTC"
    retention_days: Annotated[
        StrictInt | None, Field(description="How long a window is kept after its end; null: ever.")
    ] = None
    grace_seconds: Annotated[
        StrictInt, Field(description="How long an ended window takes what was achieved in it.")
    ] = 0
    top_exact: Annotated[
        StrictInt | None, Field(description="By default 100, or exact_limit where that is lower.")
    ] = None
    exact_limit: StrictInt = 2_000
    count_limit: Annotated[
        StrictInt | None, Field(description="By default 50, or exact_limit where that is lower.")
    ] = None
    display_name: Annotated[str | None, Field(max_length=256)] = None
    description: Annotated[str | None, Field(max_length=2_000)] = None
    layout: LayoutBody = LayoutBody()
