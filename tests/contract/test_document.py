"""Whatever a caller sends, within the document or against it, is answered as the document says.

schemathesis makes the calls: each corner that the document's schemas have, then random ones, the
same on every run. A rig answers them over HTTP.
"""

import json
import re
import zlib
from collections import Counter
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from lambdas.domain.boards import BOARD_ID_PATTERN
from ops.client import Client
from ops.processes import wait_until
from tests.contract.signing import RequestsAuth
from tests.functional import contract

EXAMPLES: Final = 40  # random calls of an operation, beside those at the corners
PLAYERS: Final = 40
BOARDS: Final = {"contract-desc": "desc", "contract-asc": "asc"}
DOOMED: Final = "contract-doomed"  # there to be deleted, once and again
SMALL_METADATA: Final = 40
PAST_MS: Final = 1_700_000_000_000
# What a schema cannot say: a config is judged as a whole, each entry of a batch by itself.
EXCLUDED: Final = {"putBoard": [positive_data_acceptance], "postBatch": [negative_data_rejection]}
OFF: Final = {"enabled": False}
CONFIG: Final = schemathesis.Config.from_dict(
    {
        # Signed by this test; that unsigned calls are refused has a test of its own.
        "generation": {"deterministic": True, "with-security-parameters": False},
        "checks": {
            "ignored_auth": OFF,
            "missing_required_header": OFF,
            "unsupported_method": OFF,  # 404 by contract: a route is its method and its path
        },
        "phases": {
            "coverage": {
                "extra-data-sources": {"responses": False},
                # Those that an HTTP API hands over.
                "unexpected-methods": ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"],
            },
            # Answers would feed later calls: no two runs would be the same.
            "fuzzing": {"extra-data-sources": {"responses": False}, "error-feedback": OFF},
            "stateful": OFF,
        },
    }
)
schema = schemathesis.openapi.from_path(contract.DOCUMENT, config=CONFIG)
answered: Counter[tuple[str, bool, int]] = Counter()


@pytest.fixture(scope="module")
def seeded(client: Client) -> Client:
    """A client whose boards hold players, all counted."""
    client.put_board(DOOMED, {})
    for board, order in BOARDS.items():
        span = [-(2**63), 2**63 - 1]
        client.put_board(board, {"order": order, "score_range": span, "layout": {"levels": 3}})
        entries = [{"player_id": f"player {n}", "score": n * n} for n in range(PLAYERS)]
        client.submit_batch(board, entries)
        assert wait_until(
            lambda board=board: client.distribution(board)["population"] == PLAYERS, seconds=20
        )
    return client


@schema.hook
def filter_path_parameters(context: Any, path_parameters: Any) -> bool:  # noqa: ARG001
    """No percent sign: the gateway itself refuses one, in words of its own."""
    return "%" not in str(path_parameters)


def _test_of(operation_id: str) -> Any:
    """The test of one operation: schemathesis gives all of a function's items the same id, and
    pytest-xdist would run but one of them."""

    @schema.include(operation_id=operation_id).parametrize()
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def test(case: Case, seeded: Client) -> None:
        """No call fails on our side; each answer's status, type and shape are promised.

        What the document allows is taken; what it forbids is refused.
        """
        is_valid = case.meta.generation.mode is GenerationMode.POSITIVE
        _aim(case)
        if is_valid:
            _keep_to_what_no_schema_says(case)
        url = seeded.outputs.api_url
        response = case.call_and_validate(
            base_url=url,
            auth=RequestsAuth(seeded),
            excluded_checks=EXCLUDED.get(operation_id),
        )
        assert case.operation.definition.raw["operationId"] == operation_id
        answered[operation_id, is_valid, response.status_code] += 1

    return test


OPERATIONS: Final = [
    operation["operationId"]
    for operations in contract.document()["paths"].values()
    for operation in operations.values()
]
for _name in OPERATIONS:
    globals()[f"test_{_name}_keeps_the_document"] = _test_of(_name)


def test_every_operation_was_met() -> None:
    """Each operation took valid calls, and refused invalid ones where there can be any."""
    for name in OPERATIONS:
        met = {(valid, code): n for (one, valid, code), n in answered.items() if one == name}
        assert sum(n for (valid, code), n in met.items() if valid and code < 400) >= 1, name
        assert sum(n for (valid, code), n in met.items() if not valid and code >= 400) >= 5, name


def test_the_served_document_is_the_one_that_is_tested(client: Client) -> None:
    """`/api/openapi.json` is the committed document, open to everybody outside prod."""
    assert client.request("GET", "/api/openapi.json")[1] == contract.document()


def test_unsigned_calls_are_refused(client: Client) -> None:
    """Every operation of the document answers a stranger with the gateway's 403, and no other."""
    for path, operations in contract.document()["paths"].items():
        for method, operation in operations.items():
            url = client.outputs.api_url + path.format(board="contract-desc", player_id="p")
            answer = requests.request(method, url, json={}, timeout=60)
            assert answer.status_code == 403, operation["operationId"]
            promised = operation["responses"]["403"]["content"]
            contract.check_schema(promised["application/json"]["schema"], answer.json())


def _aim(case: Case) -> None:
    """Turns most calls that name a possible board to one that is there."""
    parameters = case.path_parameters
    board, number = str(parameters.get("board")), zlib.crc32(repr(parameters).encode())
    names_player = "player_id" in parameters
    if (
        (case.method == "PUT" and not names_player)
        or not re.fullmatch(BOARD_ID_PATTERN, board)
        or number % 8 == 0
    ):
        return
    is_doomed = case.method == "DELETE" and not names_player
    parameters["board"] = DOOMED if is_doomed else [*BOARDS][number % 2]
    if names_player and number % 3 == 0:
        parameters["player_id"] = f"player {number % PLAYERS}"


def _keep_to_what_no_schema_says(case: Case) -> None:
    """A valid call made one that the rules allow, too, which the schema language cannot state."""
    case.query.pop("cursor", None)  # a random one is none of ours
    case.query.pop("segment", None)  # these boards have no dimensions
    if case.operation.path.endswith("/standing"):
        rank, percentile = case.query.pop("rank", None), case.query.pop("percentile", None)
        given = {"rank": rank, "percentile": percentile}
        one = next(
            ((name, value) for name, value in given.items() if value is not None), ("rank", 1)
        )
        case.query.update([one])
    if isinstance(case.body, dict | list):
        case.body = _integers(case.body)
    if isinstance(case.body, dict) and "score" in case.body:
        case.body.pop("tie_breakers", None)  # these boards have none
        case.body.pop("segments", None)  # and no dimensions
        if len(json.dumps(case.body.get("metadata"))) > SMALL_METADATA:
            del case.body["metadata"]  # its size is bytes of JSON, and so is that of a number


def _integers(value: Any) -> Any:
    """To JSON Schema 5.0 is an integer, to the API it is none; and no result is of the future."""
    if isinstance(value, list):
        return [_integers(child) for child in value]
    if not isinstance(value, dict):
        return int(value) if isinstance(value, float) and value.is_integer() else value
    whole = {name: _integers(child) for name, child in value.items()}
    if whole.get("achieved_at") is not None:
        whole["achieved_at"] = min(whole["achieved_at"], PAST_MS)
    return whole
