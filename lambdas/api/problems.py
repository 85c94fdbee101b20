"""One table from errors to answers: `application/problem+json`, RFC 9457.

`code` is the stable, machine-readable name of a problem; `type` is the same as a URN. Throttling
answers 429 and an unavailable store 503, both with `Retry-After`: a submission sent again
completes what the first one did not store, and doubles nothing.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from lambdas.api.bodies import (
    BodyTooLargeError,
    NotBase64Error,
    NotJsonError,
    UnsupportedMediaTypeError,
)
from lambdas.domain.errors import (
    BoardConflictError,
    BoardDeletedLatelyError,
    BoardNotFoundError,
    ConflictError,
    FieldProblem,
    InvalidCursorError,
    InvalidFieldsError,
    PartlyStoredError,
    PlayerIdError,
    SubmissionIdReusedError,
    ThrottledError,
    UnavailableError,
    VersionConflictError,
    WindowNotFoundError,
    WindowsClosedError,
)

PROBLEM_TYPE: Final = "application/problem+json"
RETRY_AFTER_SECONDS: Final = 1


class Rule(NamedTuple):
    """What an error becomes; `{}` in the detail is the error's own text."""

    status: HTTPStatus
    code: str
    detail: str


RULES: Final[dict[type[Exception], Rule]] = {
    PlayerIdError: Rule(HTTPStatus.BAD_REQUEST, "invalid_player_id", "{}"),
    InvalidCursorError: Rule(HTTPStatus.BAD_REQUEST, "invalid_cursor", "{}"),
    NotJsonError: Rule(HTTPStatus.BAD_REQUEST, "not_json", "{}"),
    NotBase64Error: Rule(HTTPStatus.BAD_REQUEST, "not_base64", "The body is no base64."),
    BoardNotFoundError: Rule(HTTPStatus.NOT_FOUND, "board_not_found", "There is no board {}."),
    WindowNotFoundError: Rule(
        HTTPStatus.NOT_FOUND, "window_not_found", "The board has no window {}."
    ),
    BoardConflictError: Rule(
        HTTPStatus.CONFLICT,
        "board_exists",
        "{} A live board keeps these, and its layout cannot be changed in place yet: "
        "make another board, under another id.",
    ),
    VersionConflictError: Rule(
        HTTPStatus.CONFLICT,
        "version_conflict",
        "{} Nothing was changed: read the board and make the change from what stands.",
    ),
    BoardDeletedLatelyError: Rule(HTTPStatus.CONFLICT, "board_deleted_lately", "{}"),
    WindowsClosedError: Rule(
        HTTPStatus.CONFLICT, "windows_closed", "No window of board {} takes results now."
    ),
    SubmissionIdReusedError: Rule(
        HTTPStatus.CONFLICT,
        "submission_id_reused",
        "The player's submission {} held another score, which stands; use an id once.",
    ),
    BodyTooLargeError: Rule(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "body_too_large",
        "A body may hold 256 KiB; send several batches.",
    ),
    UnsupportedMediaTypeError: Rule(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "not_json_media_type",
        "The body is no JSON and its content type names another: send application/json.",
    ),
    InvalidFieldsError: Rule(
        HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_fields", "One or more fields are wrong: {}"
    ),
    ConflictError: Rule(
        HTTPStatus.TOO_MANY_REQUESTS,
        "conflict",
        "Other submissions of this player came between; send the same request again in a moment.",
    ),
    ThrottledError: Rule(
        HTTPStatus.TOO_MANY_REQUESTS,
        "throttled",
        "The database is at its capacity; send the same request again in a moment.",
    ),
    UnavailableError: Rule(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "unavailable",
        "The database did not answer; send the same request again in a moment.",
    ),
}
ROUTE_NOT_FOUND: Final = Rule(
    HTTPStatus.NOT_FOUND, "route_not_found", "There is no such route; see /api/openapi.json."
)
INTERNAL: Final = Rule(
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "internal",
    "Something failed on our side; it is logged under the request id.",
)


def problem_of(error: Exception) -> dict[str, Any]:
    """The problem answer's body for an error of the table; anything else is `internal`."""
    if isinstance(error, PartlyStoredError):
        return _partly(error)
    rule = next((RULES[kind] for kind in type(error).__mro__ if kind in RULES), INTERNAL)
    fields = error.problems if isinstance(error, InvalidFieldsError) else ()
    return problem(rule, str(error), fields)


def _partly(error: PartlyStoredError) -> dict[str, Any]:
    body = problem_of(error.cause)
    missing = [{"field": f"windows.{name}", "message": "Not stored."} for name in error.missing]
    detail = f"{body['detail']} Stored already: {', '.join(error.stored)}."
    return body | {"detail": detail, "errors": missing}


def problem(rule: Rule, text: str = "", fields: Sequence[FieldProblem] = ()) -> dict[str, Any]:
    """A problem answer's body."""
    return {
        "type": f"urn:tallyboard:problem:{rule.code}",
        "title": rule.status.phrase,
        "status": int(rule.status),
        "detail": rule.detail.format(text),
        "code": rule.code,
        "errors": [{"field": one.field, "message": one.message} for one in fields],
    }


def headers_of(body: dict[str, Any], error: Exception | None = None) -> dict[str, str]:
    """The headers that a problem answer carries beside its content type."""
    if isinstance(error, BoardDeletedLatelyError):
        return {"Retry-After": str(error.seconds)}
    if body["status"] in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        return {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return {}
