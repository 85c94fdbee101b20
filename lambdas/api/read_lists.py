"""The read function's routes that answer with a list of entries."""

from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from lambdas.api import render
from lambdas.api.models import QueryInteger, TopAnswer
from lambdas.api.shapes import answers, refusals
from lambdas.domain.errors import (
    BoardNotFoundError,
    InvalidCursorError,
    InvalidFieldsError,
    WindowNotFoundError,
)
from lambdas.logic.tables import Tables, window_of
from lambdas.logic.top import top
from lambdas.names import READ

router: Final = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]
_HIGHEST_RANK: Final = 2**63 - 1


@router.get(
    "/api/leaderboards/<board>/top",
    operation_id="getTop",
    tags=[READ],
    responses=answers(TopAnswer, "A page of entries, best first.")
    | refusals(BoardNotFoundError, WindowNotFoundError, InvalidCursorError, InvalidFieldsError),
)
def get_top(
    board: str,
    limit: Annotated[QueryInteger, Query(ge=1, le=1_000)] = 100,
    cursor: Annotated[str | None, Query(description="The next_cursor of the page before.")] = None,
    start_rank: Annotated[QueryInteger | None, Query(ge=1, le=_HIGHEST_RANK)] = None,
    window: Annotated[str | None, Query()] = None,
) -> dict[str, Any]:
    """The best entries of a window, those after a cursor, or those from a rank on."""
    tables: Tables = router.context["tables"]
    found = tables.board(board)
    page = top(tables, found, window_of(found, window), limit, cursor=cursor, start_rank=start_rank)
    return render.top_answer(page)
