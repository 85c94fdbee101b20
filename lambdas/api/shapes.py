"""How a route names the shapes of its answers for the OpenAPI document.

Answers are built as plain dictionaries; tests hold each of them to its shape, so that no call
pays for checking what the code has just made.
"""

from collections.abc import Collection
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel

from lambdas.api import problems
from lambdas.api.bodies import (
    BodyTooLargeError,
    NotBase64Error,
    NotJsonError,
    UnsupportedMediaTypeError,
)
from lambdas.api.problems import PROBLEM_TYPE, RULES, Rule
from lambdas.domain.errors import (
    BoardDeletedLatelyError,
    InvalidFieldsError,
    ThrottledError,
    UnavailableError,
)

_OF_EVERY_ROUTE: Final = (ThrottledError, UnavailableError)
_OF_BODIES: Final = (
    BodyTooLargeError,
    InvalidFieldsError,
    NotBase64Error,
    NotJsonError,
    UnsupportedMediaTypeError,
)
_PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}
_FORBIDDEN: Final = "Unsigned, or not allowed; the gateway's own body."
_GATEWAYS_OWN: Final = {
    "application/json": {
        "schema": {"type": "object", "properties": {"message": {"type": "string"}}}
    }
}
_SECONDS: Final = {"description": "Seconds to wait.", "schema": {"type": "integer"}}


def answers(model: type[BaseModel], description: str, status: int = 200) -> dict[int, Any]:
    """The `responses` of a route that answers with a model."""
    content = {"application/json": {"model": model}}
    return {status: {"description": description, "content": content}}


def no_content(description: str) -> dict[int, Any]:
    """The `responses` of a route that answers with nothing but its status."""
    return {int(HTTPStatus.NO_CONTENT): {"description": description}}


def refusals(*errors: type[Exception], takes_body: bool = False) -> dict[int, Any]:
    """The `responses` of a route for the problems it can answer with, and no other.

    Args:
        errors: what the route itself raises; every route can be throttled and can fail.
        takes_body: whether a body can be wrong, too.
    """
    kinds = (*errors, *_OF_EVERY_ROUTE, *(_OF_BODIES if takes_body else ()))
    rules = {RULES[kind] for kind in kinds} | {problems.INTERNAL}
    by_status = {rule.status: [one for one in rules if one.status == rule.status] for rule in rules}
    refused = {int(status): _refusal(status, ours) for status, ours in by_status.items()}
    return {**refused, 403: {"description": _FORBIDDEN, "content": _GATEWAYS_OWN}}


def _refusal(status: HTTPStatus, rules: Collection[Rule]) -> dict[str, Any]:
    codes = ", ".join(sorted(rule.code for rule in rules))
    answer = {
        "description": f"{status.phrase}: {codes}",
        "content": {PROBLEM_TYPE: {"schema": _PROBLEM}},
    }
    if problems.headers_of({"status": status}):
        answer["headers"] = {"Retry-After": {**_SECONDS, "required": True}}
    elif RULES[BoardDeletedLatelyError] in rules:
        answer["headers"] = {"Retry-After": _SECONDS}  # the other conflicts do not pass
    return answer
