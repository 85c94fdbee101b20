"""Holds each answer of the functions to the committed OpenAPI document, strictly.

The document lets answers grow, so its schemas allow fields it does not name; here such a field
is a fault, and so is `1.0` where an integer is promised.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from lambdas.names import DEFAULT_ROUTE, DOCS_ROUTES

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
_BASE = "urn:tallyboard:openapi"
_OPEN = {f"{method} {path}" for method, path in DOCS_ROUTES}
_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


@cache
def document() -> dict[str, Any]:
    """The committed document."""
    read: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return read


def check(event: dict[str, Any], answer: dict[str, Any]) -> None:
    """Fails unless the document promises this very answer to this event's route."""
    status, headers, body = answer["statusCode"], answer["headers"], answer["body"]
    assert type(status) is int
    body.encode()  # half a surrogate pair would break the reply outside of the function
    if event["routeKey"] == DEFAULT_ROUTE:
        assert status == 404
        _check_problem(headers, json.loads(body), 404)
        return
    if event["routeKey"] in _OPEN:
        return
    method, path = event["routeKey"].split(" ")
    promised = document()["paths"][path][method.lower()]["responses"]
    assert str(status) in promised, f"{event['routeKey']} does not promise {status}: {body}"
    response = promised[str(status)]
    if "content" not in response:
        assert body == ""
        return
    content = response["content"][headers["Content-Type"]]
    check_schema(content["schema"], json.loads(body))
    for name, header in response.get("headers", {}).items():
        if header.get("required") or name in headers:
            assert int(headers[name]) > 0
    if status >= 400:
        _check_problem(headers, json.loads(body), status)
        assert json.loads(body)["code"] in response["description"]


def check_schema(schema: dict[str, Any], value: Any) -> None:
    """Fails unless a value keeps a schema of the document, and holds nothing more."""
    if "$ref" in schema:
        schema = {"$ref": _BASE + schema["$ref"]}
    errors = list(_Validator(schema, registry=_registry()).iter_errors(value))
    assert not errors, f"{value}: {[error.message for error in errors]}"


def _check_problem(headers: dict[str, str], body: dict[str, Any], status: int) -> None:
    assert headers["Content-Type"] == "application/problem+json"
    check_schema({"$ref": "#/components/schemas/Problem"}, body)
    assert body["status"] == status
    assert body["type"] == f"urn:tallyboard:problem:{body['code']}"


@cache
def _registry() -> Registry[Any]:
    closed = json.loads(json.dumps(document()))
    for schema in closed["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return Registry().with_resource(_BASE, DRAFT202012.create_resource(closed))
