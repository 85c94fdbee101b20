"""The shapes of answers about all that is stored of a player."""

from typing import Annotated

from pydantic import BaseModel, Field

from lambdas.domain.boards import BOARD_ID_PATTERN


class HeldScoreAnswer(BaseModel):
    """A player's score item in one window."""

    window: str
    score: int
    achieved_at: Annotated[int, Field(description="Milliseconds since 1970.")]
    hidden: bool
    former_life: Annotated[
        bool, Field(description="Of a board of this id that was deleted: in no answer but this.")
    ]


class HeldOnBoardAnswer(BaseModel):
    """What is stored of a player for one board id."""

    board: Annotated[str, Field(pattern=BOARD_ID_PATTERN)]
    deleted: Annotated[bool, Field(description="Whether the board is deleted.")]
    windows: list[HeldScoreAnswer]
    ledger_items: Annotated[
        int, Field(description="Submissions that a board of sums knows a repeat by.", ge=0)
    ]
    visibility_kept: Annotated[
        bool, Field(description="A flag is kept: the player is hidden, or was lately.")
    ]


class HoldingsAnswer(BaseModel):
    """What is stored of a player, or was removed: the boards that hold, or held, anything."""

    player_id: str
    boards: list[HeldOnBoardAnswer]
    next_cursor: Annotated[
        str | None,
        Field(description="Where to go on; null if every board was looked through."),
    ]
