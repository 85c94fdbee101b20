"""Boards as they are stored: one config item each, in the `Boards` table.

The config, its layouts and its past are each kept as a JSON text: they are always read and
written whole. A deleted board's item stays, as a tombstone: it has `deleted_at`.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any, Final

from lambdas.domain.boards import Board, BoardConfig, Layout, Past, Tenure, TieBreaker
from lambdas.domain.calendars import Era
from lambdas.domain.cells import Span
from lambdas.domain.errors import BoardNotFoundError, ConditionFailedError, VersionConflictError
from lambdas.domain.lives import Tombstone
from lambdas.domain.schedules import Schedule, Season
from lambdas.names import PK, SK
from lambdas.store.dynamo import Dynamo, Item, integer_of, number, string, text_of
from lambdas.store.keys import CONFIG_SK

_CONFIG: Final = "config"
_LAYOUTS: Final = "layouts"
_FIRST_LAYOUT: Final = "first_layout"
_NEXT_LAYOUT: Final = "next_layout"
_VERSION: Final = "version"
_MADE_AT: Final = "made_at"
_DELETED_AT: Final = "deleted_at"
_SWEPT_AT: Final = "swept_at"
_ERAS: Final = "eras"
_PAST: Final = "past"


class Boards:
    """The `Boards` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def get(self, board: str) -> Board:
        """A live board's config, see `find`.

        Raises:
            BoardNotFoundError: there is no such board, or it was deleted.
            ThrottledError, UnavailableError: try again.
        """
        stored = self.find(board)
        if not isinstance(stored, Board):
            raise BoardNotFoundError(board)
        return stored

    def find(self, board: str) -> Board | Tombstone | None:
        """A board's config as it stands: an older answer could hide a new board or layout.

        Cost: one read unit each 4 KB.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        item: Item | None = self._dynamo.call(
            "get_item", TableName=self._table, Key=_key(board), ConsistentRead=True
        ).get("Item")
        return None if item is None else _stored(item)

    def write(self, board: Board, over: int | None) -> None:
        """Writes a board over the version that was read, None for no item; twice is as once.

        Cost: one conditional put, 1 write unit a KB.

        Raises:
            VersionConflictError: another version stands by now.
            ThrottledError, UnavailableError: try again; it may have been written already.
        """
        condition: dict[str, Any] = {"ConditionExpression": f"attribute_not_exists({PK})"}
        if over is not None:
            condition = {
                "ConditionExpression": f"{_VERSION} = :over",
                "ExpressionAttributeValues": {":over": number(over)},
            }
        try:
            self._dynamo.call(
                "put_item",
                TableName=self._table,
                Item=_item_of(board),
                **condition,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ConditionFailedError as failed:
            if not failed.item or _stored(failed.item) != board:
                raise VersionConflictError(
                    f"Board {board.id} was made, changed or deleted meanwhile."
                ) from failed

    def delete(self, board: str, now_ms: int) -> None:
        """Turns a board into a tombstone; one that is deleted already stays as it is.

        Cost: one conditional update, 1 write unit a KB.

        Raises:
            BoardNotFoundError: there never was such a board.
            ThrottledError, UnavailableError: try again; it may have been deleted already.
        """
        try:
            self._dynamo.call(
                "update_item",
                TableName=self._table,
                Key=_key(board),
                UpdateExpression=f"SET {_DELETED_AT} = :now, {_VERSION} = {_VERSION} + :one",
                ConditionExpression=f"attribute_exists({PK})"
                f" AND attribute_not_exists({_DELETED_AT})",
                ExpressionAttributeValues={":now": number(now_ms), ":one": number(1)},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ConditionFailedError as failed:
            if not failed.item:
                raise BoardNotFoundError(board) from failed

    def mark_swept(self, stored: Board | Tombstone, now_ms: int) -> bool:
        """Notes that nothing of a board's former lives is left; False if it changed meanwhile.

        Cost: one conditional update, 1 write unit a KB.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been noted already.
        """
        board = stored if isinstance(stored, Board) else stored.board
        values = {":version": number(board.version), ":past": string(_text(Past()))}
        sets = f"{_PAST} = :past"
        if isinstance(stored, Tombstone):
            sets += f", {_SWEPT_AT} = :now"
            values[":now"] = number(now_ms)
        try:
            self._dynamo.call(
                "update_item",
                TableName=self._table,
                Key=_key(board.id),
                UpdateExpression=f"SET {sets}",
                ConditionExpression=f"{_VERSION} = :version",
                ExpressionAttributeValues=values,
            )
        except ConditionFailedError:
            return False
        return True

    def all(self) -> Iterator[Board]:
        """Every live board.

        Cost: a scan of the table; it holds little beside the boards.
        """
        return (one for one in self.stored() if isinstance(one, Board))

    def stored(self, *, consistent: bool = False) -> Iterator[Board | Tombstone]:
        """Every board, those that were deleted among them.

        Cost: a scan of the table, twice as much when consistent; it holds little beside the boards.
        """
        pages = self._dynamo.pages(
            "scan",
            TableName=self._table,
            ConsistentRead=consistent,
            FilterExpression=f"{SK} = :config",
            ExpressionAttributeValues={":config": string(CONFIG_SK)},
        )
        return (_stored(item) for page in pages for item in page["Items"])


def _key(board: str) -> dict[str, dict[str, str]]:
    return {PK: string(board), SK: string(CONFIG_SK)}


def _item_of(board: Board) -> dict[str, Any]:
    return {
        **_key(board.id),
        _CONFIG: string(_text(board.config)),
        _LAYOUTS: string(json.dumps([asdict(layout) for layout in board.layouts])),
        _FIRST_LAYOUT: number(board.first_layout),
        _NEXT_LAYOUT: number(board.layouts[-1].number + 1),
        _VERSION: number(board.version),
        _MADE_AT: number(board.made_at),
        _ERAS: string(json.dumps([asdict(era) for era in board.eras])),
        _PAST: string(_text(board.past)),
    }


def _text(value: BoardConfig | Past) -> str:
    return json.dumps(asdict(value))


def _stored(item: Item) -> Board | Tombstone:
    board = _board_of(item)
    if _DELETED_AT not in item:
        return board
    return Tombstone(
        board,
        deleted_at=integer_of(item, _DELETED_AT),
        next_layout=integer_of(item, _NEXT_LAYOUT),
        is_swept=_SWEPT_AT in item,
    )


def _board_of(item: Item) -> Board:
    past = json.loads(text_of(item, _PAST))
    return Board(
        id=text_of(item, PK),
        config=_config_of(json.loads(text_of(item, _CONFIG))),
        first_layout=integer_of(item, _FIRST_LAYOUT),
        layouts=_layouts_of(json.loads(text_of(item, _LAYOUTS))),
        version=integer_of(item, _VERSION),
        made_at=integer_of(item, _MADE_AT),
        eras=tuple(
            Era(one["since_ms"], _schedule_of(one["schedule"]))
            for one in json.loads(text_of(item, _ERAS))
        ),
        past=Past(
            tuple(
                Tenure(**_known(Tenure, one) | {"schedule": _schedule_of(one["schedule"])})
                for one in past["tenures"]
            ),
            _layouts_of(past["layouts"]),
        ),
    )


def _known(kind: type, held: dict[str, Any]) -> dict[str, Any]:
    """What this version knows of a stored object: a later one may have written more.

    So functions that are rolled back still read every board, without what they know nothing of.
    """
    names = {one.name for one in fields(kind)}
    return {name: value for name, value in held.items() if name in names}


def _layouts_of(held: list[dict[str, Any]]) -> tuple[Layout, ...]:
    return tuple(Layout(**_known(Layout, layout)) for layout in held)


def _schedule_of(held: dict[str, Any]) -> Schedule:
    windows = (
        one if isinstance(one, str) else Season(**_known(Season, one)) for one in held["windows"]
    )
    return Schedule(**_known(Schedule, held) | {"windows": tuple(windows)})


def _tie_breaker_of(held: dict[str, Any]) -> TieBreaker:
    return TieBreaker(**_known(TieBreaker, held) | {"range": Span(*held["range"])})


def _config_of(held: dict[str, Any]) -> BoardConfig:
    return BoardConfig(
        **_known(BoardConfig, held)
        | {
            "score_range": Span(*held["score_range"]),
            "tie_breakers": tuple(_tie_breaker_of(one) for one in held["tie_breakers"]),
            "schedule": _schedule_of(held["schedule"]),
            "dimensions": tuple(held.get("dimensions", ())),  # older items have none
        }
    )
