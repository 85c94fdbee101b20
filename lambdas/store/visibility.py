"""Flags of hidden players, in the `Boards` table: one item a player and board, a partition each.

A flag says whether a player's next score is written to the list or to the hidden partition. It is
changed before the player's items are moved, and a submit under way may have read it before: until
nobody acts on the former one any more, a flag is not settled.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.errors import ConditionFailedError, UnavailableError
from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, Item, integer_of, number, string, text_of

_HIDDEN: Final = "hidden"
_LIFE: Final = "first_layout"  # of the board's life that the flag was changed in
_CHANGED_AT: Final = "changed_at"
_SETTLED_AT: Final = "settled_at"
_UNCHANGED: Final = (_HIDDEN, _LIFE, _CHANGED_AT)


@dataclass(frozen=True)
class Flag:
    """Whether a player is hidden on a board.

    Attributes:
        hidden: False for one that was hidden before; without a flag nobody is.
        first_layout: of the board's life that it was changed in; it counts in no other.
        changed_at: ms since 1970.
        is_settled: whether every item of the player is where the flag says.
    """

    board: str
    player: str
    hidden: bool
    first_layout: int
    changed_at: int
    is_settled: bool = False


class Visibility:
    """The flags in the `Boards` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def is_hidden(self, board: Board, player: str) -> bool:
        """Whether a player is hidden on a board, in this life of it.

        Cost: one consistent read, 1 read unit whether or not there is a flag.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        flag = self.find(board.id, player)
        return flag is not None and hides(flag, board)

    def find(self, board: str, player: str) -> Flag | None:
        """A player's flag on a board, of whichever life. Cost and errors: see `is_hidden`."""
        item: Item | None = self._dynamo.call(
            "get_item", TableName=self._table, Key=key_of(board, player), ConsistentRead=True
        ).get("Item")
        return None if item is None else flag_of(item)

    def write(self, flag: Flag) -> None:
        """Writes a flag that is not settled, over whichever stands.

        Cost: one conditional put, 1 write unit.

        Raises:
            ThrottledError: try again.
            UnavailableError: try again; it may have been written already. So, too, where the
                board was made again meanwhile.
        """
        item = key_of(flag.board, flag.player) | _attributes(flag)
        try:
            self._dynamo.call(
                "put_item",
                TableName=self._table,
                Item=item,
                ConditionExpression=f"attribute_not_exists({PK}) OR {_LIFE} <= :life",
                ExpressionAttributeValues={":life": item[_LIFE]},
            )
        except ConditionFailedError as failed:
            raise UnavailableError("StaleConfig") from failed

    def settle(self, flag: Flag, now_ms: int) -> bool:
        """Notes that a flag is settled, or removes one that hides nobody; False if it changed.

        Cost: one conditional write, 1 write unit.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been noted already.
        """
        if not flag.hidden:
            return self.remove(flag)
        return self._if_unchanged(
            "update_item",
            flag,
            UpdateExpression=f"SET {_SETTLED_AT} = :now",
            values={":now": number(now_ms)},
        )

    def remove(self, flag: Flag) -> bool:
        """Removes a flag; False if it changed meanwhile. Cost and errors: see `settle`."""
        return self._if_unchanged("delete_item", flag)

    def all(self) -> Iterator[Flag]:
        """Every flag there is.

        Cost: a scan of the table, half a read unit each 4 KB; some forty flags fill that.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        pages = self._dynamo.pages(
            "scan",
            TableName=self._table,
            FilterExpression=f"{SK} = :flag",
            ExpressionAttributeValues={":flag": string(keys.VISIBILITY_SK)},
        )
        return (flag_of(item) for page in pages for item in page["Items"])

    def _if_unchanged(
        self,
        operation: str,
        flag: Flag,
        values: dict[str, Any] | None = None,
        **parameters: Any,
    ) -> bool:
        as_read = {f":{name}": value for name, value in _attributes(flag).items()}
        try:
            self._dynamo.call(
                operation,
                TableName=self._table,
                Key=key_of(flag.board, flag.player),
                ConditionExpression=" AND ".join(f"#{name} = :{name}" for name in _UNCHANGED),
                ExpressionAttributeNames={f"#{name}": name for name in _UNCHANGED},
                ExpressionAttributeValues=as_read | (values or {}),
                **parameters,
            )
        except ConditionFailedError:
            return False
        return True


def key_of(board: str, player: str) -> dict[str, dict[str, str]]:
    """The key of a player's flag on a board."""
    return {PK: string(keys.visibility_pk(board, player)), SK: string(keys.VISIBILITY_SK)}


def hides(flag: Flag, board: Board) -> bool:
    """Whether a flag hides its player in this life of its board."""
    return flag.hidden and flag.first_layout >= board.first_layout


def flag_of(item: Item) -> Flag:
    """The flag that an item holds.

    Raises:
        ValueError: an attribute is missing or of another type.
    """
    board, player = keys.parse_visibility_pk(text_of(item, PK))
    hidden = item.get(_HIDDEN, {}).get("BOOL")
    if not isinstance(hidden, bool):
        raise ValueError(f"{_HIDDEN} is no truth value")
    return Flag(
        board=board,
        player=player,
        hidden=hidden,
        first_layout=integer_of(item, _LIFE),
        changed_at=integer_of(item, _CHANGED_AT),
        is_settled=_SETTLED_AT in item,
    )


def _attributes(flag: Flag) -> dict[str, Any]:
    return {
        _HIDDEN: {"BOOL": flag.hidden},
        _LIFE: number(flag.first_layout),
        _CHANGED_AT: number(flag.changed_at),
    }
