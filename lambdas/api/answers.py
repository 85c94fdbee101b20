"""The shapes of answers: what the OpenAPI document says of them.

Answers are built as plain dictionaries (`api/render.py`); tests hold them to these.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from lambdas.domain.submissions import Outcome

TieBreakerValues = Annotated[
    dict[str, int] | None,
    Field(exclude_if=lambda value: value is None, description="By name, where the board has any."),
]


class Explain(BaseModel):
    """How an answer was found and what it consumed."""

    path: Annotated[
        list[str], Field(description="The cells walked into; empty for none, or several walks.")
    ]
    nodes_read: int
    entries_counted: Annotated[int, Field(description="Index entries counted or fetched.")]
    read_units: float
    cached: Annotated[bool, Field(description="A node or the page came from a cache.")]
    stale: Annotated[bool, Field(description="A node was past its time: DynamoDB served none.")]


class Explained(BaseModel):
    """An answer that explains itself when asked to."""

    explain: Annotated[Explain | None, Field(exclude_if=lambda value: value is None)] = None


class RankAnswer(Explained):
    """A player's rank: exact, a range, or none."""

    player_id: str
    window: str
    score: int | None
    tie_breakers: TieBreakerValues = None
    kind: Literal["exact", "estimated", "unranked"]
    basis: Literal["index", "counters"] | None
    rank: int | None
    rank_range: tuple[int, int] | None
    approximate_rank: int | None
    percentile_range: tuple[float, float] | None
    population: int | None
    as_of: int | None


class ScoreRank(BaseModel):
    """The rank that a player with a score would have: behind all who hold it, or shared."""

    score: int
    kind: Literal["exact", "estimated"]
    basis: Literal["index", "counters"]
    rank: int | None
    rank_range: tuple[int, int]
    approximate_rank: int
    percentile_range: tuple[float, float] | None
    population: Annotated[int | None, Field(description="That player included.")]
    as_of: int | None


class RanksAnswer(Explained):
    """One rank a score, in the order they were asked for."""

    window: str
    ranks: list[ScoreRank]


class ListedEntry(BaseModel):
    """One line of a list."""

    player_id: str
    score: int
    tie_breakers: TieBreakerValues = None
    achieved_at: int


class AroundEntry(ListedEntry):
    """One line of the list around a player."""

    rank: Annotated[int | None, Field(description="Null where it follows from nothing known.")]
    offset: Annotated[int, Field(description="Places behind the player; ahead is negative.")]


class AroundAnswer(RankAnswer):
    """A player's rank and the entries around it, the player's own once among them."""

    entries: list[AroundEntry]


class ClosedWindowAnswer(BaseModel):
    """A window that takes no results any more."""

    outcome: Literal["closed"]


class WindowAnswer(BaseModel):
    """What a submission did to a window whose rank was not asked for, or could not be read."""

    score: int
    outcome: Outcome


class RankedWindowAnswer(RankAnswer):
    """What a submission did to a window, and the rank it gave."""

    outcome: Outcome


class SubmitAnswer(BaseModel):
    """What a submission did; the top level is the board's first window."""

    player_id: str
    score: Annotated[int | None, Field(description="Null where that window is closed.")]
    outcome: Annotated[
        Outcome, Field(description="duplicate: a sum had it already; its windows say how it went.")
    ]
    rank: int | None
    windows: dict[str, RankedWindowAnswer | WindowAnswer | ClosedWindowAnswer]


class FieldError(BaseModel):
    """One field that is wrong."""

    field: str
    message: str


class Problem(BaseModel):
    """A problem answer, RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldError]


class BatchItemAnswer(SubmitAnswer):
    """A submission of a batch that was taken."""

    status: Literal[200]


class BatchAnswer(BaseModel):
    """One result for each submission, in order."""

    results: list[BatchItemAnswer | Problem]


class TopEntry(ListedEntry):
    """One line of a list, with its rank."""

    rank: int


class TopAnswer(Explained):
    """A page of a window's list, best first."""

    entries: list[TopEntry]
    next_cursor: Annotated[
        str | None, Field(description="Where the next page starts; null at the list's end.")
    ]
    population: int | None
    as_of: int | None


class FriendsAnswer(BaseModel):
    """Players ranked among themselves, and those without an entry."""

    window: str
    entries: list[TopEntry]
    unranked: list[str]


class StandingAnswer(Explained):
    """What stands at a place of the list: one score, a range of scores, or nobody."""

    window: str
    rank: int
    kind: Literal["exact", "estimated", "vacant"]
    basis: Literal["index", "counters"] | None
    score: int | None
    score_range: tuple[int, int] | None
    holders: Annotated[int | None, Field(description="How many hold it; null where not known.")]
    player_id: str | None
    population: int | None
    as_of: int | None


class Bucket(BaseModel):
    """An occupied range of scores, both ends included."""

    low: int
    high: int
    count: int


class QuantileAnswer(BaseModel):
    """The score at the last rank within the best `percentile` percent, or its range."""

    percentile: int
    rank: int
    score: int | None
    score_range: tuple[int, int]


class DistributionAnswer(Explained):
    """A window's players by score."""

    window: str
    population: int
    as_of: int | None
    buckets: Annotated[list[Bucket], Field(description="Best first.")]
    quantiles: Annotated[list[QuantileAnswer], Field(description="None on an empty board.")]
