"""What is stored of a player, board by board."""

from dataclasses import dataclass, field
from typing import NamedTuple

from lambdas.domain.boards import Board
from lambdas.domain.lives import Tombstone, id_of
from lambdas.names import ACHIEVED_AT, PK, RANK_PARTITION
from lambdas.store import keys
from lambdas.store.dynamo import Item, integer_of, string, text_of
from lambdas.store.score_items import LAYOUT, SCORE


class HeldScore(NamedTuple):
    """A player's score item in one window.

    Attributes:
        is_of_former_life: of a board of this id that was deleted, or what an expired item left to
            lead to its segments; no read shows it.
    """

    window: str
    score: int
    achieved_at: int
    is_hidden: bool
    is_of_former_life: bool


@dataclass
class OnBoard:
    """What a board id holds of a player, or what was removed.

    Attributes:
        ledger: ids of submissions that a board of sums knows a repeat by.
        has_flag: a flag is kept that says whether the player is hidden.
    """

    board: str
    is_deleted: bool
    scores: list[HeldScore] = field(default_factory=list)
    ledger: list[str] = field(default_factory=list)
    has_flag: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found there."""
        return not (self.scores or self.ledger or self.has_flag)


def on_board(stored: Board | Tombstone) -> OnBoard:
    """A board of which nothing is known yet."""
    return OnBoard(id_of(stored), isinstance(stored, Tombstone))


def held_score(item: Item, stored: Board | Tombstone) -> HeldScore:
    """What a score item holds.

    Raises:
        ValueError: an attribute is missing or of another type.
    """
    key = keys.parse_score_pk(text_of(item, PK))
    first_layout = stored.first_layout if isinstance(stored, Board) else stored.next_layout
    return HeldScore(
        window=key.window,
        score=integer_of(item, SCORE),
        achieved_at=integer_of(item, ACHIEVED_AT),
        is_hidden=item.get(RANK_PARTITION) == string(keys.hidden_partition(key.board, key.window)),
        is_of_former_life=integer_of(item, LAYOUT) < first_layout,
    )
