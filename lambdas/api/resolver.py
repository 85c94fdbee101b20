"""The resolver of the HTTP functions: Powertools' own, with our paths, bodies and problems.

Powertools matches only word characters and some punctuation in a path segment; player ids may
hold quotes, spaces or emoji, so a segment here is anything but a slash. Requests that the
gateway could match to no route arrive under `$default` and are answered 404 whatever their path,
so that no spelling of a path can reach a route past the gateway's own authorization.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas.api import bodies, problems
from lambdas.domain.errors import FieldProblem, InvalidFieldsError, RequestError
from lambdas.names import DEFAULT_ROUTE

_NOT_FOUND = {"rawPath": "/", "body": None, "isBase64Encoded": False}

_CONTENT_TYPE: Final = "content_type"  # of the call, in `context`: what the caller named


class TallyResolver(APIGatewayHttpResolver):
    """An HTTP API resolver whose every answer keeps the contract of the API."""

    def __init__(self, logger: Logger) -> None:
        super().__init__(enable_validation=True, json_body_deserializer=bodies.parse_json)
        self._logger = logger
        self.exception_handler(list(problems.RULES))(self._on_error)
        self.exception_handler(RequestValidationError)(self._on_invalid)
        self.exception_handler(NotFoundError)(self._on_not_found)
        self.exception_handler(Exception)(self._on_error)

    @staticmethod
    def _compile_regex(rule: str, base_regex: str = "^{}$") -> re.Pattern[str]:
        return re.compile(base_regex.format(re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", rule)))

    def resolve(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Answers one event of payload format 2.0."""
        if event.get("routeKey") == DEFAULT_ROUTE:
            return super().resolve({**event, **_NOT_FOUND}, context)
        self.context[_CONTENT_TYPE] = bodies.content_type(event)
        try:
            plain = bodies.plain_event(event)
        except RequestError as error:
            answer = _answer(self._on_error(error))
            self.clear_context()  # type: ignore[no-untyped-call]
            return answer
        return super().resolve({**plain, "rawPath": unquote(plain["rawPath"])}, context)

    def problem_of(self, error: Exception) -> dict[str, Any]:
        """The problem answer's body for an error; what is in no table is a bug, and is logged."""
        body = problems.problem_of(error)
        if body["code"] == problems.INTERNAL.code:
            self._logger.exception("unexpected failure", exc_info=error)
        return body

    def _on_error(self, error: Exception) -> Response[str]:
        if isinstance(error, bodies.NotJsonError) and not self._claims_json():
            error = bodies.UnsupportedMediaTypeError()
        return _response(self.problem_of(error), error)

    def _claims_json(self) -> bool:
        return bodies.claims_json(self.context[_CONTENT_TYPE])

    def _on_invalid(self, error: RequestValidationError) -> Response[str]:
        fields = [_field_problem(one) for one in error.errors()]
        return self._on_error(InvalidFieldsError(fields))

    def _on_not_found(self, _: NotFoundError) -> Response[str]:
        return _response(problems.problem(problems.ROUTE_NOT_FOUND))


def field_problems(errors: list[Any]) -> list[FieldProblem]:
    """pydantic's errors as field problems."""
    return [_field_problem(one) for one in errors]


def _field_problem(error: Mapping[str, Any]) -> FieldProblem:
    parts = [str(part) for part in error["loc"] if part not in ("body", "query", "path")]
    where = [part for part in parts if not part.startswith("<")]  # tags of unions
    return FieldProblem(".".join(where) or "body", error["msg"])


def _response(body: dict[str, Any], error: Exception | None = None) -> Response[str]:
    return Response(
        status_code=body["status"],
        content_type=problems.PROBLEM_TYPE,
        body=bodies.to_json(body),
        headers=problems.headers_of(body, error),
    )


def _answer(response: Response[str]) -> dict[str, Any]:
    headers = {"Content-Type": response.content_type, **response.headers}
    return {
        "statusCode": response.status_code,
        "headers": headers,
        "cookies": [],
        "body": response.body,
        "isBase64Encoded": False,
    }
