"""The submit function: one result, or a batch of them."""

import os
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

import boto3
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import ValidationError

from lambdas.api import render
from lambdas.api.answers import BatchAnswer, SubmitAnswer
from lambdas.api.requests import BatchBody, SubmissionBody
from lambdas.api.resolver import TallyResolver, field_problems
from lambdas.api.seen import Seen
from lambdas.api.serving import serve
from lambdas.api.shapes import answers, refusals
from lambdas.domain.boards import Board
from lambdas.domain.errors import (
    BoardNotFoundError,
    ConflictError,
    InvalidFieldsError,
    PlayerIdError,
    SubmissionIdReusedError,
    WindowsClosedError,
)
from lambdas.domain.submissions import Submission
from lambdas.logic.batch import submit_each
from lambdas.logic.submit import submit
from lambdas.logic.tables import Connection, Tables
from lambdas.names import SUBMIT
from lambdas.observability import make_logger
from lambdas.settings import SubmitSettings, read_settings
from lambdas.store.dynamo import CLIENT_CONFIG
from lambdas.store.player_items import PlayerItems

logger = make_logger(SUBMIT)
app = TallyResolver(logger)
settings = read_settings(SubmitSettings, os.environ)
connection = Connection(boto3.client("dynamodb", config=CLIENT_CONFIG), settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answers one HTTP API event."""
    tables = connection.tables()
    items = PlayerItems(
        tables.dynamo, settings.scores_table, settings.boards_table, settings.submissions_table
    )
    return serve(
        app,
        logger,
        event,
        context,
        function=SUBMIT,
        meter=tables.meter,
        ledger_table=settings.submissions_table,
        tables=tables,
        items=items,
    )


@app.post(
    "/api/leaderboards/<board>/scores",
    operation_id="postScore",
    tags=[SUBMIT],
    responses=answers(SubmitAnswer, "What became of it, a window.")
    | refusals(
        BoardNotFoundError,
        ConflictError,
        PlayerIdError,
        SubmissionIdReusedError,
        WindowsClosedError,
        takes_body=True,
    ),
)
def post_score(
    board: str, body: SubmissionBody, rank: Annotated[bool, Query()] = True
) -> dict[str, Any]:
    """Submits one result; `rank=false` skips the ranks."""
    tables: Tables = app.context["tables"]
    submission = Submission(**body.model_dump())
    submitted = submit(tables, app.context["items"], tables.board(board), submission, rank=rank)
    app.context["seen"].submitted(submitted)
    return render.submit_answer(submission, submitted)


@app.post(
    "/api/leaderboards/<board>/scores/batch",
    operation_id="postBatch",
    tags=[SUBMIT],
    responses=answers(BatchAnswer, "One result each, in order.")
    | refusals(BoardNotFoundError, takes_body=True),
)
def post_batch(
    board: str, body: BatchBody, rank: Annotated[bool, Query()] = False
) -> dict[str, Any]:
    """Submits up to 100 results, each judged on its own; `rank=true` adds the ranks."""
    tables: Tables = app.context["tables"]
    found = tables.board(board)
    read = [_read(one) for one in body.scores]
    # Read here: the threads of a batch have no context of their own where many calls share one app.
    seen: Seen = app.context["seen"]
    submit_one = partial(_submit_one, tables, app.context["items"], seen, found, rank)
    return {"results": submit_each(read, submit_one)}


def _read(body: object) -> Submission | InvalidFieldsError:
    try:
        return Submission(**SubmissionBody.model_validate(body).model_dump())
    except ValidationError as error:
        return InvalidFieldsError(field_problems(error.errors()))


def _submit_one(
    tables: Tables,
    items: PlayerItems,
    seen: Seen,
    board: Board,
    rank: bool,
    read: Submission | InvalidFieldsError,
) -> dict[str, Any]:
    if isinstance(read, InvalidFieldsError):
        return app.problem_of(read)
    try:
        submitted = submit(tables, items, board, read, rank=rank)
    except Exception as error:  # noqa: BLE001 - answered by the table, as a call of its own is
        problem = app.problem_of(error)
        seen.status(problem["status"])
        return problem
    seen.submitted(submitted)
    return {"status": int(HTTPStatus.OK), **render.submit_answer(read, submitted)}
