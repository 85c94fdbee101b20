"""The shapes of requests, which Powertools holds what comes in against.

Integers are strict: `1.0`, `true` and `"5"` are refused. What the domain judges is only stated
here, for the OpenAPI document, as far as a schema can say it.
"""

import re
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt
from pydantic_core import PydanticCustomError

from lambdas.domain.players import MAX_BYTES, PATTERN, RULE
from lambdas.domain.segments import VALUE_PATTERN
from lambdas.domain.submissions import MAX_METADATA_BYTES, MAX_SUBMISSION_ID_BYTES

Int64 = Annotated[
    StrictInt, Field(ge=-(2**63), le=2**63 - 1, json_schema_extra={"format": "int64"})
]
Milliseconds = Annotated[
    StrictInt,
    Field(
        description="Milliseconds since 1970, at most a minute from now.",
        json_schema_extra={"minimum": 0},
    ),
]
PLAYER_ID_SCHEMA: Final[dict[str, Any]] = {
    # Lengths of a schema are characters; as bytes they are judged by the rule.
    "minLength": 1,
    "maxLength": MAX_BYTES,
    "pattern": PATTERN,
}
PlayerId = Annotated[str, Field(description=RULE, json_schema_extra=PLAYER_ID_SCHEMA)]


def _digits(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch("-?[0-9]+", value):
        raise PydanticCustomError("int_parsing", "Input should be a valid integer, in digits alone")
    return value


QueryInteger = Annotated[int, BeforeValidator(_digits)]
"""An integer of a query: pydantic itself would also take ` 5`, `5.0` and `1_0`."""


def stated(least: int, most: int) -> Any:
    """Bounds that the document states and the domain judges."""
    return Field(json_schema_extra={"minimum": least, "maximum": most})


SegmentValue = Annotated[str, Field(json_schema_extra={"pattern": VALUE_PATTERN})]


class Request(BaseModel):
    """A body that holds no field but its own."""

    model_config = ConfigDict(extra="forbid")


class SubmissionBody(Request):
    """One result."""

    player_id: PlayerId
    score: Int64
    tie_breakers: Annotated[
        dict[str, Int64] | None, Field(description="A value for each of the board's, by name.")
    ] = None
    achieved_at: Milliseconds | None = None
    submission_id: Annotated[
        str | None,
        Field(json_schema_extra={"minLength": 1, "maxLength": MAX_SUBMISSION_ID_BYTES}),
    ] = None
    metadata: Annotated[
        dict[str, Any] | None, Field(description=f"At most {MAX_METADATA_BYTES} bytes of JSON.")
    ] = None
    segments: Annotated[
        dict[str, SegmentValue] | None,
        Field(description="A value for any of the board's dimensions: the segments it feeds, too."),
    ] = None


class BatchBody(Request):
    """Up to 100 results; each is judged on its own, so one bad entry does not spoil the rest."""

    scores: Annotated[
        list[Any],
        Field(
            min_length=1,
            max_length=100,
            json_schema_extra={"items": {"$ref": "#/components/schemas/SubmissionBody"}},
        ),
    ]


class FriendsBody(Request):
    """A player and their friends."""

    player_id: PlayerId
    friend_ids: Annotated[list[PlayerId], Field(max_length=500)]


class VisibilityBody(Request):
    """Whether a player is out of a board's lists and counts."""

    hidden: StrictBool


class RanksBody(Request):
    """Scores whose ranks are asked for, held by anyone or not."""

    scores: Annotated[list[Int64], Field(min_length=1, max_length=100)]
