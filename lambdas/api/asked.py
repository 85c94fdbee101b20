"""What the read routes have in common: the board and window asked for, and how that was found."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from aws_lambda_powertools.event_handler.openapi.params import Query

from lambdas.api import render
from lambdas.domain.boards import Board
from lambdas.logic.tables import Tables, window_of
from lambdas.logic.views import View

Window = Annotated[str | None, Query(description="By default the board's first.")]
Segment = Annotated[
    str | None,
    Query(description="A part of the window: a dimension of the board and a value, as region:eu."),
]
Explain = Annotated[bool, Query(description="Whether to add how the answer was found.")]


class Asked(NamedTuple):
    """A window of a board, and the tables to read it from."""

    tables: Tables
    board: Board
    window: str

    def answer(
        self, answer: dict[str, Any], view: View, path: str, *, explain: bool
    ) -> dict[str, Any]:
        """An answer with its explanation, if that was asked for."""
        if explain:
            answer["explain"] = render.explain(view, path, self.tables.meter)
        return answer


def asked(context: Mapping[str, Any], board: str, window: str | None, segment: str | None) -> Asked:
    """The board and window, or segment of a window, that a read names.

    Raises:
        BoardNotFoundError, WindowNotFoundError: there is no such board or window.
        InvalidFieldsError: the board has no such segments.
    """
    tables: Tables = context["tables"]
    found = tables.board(board)
    return Asked(tables, found, window_of(found, window, tables.now_ms, segment))
