"""What a function must not import: each module costs every cold start its time.

A fresh interpreter imports each handler and lists what came with it.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from lambdas import names

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    names.ENV_STAGE: names.STAGE_RIG,
    names.ENV_SCORES_TABLE: "scores",
    names.ENV_COUNTERS_TABLE: "counters",
    names.ENV_BOARDS_TABLE: "boards",
    names.ENV_SUBMISSIONS_TABLE: "submissions",
    names.ENV_FAILURE_QUEUE_URL: "http://127.0.0.1:9/failures",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "PATH": os.environ.get("PATH", ""),
}
FUNCTIONS = (*names.ROUTES, names.COUNT, *names.SCHEDULED)
NOBODYS = (
    "aws_cdk",
    "aws_xray_sdk",
    "jinja2",
    "jsonschema",
    "moto",
    "mypy_boto3_dynamodb",
    "numpy",
    "ops",
    "pandas",
    "pytest",
    "requests",
    "rich",
    "stacks",
    "typer",
    "unittest",
    "yaml",
)
OF_HTTP_ALONE = ("aws_lambda_powertools.event_handler", "lambdas.api", "pydantic", "pydantic_core")
OF_READ_ALONE = (
    "aws_lambda_powertools.event_handler.openapi.swagger_ui",
    "lambdas.api.document",
)


@cache
def imported(function: str) -> frozenset[str]:
    """The modules that a function's handler brings into a fresh interpreter."""
    script = f"import sys, json, lambdas.handlers.{function}; print(json.dumps(list(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(json.loads(run.stdout))


def unwanted(function: str, modules: tuple[str, ...]) -> set[str]:
    """Which of some modules, or modules of some packages, a function imports."""
    dotted = tuple(f"{module}." for module in modules)
    return {one for one in imported(function) if one in modules or one.startswith(dotted)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_imports_what_none_needs(function: str) -> None:
    """Tracing, templates, data frames, other HTTP clients and our own tools stay out."""
    assert not unwanted(function, NOBODYS)


def test_counting_imports_neither_router_nor_models() -> None:
    """The stream consumer, which answers no HTTP, does not pay for HTTP."""
    for function in (names.COUNT, *names.SCHEDULED):
        assert not unwanted(function, OF_HTTP_ALONE)


@pytest.mark.parametrize("function", [names.SUBMIT, names.ADMIN])
def test_the_page_costs_only_the_function_that_serves_it(function: str) -> None:
    """Functions that do not serve the document do not import it."""
    assert not unwanted(function, OF_READ_ALONE)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_do_not_import_one_another(function: str) -> None:
    """Of the handlers, a function imports its own."""
    handlers = {one for one in imported(function) if one.startswith("lambdas.handlers.")}
    assert handlers == {f"lambdas.handlers.{function}"}
