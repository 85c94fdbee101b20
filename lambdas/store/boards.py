"""Boards as they are stored: one config item each, in the `Boards` table.

The config and its layouts are kept as one JSON text: they are always read and written whole.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from lambdas.domain.boards import (
    Board,
    BoardConfig,
    Layout,
    LayoutSpec,
    TieBreaker,
    differences,
)
from lambdas.domain.cells import Span
from lambdas.domain.errors import BoardConflictError, BoardNotFoundError, ConditionFailedError
from lambdas.domain.schedules import Schedule, Season
from lambdas.names import PK, SK
from lambdas.store.dynamo import Dynamo, Item, integer_of, number, string, text_of
from lambdas.store.keys import CONFIG_SK

_CONFIG: Final = "config"
_LAYOUTS: Final = "layouts"
_FIRST_LAYOUT: Final = "first_layout"
_NEXT_LAYOUT: Final = "next_layout"
FIRST_LAYOUT: Final = 1  # 0 says "no layout" where a record notes the one it replaced


class Boards:
    """The `Boards` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def get(self, board: str) -> Board:
        """A board's config, as it stands: an older answer could hide a new board or layout.

        Cost: one read unit each 4 KB.

        Raises:
            BoardNotFoundError: there is no such board.
            ThrottledError, UnavailableError: try again.
        """
        item: Item | None = self._dynamo.call(
            "get_item", TableName=self._table, Key=_key(board), ConsistentRead=True
        ).get("Item")
        if item is None:
            raise BoardNotFoundError(board)
        return _board_of(item)

    def create(self, board: str, config: BoardConfig, spec: LayoutSpec) -> tuple[Board, bool]:
        """Makes a board, or finds it made with the very same config; says which.

        Cost: one conditional put, 1 write unit a KB.

        Raises:
            BoardConflictError: it stands with another config.
            ThrottledError, UnavailableError: try again; it may have been made already.
        """
        layout = Layout(**asdict(spec), number=FIRST_LAYOUT)
        made = Board(board, config, FIRST_LAYOUT, (layout,))
        try:
            self._dynamo.call(
                "put_item",
                TableName=self._table,
                Item=_item_of(made),
                ConditionExpression=f"attribute_not_exists({PK})",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ConditionFailedError as failed:
            standing = _board_of(failed.item)
            if differing := differences(standing, config, spec):
                raise BoardConflictError(
                    f"Board {board} stands with another {', '.join(differing)}."
                ) from failed
            return standing, False
        return made, True

    def all(self) -> Iterator[Board]:
        """Every board.

        Cost: a scan of the table; it holds little beside the boards.
        """
        pages = self._dynamo.pages(
            "scan",
            TableName=self._table,
            FilterExpression=f"{SK} = :config",
            ExpressionAttributeValues={":config": string(CONFIG_SK)},
        )
        return (_board_of(item) for page in pages for item in page["Items"])


def _key(board: str) -> dict[str, dict[str, str]]:
    return {PK: string(board), SK: string(CONFIG_SK)}


def _item_of(board: Board) -> dict[str, Any]:
    return {
        **_key(board.id),
        _CONFIG: string(json.dumps(asdict(board.config))),
        _LAYOUTS: string(json.dumps([asdict(layout) for layout in board.layouts])),
        _FIRST_LAYOUT: number(board.first_layout),
        _NEXT_LAYOUT: number(board.layouts[-1].number + 1),
    }


def _board_of(item: Item) -> Board:
    layouts = json.loads(text_of(item, _LAYOUTS))
    return Board(
        id=text_of(item, PK),
        config=_config_of(json.loads(text_of(item, _CONFIG))),
        first_layout=integer_of(item, _FIRST_LAYOUT),
        layouts=tuple(Layout(**layout) for layout in layouts),
    )


def _config_of(held: dict[str, Any]) -> BoardConfig:
    schedule, columns = held["schedule"], held["tie_breakers"]
    windows = (one if isinstance(one, str) else Season(**one) for one in schedule["windows"])
    return BoardConfig(
        **held
        | {
            "score_range": Span(*held["score_range"]),
            "tie_breakers": tuple(
                TieBreaker(**one | {"range": Span(*one["range"])}) for one in columns
            ),
            "schedule": Schedule(**schedule | {"windows": tuple(windows)}),
        }
    )
