"""The API's routes, who may call them, and what the gateway itself limits and logs."""

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lambdas import names
from tests.infrastructure.templates import Json, Stage, as_list, function, only, resources

Stages = Callable[[str], Stage]
GROUPS = (names.SUBMIT, names.READ, names.ADMIN)


def routes(template: Json) -> dict[str, Json]:
    """Returns the properties of each route by its key."""
    found = resources(template, "AWS::ApiGatewayV2::Route").values()
    return {route["Properties"]["RouteKey"]: route["Properties"] for route in found}


def keys(pairs: tuple[tuple[str, str], ...]) -> set[str]:
    """Returns route keys as the gateway spells them."""
    return {f"{method} {path}" for method, path in pairs}


def function_behind(template: Json, route: Json) -> str:
    """Returns the logical id of the function that a route calls."""
    integration_id = route["Target"]["Fn::Join"][1][1]["Ref"]
    integration = template["Resources"][integration_id]["Properties"]
    assert integration["PayloadFormatVersion"] == "2.0"
    found: str = integration["IntegrationUri"]["Fn::GetAtt"][0]
    return found


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_the_gateway_has_exactly_the_named_routes(stage: Stages, name: str) -> None:
    """Each group's routes lead to its function, and unknown paths to the read function."""
    template = stage(name).service
    found = routes(template)
    expected = {
        key: group for group in GROUPS for key in keys(names.ROUTES[group])
    } | dict.fromkeys(keys(names.DOCS_ROUTES) | {names.DEFAULT_ROUTE}, names.READ)
    assert set(found) == set(expected)
    for key, group in expected.items():
        assert function_behind(template, found[key]) == function(stage(name), group)[0]


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_every_route_wants_a_signature(stage: Stages, name: str) -> None:
    """Only the API page is open, and not in production."""
    unsigned = {
        key
        for key, route in routes(stage(name).service).items()
        if route.get("AuthorizationType", "NONE") != "AWS_IAM"
    }
    assert unsigned == (set() if name == "prod" else keys(names.DOCS_ROUTES))


def test_a_stage_may_open_the_read_group(tmp_path: Path) -> None:
    """The flag opens the reads and nothing else."""
    from aws_cdk import App

    from app import add_stacks
    from stacks.stages import stage_config

    app = App(outdir=str(tmp_path))
    add_stacks(app, dataclasses.replace(stage_config("dev"), open_reads=True))
    app.synth()
    template = json.loads((tmp_path / "Tallyboard-dev-Service.template.json").read_text())
    unsigned = {
        key for key, route in routes(template).items() if route["AuthorizationType"] == "NONE"
    }
    assert unsigned == keys(names.ROUTES[names.READ]) | keys(names.DOCS_ROUTES)


@pytest.mark.parametrize("group", GROUPS)
def test_a_policy_allows_its_group_alone(stage: Stages, group: str) -> None:
    """Each route of the group for any board and player; no other method, path or API."""
    template = stage("prod").service
    policy_id = template["Outputs"][f"{group.capitalize()}PolicyArn"]["Value"]["Ref"]
    document = template["Resources"][policy_id]["Properties"]["PolicyDocument"]
    (statement,) = document["Statement"]
    assert statement["Action"] == "execute-api:Invoke"
    found = set()
    for arn in as_list(statement["Resource"]):
        *_, api, tail = arn["Fn::Join"][1]
        assert api == {"Ref": next(iter(resources(template, "AWS::ApiGatewayV2::Api")))}
        found.add(tail)
    assert found == {
        f"/$default/{method}{re.sub('{.*?}', '*', path)}" for method, path in names.ROUTES[group]
    }


def test_the_gateway_may_call_the_functions(stage: Stages) -> None:
    """Routes with a path are stage/method/path to a permission; the default route has no path."""
    template = stage("prod").service
    tails: dict[str, set[str]] = {}
    for permission in resources(template, "AWS::Lambda::Permission").values():
        properties = permission["Properties"]
        if properties["Principal"] != "apigateway.amazonaws.com":
            continue
        target = properties["FunctionName"]["Fn::GetAtt"][0]
        tails.setdefault(target, set()).add(properties["SourceArn"]["Fn::Join"][1][-1])
    ids = {group: function(stage("prod"), group)[0] for group in GROUPS}
    assert tails == {
        ids[names.SUBMIT]: {"/*/*/*"},
        ids[names.READ]: {"/*/*/*", "/*/$default"},
        ids[names.ADMIN]: {"/*/*/*"},
    }


def test_the_stage_limits_and_logs(stage: Stages) -> None:
    """One stage, `$default`, with a throttle; its log names the route and never a player."""
    found = only(stage("prod").service, "AWS::ApiGatewayV2::Stage")
    assert found["StageName"] == "$default"
    assert found["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": 5_000,
        "ThrottlingBurstLimit": 2_500,
    }
    logged = json.loads(found["AccessLogSettings"]["Format"])
    assert logged["requestId"] == "$context.requestId"
    assert "$context.routeKey" in logged.values()
    assert "$context.path" not in logged.values()
