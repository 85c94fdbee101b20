"""Writes `docs/openapi.json`: the documents of the HTTP functions, merged into one contract.

The framework's own error bodies and schemas are dropped: each route names the problem answers it
can give. Run `python -m ops.openapi` after changing a route or a model; a test
fails while the file and the code differ.
"""

import importlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from aws_lambda_powertools.event_handler.api_gateway import Route

from lambdas import names
from lambdas.api.problems import INTERNAL, PROBLEM_TYPE, ROUTE_NOT_FOUND, RULES
from lambdas.api.requests import PLAYER_ID_SCHEMA
from lambdas.api.resolver import TallyResolver
from lambdas.domain.boards import BOARD_ID_PATTERN, INT64

TARGET: Final = Path(__file__).parents[1] / "docs" / "openapi.json"
OPENAPI_VERSION: Final = "3.1.0"
API_VERSION: Final = "0.1.0"
_DESCRIPTION: Final = (
    "Leaderboards whose ranks cost the same to read at any size, and whose answers never claim "
    "more than they know. Requests are signed with SigV4 for the service `execute-api`."
)
_FRAMEWORK_SCHEMAS: Final = ("HTTPValidationError", "ResponseValidationError", "ValidationError")
_BOUNDS: Final = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
}
_ENVIRONMENT: Final = {
    names.ENV_STAGE: names.STAGE_RIG,
    names.ENV_SCORES_TABLE: "scores",
    names.ENV_COUNTERS_TABLE: "counters",
    names.ENV_BOARDS_TABLE: "boards",
    names.ENV_SUBMISSIONS_TABLE: "submissions",
    "AWS_DEFAULT_REGION": "us-east-1",
}


def merged() -> dict[str, Any]:
    """The document of all the HTTP functions."""
    document: dict[str, Any] = {
        "openapi": OPENAPI_VERSION,
        "info": {"title": "Tallyboard", "version": API_VERSION, "description": _DESCRIPTION},
        "paths": {},
        "components": {"schemas": {}, "securitySchemes": _security_schemes()},
        "security": [{"sigv4": []}],
    }
    for function in names.ROUTES:
        part = _document_of(function)
        for path, operations in part["paths"].items():
            document["paths"].setdefault(path, {}).update(operations)
        document["components"]["schemas"].update(part["components"]["schemas"])
    document["components"]["schemas"].update(_extra_schemas())
    for name in _FRAMEWORK_SCHEMAS:
        document["components"]["schemas"].pop(name, None)
    for operations in document["paths"].values():
        for operation in operations.values():
            _drop_framework_answer(operation)
            _state_path_rules(operation)
    for node in _nodes(document):
        _state_bounds(node)
        _state_for_generators(node)
    return document


def text() -> str:
    """The document as it is committed."""
    return json.dumps(merged(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _document_of(function: str) -> dict[str, Any]:
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    app = importlib.import_module(f"lambdas.handlers.{function}").app
    part: dict[str, Any] = json.loads(
        app.get_openapi_json_schema(title="Tallyboard", version=API_VERSION)
    )
    summaries = {route.operation_id: _first_line(route.func) for route in _routes(app)}
    for operations in part["paths"].values():
        for operation in operations.values():
            operation["summary"] = summaries[operation["operationId"]]
    return part


def _routes(app: TallyResolver) -> list[Route]:
    return [*app._static_routes, *app._dynamic_routes]


def _first_line(function: Callable[..., Any]) -> str:
    """What a route does, in the words of its docstring; the framework says its path again."""
    return (function.__doc__ or "").splitlines()[0].rstrip(".")


def _extra_schemas() -> dict[str, Any]:
    """Shapes that no route names as a model of its own: a batch's entries and the problems."""
    from lambdas.api.answers import Problem
    from lambdas.api.requests import SubmissionBody

    schemas: dict[str, Any] = {}
    for model in (Problem, SubmissionBody):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    codes = sorted({rule.code for rule in (*RULES.values(), ROUTE_NOT_FOUND, INTERNAL)})
    schemas["Problem"]["properties"]["code"]["description"] = f"One of {', '.join(codes)}."
    return schemas


def _drop_framework_answer(operation: dict[str, Any]) -> None:
    """Drops the 422 that the framework gives every operation, unless the route has its own.

    And the body of an answer that has none.
    """
    operation["responses"].get("204", {}).pop("content", None)
    answer = operation["responses"].get("422", {})
    if PROBLEM_TYPE not in answer.get("content", {}):
        operation["responses"].pop("422", None)


def _state_path_rules(operation: dict[str, Any]) -> None:
    """States which boards and players a path can name; the functions judge them by themselves."""
    rules = {"board": {"pattern": BOARD_ID_PATTERN}, "player_id": PLAYER_ID_SCHEMA}
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            parameter["schema"].update(rules[parameter["name"]])


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document, the inner ones first."""
    for child in value.values() if isinstance(value, dict) else value:
        if isinstance(child, dict | list):
            yield from _nodes(child)
    if isinstance(value, dict):
        yield value


def _state_bounds(node: dict[str, Any]) -> None:
    """Makes the bounds of a schema those that the code has, under the names of JSON Schema.

    The framework holds them as floats, which rounds 2^63 - 1 up to a number that is refused, and
    leaves those of a query's integers under pydantic's own names.
    """
    for keyword, name in _BOUNDS.items():
        bound = node.pop(name, node.get(keyword))
        if isinstance(bound, float) and bound.is_integer():
            bound = max(INT64.low, min(INT64.high, int(bound)))
        if bound is not None:
            node[keyword] = bound


def _state_for_generators(node: dict[str, Any]) -> None:
    """Says the same so that generated clients get it right, in any language.

    An integer without a format would be one of 32 bits in many; and few know the items of a tuple,
    while ours are pairs of one kind.
    """
    if node.get("type") == "integer":
        node["format"] = "int64"
    first, *others = node.get("prefixItems", [None])
    if first is not None and all(other == first for other in others):
        del node["prefixItems"]
        node["items"] = first


def _security_schemes() -> dict[str, Any]:
    return {
        "sigv4": {
            "type": "apiKey",
            "name": "Authorization",
            "in": "header",
            "description": "AWS Signature Version 4 for the service `execute-api`.",
            "x-amazon-apigateway-authtype": "awsSigv4",
        }
    }


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
