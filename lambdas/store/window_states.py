"""Windows that are final, in the `Boards` table beside their board: one item each."""

from collections.abc import Sequence
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.errors import ThrottledError
from lambdas.names import PK, SK
from lambdas.store.dynamo import Dynamo, integer_of, number, string, text_of
from lambdas.store.keys import WINDOW_SK, window_sk

LIFE: Final = "first_layout"  # of the board, when the window was found final
POPULATION: Final = "population"
FINAL_AT: Final = "final_at"


class WindowStates:
    """The items of windows in the `Boards` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def final(self, board: Board, windows: Sequence[str]) -> set[str]:
        """Which of at most `MOST_AT_ONCE` windows are final in this life of the board.

        Cost: half a read unit a window; no request for none.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        if not windows:
            return set()
        wanted = [{PK: string(board.id), SK: string(window_sk(one))} for one in windows]
        answer = self._dynamo.call("batch_get_item", RequestItems={self._table: {"Keys": wanted}})
        if answer.get("UnprocessedKeys"):
            raise ThrottledError("UnprocessedKeys")
        items: list[dict[str, Any]] = answer["Responses"].get(self._table, [])
        return {
            text_of(item, SK).removeprefix(WINDOW_SK)
            for item in items
            if integer_of(item, LIFE) == board.first_layout
        }

    def make_final(self, board: Board, window: str, *, population: int, at_ms: int) -> None:
        """Notes that a window is final; doing it again changes the note and nothing else.

        Cost: 1 write unit.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        self._dynamo.call(
            "put_item",
            TableName=self._table,
            Item={
                PK: string(board.id),
                SK: string(window_sk(window)),
                LIFE: number(board.first_layout),
                POPULATION: number(population),
                FINAL_AT: number(at_ms),
            },
        )
