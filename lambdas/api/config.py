"""The shape of a board's config as operators send it, and the config it stands for."""

from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, StrictInt, Tag

from lambdas.api.requests import Int64, Request, stated
from lambdas.domain.boards import (
    DEFAULT_COUNT_LIMIT,
    DEFAULT_RANGE,
    DEFAULT_TOP_EXACT,
    MAX_EXACT_LIMIT,
    MAX_SHARDS,
    MAX_TIE_BREAKERS,
    TIE_BREAKER_PATTERN,
    BoardConfig,
    LayoutSpec,
    Order,
    Policy,
    TieBreaker,
    Ties,
    default_spacing,
)
from lambdas.domain.cells import BUCKET_CHOICES, MAX_LEVELS, Spacing, Span
from lambdas.domain.expiry import MAX_ENTRY_TTL_SECONDS, MIN_ENTRY_TTL_SECONDS
from lambdas.domain.schedules import (
    MAX_GRACE_SECONDS,
    MAX_RETENTION_DAYS,
    SEASON_NAME_PATTERN,
    Schedule,
    Season,
)
from lambdas.domain.segments import DIMENSION_PATTERN, MAX_DIMENSIONS
from lambdas.domain.windows import ALL, WindowKind

Instant = Annotated[StrictInt, Field(description="Milliseconds since 1970.")]
_SCHEDULE: Final = ("windows", "time_zone", "retention_days", "grace_seconds")


class TieBreakerBody(Request):
    """A column that ranks between equal scores."""

    name: Annotated[str, Field(pattern=TIE_BREAKER_PATTERN)]
    order: Order = "desc"
    range: tuple[Int64, Int64]


class SeasonBody(Request):
    """A window with a name and bounds of its own; the end is not part of it."""

    season: Annotated[str, Field(pattern=SEASON_NAME_PATTERN)]
    start: Instant
    end: Instant


def _kind_of_window(value: Any) -> str:
    return "<kind>" if isinstance(value, str) else "<season>"


# The tags tell a season's problems from a kind's; no answer shows them (`api/resolver.py`).
WindowBody = Annotated[
    Annotated[WindowKind, Tag("<kind>")] | Annotated[SeasonBody, Tag("<season>")],
    Discriminator(_kind_of_window),
]


class LayoutBody(Request):
    """How scores are mapped to cells and spread over shards."""

    buckets: Annotated[StrictInt, Field(json_schema_extra={"enum": [*BUCKET_CHOICES]})] = 128
    spacing: Annotated[
        Spacing | None, Field(description="By default log where the range allows it.")
    ] = None
    levels: Annotated[StrictInt, stated(1, MAX_LEVELS)] = 2
    counter_shards: Annotated[StrictInt, stated(1, MAX_SHARDS)] = 4
    index_shards: Annotated[StrictInt, stated(1, MAX_SHARDS)] = 1


class ConfigBody(Request):
    """A board's config; what is left out takes its default."""

    policy: Annotated[
        Policy,
        Field(description="best: set if better; latest: by achieved_at; sum: scores are added up."),
    ] = "best"
    order: Order = "desc"
    score_range: tuple[Int64, Int64] = (DEFAULT_RANGE.low, DEFAULT_RANGE.high)
    tie_breakers: Annotated[
        list[TieBreakerBody],
        Field(
            description="The first one ranks first.",
            json_schema_extra={"maxItems": MAX_TIE_BREAKERS},
        ),
    ] = []
    ties: Annotated[
        Ties, Field(description="ordinal: the earlier leads; shared: equal scores share a rank.")
    ] = "ordinal"
    windows: Annotated[
        list[WindowBody],
        Field(
            description="Periods and seasons; the first is the one read where none is named.",
            json_schema_extra={"minItems": 1},
        ),
    ] = [ALL]
    time_zone: Annotated[
        str, Field(description="An IANA name; days and weeks are this zone's.")
    ] = "UTC"
    retention_days: Annotated[
        StrictInt | None,
        Field(description="How long a window is kept after its end; null: ever."),
        stated(1, MAX_RETENTION_DAYS),
    ] = None
    grace_seconds: Annotated[
        StrictInt,
        Field(description="How long an ended window takes what was achieved in it."),
        stated(0, MAX_GRACE_SECONDS),
    ] = 0
    entry_ttl_seconds: Annotated[
        StrictInt | None,
        Field(description="How long after its achieved_at an entry expires; null: never."),
        stated(MIN_ENTRY_TTL_SECONDS, MAX_ENTRY_TTL_SECONDS),
    ] = None
    dimensions: Annotated[
        list[Annotated[str, Field(pattern=DIMENSION_PATTERN)]],
        Field(
            description="What submissions may name a value of, to feed a segment of each window.",
            json_schema_extra={"maxItems": MAX_DIMENSIONS, "uniqueItems": True},
        ),
    ] = []
    top_exact: Annotated[
        StrictInt | None,
        Field(description="By default 75, or exact_limit where that is lower."),
        stated(1, MAX_EXACT_LIMIT),
    ] = None
    exact_limit: Annotated[StrictInt, stated(1, MAX_EXACT_LIMIT)] = MAX_EXACT_LIMIT
    count_limit: Annotated[
        StrictInt | None,
        Field(description="By default 50, or exact_limit where that is lower."),
        stated(1, MAX_EXACT_LIMIT),
    ] = None
    display_name: Annotated[str | None, Field(max_length=256)] = None
    description: Annotated[str | None, Field(max_length=2_000)] = None
    layout: LayoutBody = LayoutBody()
    version: Annotated[
        StrictInt | None,
        Field(
            description="The version that the change was made from; where another one stands, "
            "nothing is changed.",
        ),
    ] = None


def config_of(body: ConfigBody) -> tuple[BoardConfig, LayoutSpec]:
    """The config and layout that a body asks for, not judged yet."""
    fields = body.model_dump(exclude={"layout", "version", *_SCHEDULE})
    fields |= {
        "score_range": Span(*body.score_range),
        "tie_breakers": tuple(
            TieBreaker(one.name, one.order, Span(*one.range)) for one in body.tie_breakers
        ),
        "schedule": _schedule_of(body),
        "dimensions": tuple(body.dimensions),
    }
    for name, default in (("top_exact", DEFAULT_TOP_EXACT), ("count_limit", DEFAULT_COUNT_LIMIT)):
        if fields[name] is None:
            fields[name] = min(default, body.exact_limit)
    layout = body.layout.model_dump()
    layout["spacing"] = body.layout.spacing or default_spacing(fields["score_range"])
    return BoardConfig(**fields), LayoutSpec(**layout)


def _schedule_of(body: ConfigBody) -> Schedule:
    windows = tuple(
        Season(one.season, one.start, one.end) if isinstance(one, SeasonBody) else one
        for one in body.windows
    )
    return Schedule(windows, body.time_zone, body.retention_days, body.grace_seconds)
