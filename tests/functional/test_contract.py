"""The OpenAPI document: what it says is what the code says, and what the functions answer.

That every answer met by any functional test keeps it is checked where the tests send their
requests (`contract.check`); here are the document itself and the answers few tests ask for.
"""

import json
import re
from typing import Any

import pytest
from jsonschema import ValidationError

from lambdas import names
from lambdas.api import document as served_document
from lambdas.domain.boards import BOARD_ID_PATTERN
from lambdas.domain.players import PATTERN
from ops import openapi
from ops.rig.events import http_event
from tests.functional import contract

PATTERNS = {"board": BOARD_ID_PATTERN, "player_id": PATTERN}
OPERATIONS = {
    "postScore": {200, 400, 403, 404, 409, 413, 415, 422, 429, 500, 503},
    "postBatch": {200, 400, 403, 404, 413, 415, 422, 429, 500, 503},
    "getRank": {200, 400, 403, 404, 422, 429, 500, 503},
    "getStanding": {200, 403, 404, 422, 429, 500, 503},
    "getDistribution": {200, 403, 404, 422, 429, 500, 503},
    "getTop": {200, 400, 403, 404, 422, 429, 500, 503},
    "getAround": {200, 400, 403, 404, 422, 429, 500, 503},
    "getBoardInfo": {200, 403, 404, 429, 500, 503},
    "postFriends": {200, 400, 403, 404, 413, 415, 422, 429, 500, 503},
    "postRanks": {200, 400, 403, 404, 413, 415, 422, 429, 500, 503},
    "putBoard": {200, 201, 400, 403, 409, 413, 415, 422, 429, 500, 503},
    "deleteBoard": {204, 403, 404, 429, 500, 503},
    "getBoard": {200, 403, 404, 429, 500, 503},
    "removePlayer": {204, 400, 403, 404, 429, 500, 503},
    "putVisibility": {204, 400, 403, 404, 413, 415, 422, 429, 500, 503},
    "listBoards": {200, 403, 429, 500, 503},
    "showPlayer": {200, 400, 403, 429, 500, 503},
    "erasePlayer": {200, 202, 400, 403, 429, 500, 503},
}
WAITS = ("putBoard", "409")  # a board deleted lately can be made again; other conflicts stay


def operations() -> dict[str, dict[str, Any]]:
    """The operations of the document by id."""
    paths = contract.document()["paths"].values()
    return {one["operationId"]: one for path in paths for one in path.values()}


def test_the_committed_document_is_the_codes_own(handlers: Any) -> None:
    """`python -m ops.openapi` would write the very file that is committed."""
    assert handlers
    assert contract.DOCUMENT.read_text(encoding="utf-8") == openapi.text()


def test_the_functions_serve_exactly_the_routes_of_the_gateway(handlers: Any) -> None:
    """No route that the gateway lacks, none of the gateway's that a function lacks."""
    documented = {
        (method.upper(), path)
        for path, ours in contract.document()["paths"].items()
        for method in ours
    }
    assert documented == {route for routes in names.ROUTES.values() for route in routes}
    for function, routes in names.ROUTES.items():
        app = handlers[function].app
        served = {
            (route.method, re.sub(r"<(\w+)>", r"{\1}", route.path))
            for route in app._static_routes + app._dynamic_routes
        }
        open_routes = set(names.DOCS_ROUTES) if function == names.READ else set()
        assert served == set(routes) | open_routes


def test_each_operation_promises_the_answers_it_can_give() -> None:
    """A conflict only where boards are made, 413 and 415 only with a body, and so on."""
    promised = {name: {*map(int, one["responses"])} for name, one in operations().items()}
    assert promised == OPERATIONS


def test_problems_are_problem_documents() -> None:
    """Every refusal of ours is `application/problem+json`; what passes by itself says when."""
    for name, operation in operations().items():
        for status, answer in operation["responses"].items():
            if status in ("200", "201", "202", "204", "403"):
                continue
            assert list(answer["content"]) == ["application/problem+json"], name
            header = answer.get("headers", {}).get("Retry-After")
            assert bool(header and header.get("required")) == (status in ("429", "503"))
            assert bool(header) == (status in ("429", "503") or (name, status) == WAITS)


def test_no_schema_is_left_over_from_the_framework() -> None:
    """Every schema is one of ours, and something refers to it."""
    text = contract.DOCUMENT.read_text(encoding="utf-8")
    schemas = contract.document()["components"]["schemas"]
    assert not {"HTTPValidationError", "ValidationError", "ResponseValidationError"} & set(schemas)
    referred = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert referred == set(schemas)


def test_the_code_of_a_problem_is_documented() -> None:
    """Each stable code stands in the document, those of unknown routes and bugs included."""
    described = contract.document()["components"]["schemas"]["Problem"]["properties"]["code"]
    codes = set(re.findall(r"[a-z_]+", described["description"].removeprefix("One of ")))
    assert {"route_not_found", "internal", "throttled", "unavailable", "board_exists"} <= codes


def test_integers_are_documented_as_they_are_taken() -> None:
    """A score is an integer of 64 bits and nothing else; a request takes no unknown field."""
    schemas = contract.document()["components"]["schemas"]
    score = schemas["SubmissionBody"]["properties"]["score"]
    assert (score["type"], score["format"]) == ("integer", "int64")
    assert (score["minimum"], score["maximum"]) == (-(2**63), 2**63 - 1)
    for name in (
        "SubmissionBody",
        "BatchBody",
        "FriendsBody",
        "RanksBody",
        "ConfigBody",
        "LayoutBody",
        "VisibilityBody",
    ):
        assert schemas[name]["additionalProperties"] is False


def test_schemas_say_what_generators_of_clients_understand() -> None:
    """Integers are of 64 bits, bounds are JSON Schema's and exact, pairs are lists of one kind."""
    nodes = list(openapi._nodes(contract.document()))
    integers = [node for node in nodes if node.get("type") == "integer"]
    assert {node.get("format") for node in integers} == {"int64"}
    assert not [node for node in nodes if {"ge", "gt", "le", "lt", "prefixItems"} & set(node)]
    bounds = [node[name] for node in integers for name in ("minimum", "maximum") if name in node]
    assert {type(bound) for bound in bounds} == {int}
    assert min(bounds) == -(2**63)
    assert max(bounds) == 2**63 - 1


def test_the_bounds_of_queries_are_documented() -> None:
    """A reader of the document learns which limits, ranks and neighbours can be asked for."""
    stated = {}
    for name in ("getTop", "getAround", "getStanding"):
        for parameter in operations()[name]["parameters"]:
            for schema in parameter["schema"].get("anyOf", [parameter["schema"]]):
                if schema["type"] == "integer":
                    stated[parameter["name"]] = (schema["minimum"], schema["maximum"])
    most = 2**63 - 1
    assert stated == {"limit": (1, 1_000), "start_rank": (1, most), "k": (0, 50), "rank": (1, most)}


def test_every_board_and_player_is_documented_with_its_rule() -> None:
    """What the code refuses by pattern, the document forbids wherever it can be sent."""
    for operation in operations().values():
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "path":
                assert parameter["schema"]["pattern"] == PATTERNS[parameter["name"]]
    schemas = contract.document()["components"]["schemas"]
    friends = schemas["FriendsBody"]["properties"]
    ids = [schemas["SubmissionBody"]["properties"]["player_id"], friends["player_id"]]
    assert {one["pattern"] for one in [*ids, friends["friend_ids"]["items"]]} == {PATTERN}


def test_what_the_schema_of_a_config_allows_is_what_the_code_allows(api: Any, board: str) -> None:
    """At each documented bound a board can be made, one step past it none."""
    schemas = contract.document()["components"]["schemas"]
    for prefix, name in (((), "ConfigBody"), (("layout",), "LayoutBody")):
        for field, schema in schemas[name]["properties"].items():
            if "minimum" not in schema:
                continue
            for step, status in ((0, 201), (1, 422)):
                for bound in (schema["minimum"] - step, schema["maximum"] + step):
                    limits = {"top_exact": 1, "count_limit": 1} if field == "exact_limit" else {}
                    body = {**limits, field: bound} if not prefix else {prefix[0]: {field: bound}}
                    path = (
                        f"/api/admin/leaderboards/{board}-{field.replace('_', '-')}-{step}{bound}"
                    )
                    assert api.call("PUT", path, body)[0] == status, (field, bound)


@pytest.mark.parametrize("levels", [1, 3])
def test_every_kind_of_answer_keeps_the_contract(
    api: Any, drain: Any, board: str, levels: int
) -> None:
    """Exact, estimated and unranked ranks, lists, batches and boards, with and without extras."""
    config = {"levels": levels}
    api.make_board(board, layout=config, exact_limit=10, top_exact=3, count_limit=2)
    api.submit_all(board, {f"p{i:02d}": 1_000 + i // 3 for i in range(40)})
    drain()
    kinds = {api.rank(board, f"p{i:02d}")["kind"] for i in range(40)}
    assert kinds == {"exact", "estimated"}
    assert api.rank(board, "nobody", explain="false", consistent="true")["kind"] == "unranked"
    assert api.call("GET", f"/api/leaderboards/{board}/top", query={"limit": "1000"})[0] == 200
    batch = {"scores": [{"player_id": "p00", "score": 5_000}, {"player_id": "/", "score": 1}, 5]}
    path = f"/api/leaderboards/{board}/scores/batch"
    for rank in ("true", "false"):
        assert api.call("POST", path, batch, query={"rank": rank})[0] == 200


def test_the_checker_is_strict() -> None:
    """A field too many, one missing, `1.0` and `true` for an integer are all found."""
    entry = {"rank": 1, "player_id": "p", "score": 5, "achieved_at": 0}
    schema = {"$ref": "#/components/schemas/TopEntry"}
    contract.check_schema(schema, entry)
    for wrong in ({"extra": 1}, {"rank": 1.0}, {"rank": True}, {"score": "5"}):
        with pytest.raises((AssertionError, ValidationError)):
            contract.check_schema(schema, entry | wrong)
    with pytest.raises(AssertionError):
        contract.check_schema(schema, {"rank": 1})


# --- The document as it is served ------------------------------------------------------------


def test_the_document_is_served(api: Any) -> None:
    """`/api/openapi.json` is the committed document."""
    answer = api.raw(http_event("GET", "/api/openapi.json"))
    assert answer["statusCode"] == 200
    assert answer["headers"]["Content-Type"] == "application/json"
    assert json.loads(answer["body"]) == contract.document()


def test_the_page_holds_all_it_shows(api: Any) -> None:
    """`/api/docs` carries document, script and style, and makes the browser fetch nothing."""
    answer = api.raw(http_event("GET", "/api/docs"))
    page = answer["body"]
    assert answer["statusCode"] == 200
    assert answer["headers"]["Content-Type"] == "text/html; charset=utf-8"
    assert served_document.served().replace("</", "<\\/") in page
    outside_scripts = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.findall(r"""<(?:link|img|iframe|object|embed)\b""", outside_scripts)
    assert not re.findall(r"<script[^>]+src", page)
    assert not re.findall(r"@import|url\((?!\"?data:|#|'?data:)", _styles(page))
    assert len(page.encode()) < 6_000_000, "a function answers at most 6 MB"


def test_the_page_links_to_its_document(api: Any) -> None:
    """The link that Swagger UI shows, `?format=json`, answers with the document."""
    answer = api.raw(http_event("GET", "/api/docs", query={"format": "json"}))
    assert answer["headers"]["Content-Type"] == "application/json"
    assert answer["body"] == served_document.served()


def test_each_operation_says_what_it_does() -> None:
    """A summary is words, not the route once more."""
    for path, operations in json.loads(served_document.served())["paths"].items():
        for operation in operations.values():
            assert operation["summary"]
            assert path not in operation["summary"]


def _styles(page: str) -> str:
    return "".join(re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL))
