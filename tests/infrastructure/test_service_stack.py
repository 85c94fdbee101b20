"""Functions, their rights and variables, and the mapping that feeds the counting."""

import platform
import sys
from collections.abc import Callable

import pytest

from lambdas import names
from tests.infrastructure.templates import (
    Json,
    Stage,
    as_list,
    function,
    only,
    resources,
    statements_of,
)

Stages = Callable[[str], Stage]
FUNCTIONS = (names.SUBMIT, names.READ, names.ADMIN, names.COUNT, *names.SCHEDULED)
INDEX = f"Scores/index/{names.RANK_INDEX}"
TIMEOUTS = {names.COUNT: 120, names.CLOSE: 900, names.EXPIRE: 60, names.AUDIT: 240}
RANKING = {
    "dynamodb:Query": {INDEX, "Counters"},
    "dynamodb:GetItem": {"Boards"},
}
PACES = {
    names.CLOSE: "rate(5 minutes)",
    names.EXPIRE: "rate(1 minute)",
    names.AUDIT: "rate(5 minutes)",
}
LOGGING = {"logs:CreateLogStream": {"own log"}, "logs:PutLogEvents": {"own log"}}
GRANTS = {
    names.SUBMIT: RANKING
    | {
        "dynamodb:BatchGetItem": {"Scores", "Boards", "Submissions"},
        "dynamodb:GetItem": {"Scores", "Boards"},
        "dynamodb:PutItem": {"Submissions"},
        "dynamodb:UpdateItem": {"Scores", "Boards"},
        "dynamodb:ConditionCheckItem": {"Scores"},
        "dynamodb:DeleteItem": {"Scores"},
    },
    names.READ: RANKING
    | {"dynamodb:BatchGetItem": {"Scores", "Boards"}, "dynamodb:GetItem": {"Scores", "Boards"}},
    names.ADMIN: {
        "dynamodb:BatchGetItem": {"Scores"},
        "dynamodb:DeleteItem": {"Scores", "Submissions", "Boards"},
        "dynamodb:Query": {"Submissions"},
        "dynamodb:UpdateItem": {"Scores", "Boards"},
        **{f"dynamodb:{action}": {"Boards"} for action in ("GetItem", "PutItem", "Scan")},
    },
    names.CLOSE: {
        "dynamodb:Query": {INDEX, "Counters", "Boards"},
        "dynamodb:DeleteItem": {"Scores", "Counters", "Boards"},
        "dynamodb:BatchGetItem": {"Scores", "Boards"},
        "dynamodb:UpdateItem": {"Scores", "Boards"},
        **{f"dynamodb:{action}": {"Boards"} for action in ("GetItem", "PutItem", "Scan")},
    },
    names.EXPIRE: {
        "dynamodb:Query": {f"Scores/index/{names.EXPIRY_INDEX}"},
        "dynamodb:DeleteItem": {"Scores"},
        "dynamodb:UpdateItem": {"Scores"},
        "dynamodb:Scan": {"Boards"},
    },
    names.AUDIT: {
        "dynamodb:Query": {INDEX, "Counters", "Boards"},
        **{f"dynamodb:{action}": {"Boards"} for action in ("GetItem", "PutItem", "Scan")},
    },
    names.COUNT: {
        "dynamodb:UpdateItem": {"Counters"},
        "dynamodb:GetItem": {"Counters", "Boards"},
        "sqs:SendMessage": {"FailureQueue"},
        "dynamodb:DescribeStream": {"Scores stream"},
        "dynamodb:GetRecords": {"Scores stream"},
        "dynamodb:GetShardIterator": {"Scores stream"},
        "dynamodb:ListStreams": {"*"},
    },
}
TABLES = {
    names.ENV_SCORES_TABLE: "Scores",
    names.ENV_COUNTERS_TABLE: "Counters",
    names.ENV_BOARDS_TABLE: "Boards",
    names.ENV_SUBMISSIONS_TABLE: "Submissions",
}
VARIABLES = {
    names.SUBMIT: set(TABLES),
    names.READ: set(TABLES) - {names.ENV_SUBMISSIONS_TABLE},
    names.CLOSE: set(TABLES) - {names.ENV_SUBMISSIONS_TABLE},
    names.AUDIT: set(TABLES) - {names.ENV_SUBMISSIONS_TABLE},
    names.ADMIN: set(TABLES) - {names.ENV_COUNTERS_TABLE},
    names.EXPIRE: {names.ENV_SCORES_TABLE, names.ENV_BOARDS_TABLE},
    names.COUNT: {
        names.ENV_COUNTERS_TABLE,
        names.ENV_BOARDS_TABLE,
        names.ENV_FAILURE_QUEUE_URL,
    },
}
COMMON = {
    "POWERTOOLS_SERVICE_NAME": names.SERVICE,
    "POWERTOOLS_METRICS_NAMESPACE": names.METRIC_NAMESPACE,
    "POWERTOOLS_LOG_LEVEL": "INFO",
}


def role_of_resource(value: Json) -> str:
    """Says in our words what a statement's resource is."""
    if value == "*":
        return "*"
    if "Fn::Join" in value:
        head, tail = value["Fn::Join"][1]
        return role_of_resource(head) + tail
    if "Fn::GetAtt" in value:
        return "FailureQueue" if value["Fn::GetAtt"][0].startswith("FailureQueue") else "own log"
    return role_of_import(value)


def role_of_import(value: Json) -> str:
    """Says which table, or its stream, an imported value belongs to."""
    name = value["Fn::ImportValue"]
    (found,) = (table for table in TABLES.values() if table in name)
    return f"{found} stream" if "StreamArn" in name else found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_may_do_what_it_does_and_no_more(stage: Stages, name: str) -> None:
    """Each action is allowed on exactly the tables and indexes that the code touches."""
    found: dict[str, set[str]] = {}
    for statement in statements_of(stage("prod"), name):
        assert statement["Effect"] == "Allow"
        for action in as_list(statement["Action"]):
            resource = {role_of_resource(each) for each in as_list(statement["Resource"])}
            found.setdefault(action, set()).update(resource)
    assert found == GRANTS[name] | LOGGING


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gets_the_variables_it_reads(stage: Stages, name: str) -> None:
    """Names of tables it uses, its stage and Powertools' own; nothing else."""
    for each in ("local", "dev", "prod"):
        variables = function(stage(each), name)[1]["Environment"]["Variables"]
        assert set(variables) == VARIABLES[name] | set(COMMON) | {names.ENV_STAGE}
        assert variables.items() >= (COMMON | {names.ENV_STAGE: each}).items()
        for variable, table in TABLES.items():
            if variable in variables:
                assert role_of_import(variables[variable]) == table


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("deployed", ["dev", "prod"])
def test_functions_run_on_arm64_and_one_python(stage: Stages, name: str, deployed: str) -> None:
    """Processor, Python and time limits on AWS."""
    _, properties = function(stage(deployed), name)
    assert properties["Architectures"] == ["arm64"]
    assert properties["Runtime"] == "python3.13"
    assert properties["Timeout"] == TIMEOUTS.get(name, 10)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_local_functions_run_on_this_machine(stage: Stages, name: str) -> None:
    """The emulator runs them on the Python and processor there are."""
    _, properties = function(stage("local"), name)
    arm = platform.machine().lower() in {"arm64", "aarch64"}
    assert properties["Architectures"] == ["arm64" if arm else "x86_64"]
    assert properties["Runtime"] == f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert properties["Timeout"] == TIMEOUTS.get(name, 60)


def test_logs_are_kept_for_thirty_days(stage: Stages) -> None:
    """Every function logs to a group of ours; no custom resource sets its retention."""
    template = stage("prod").service
    groups = resources(template, "AWS::Logs::LogGroup")
    assert {each["Properties"]["RetentionInDays"] for each in groups.values()} == {30}
    for name in FUNCTIONS:
        _, properties = function(stage("prod"), name)
        assert properties["LoggingConfig"]["LogGroup"]["Ref"] in groups
    kinds = {resource["Type"] for resource in template["Resources"].values()}
    assert not any(kind.startswith("Custom::") for kind in kinds)


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_the_mapping_counts_exactly_once(stage: Stages, name: str) -> None:
    """Each of these settings carries the design: see section 5 and the facts behind it."""
    mapping = only(stage(name).service, "AWS::Lambda::EventSourceMapping")
    count_id, _ = function(stage(name), names.COUNT)
    queue_id = next(iter(resources(stage(name).service, "AWS::SQS::Queue")))
    assert role_of_import(mapping.pop("EventSourceArn")) == "Scores stream"
    assert mapping == {
        "FunctionName": {"Ref": count_id},
        "BatchSize": 1_000,
        "MaximumBatchingWindowInSeconds": 1,
        "TumblingWindowInSeconds": 60,  # without it no event names its stream shard
        "ParallelizationFactor": 1,  # more is refused beside a window
        "StartingPosition": "TRIM_HORIZON",
        "MaximumRetryAttempts": -1,
        "MaximumRecordAgeInSeconds": 20 * 3600,  # under the 24 h of a stream, the 30 h of a mark
        "BisectBatchOnFunctionError": True,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "DestinationConfig": {"OnFailure": {"Destination": {"Fn::GetAtt": [queue_id, "Arn"]}}},
    }


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_failures_are_kept_encrypted_for_fourteen_days(stage: Stages, name: str) -> None:
    """As long as SQS keeps anything, and over TLS alone."""
    queue = only(stage(name).service, "AWS::SQS::Queue")
    assert queue == {"MessageRetentionPeriod": 14 * 24 * 3600, "SqsManagedSseEnabled": True}
    (statement,) = only(stage(name).service, "AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_a_deployment_puts_out_what_clients_look_up(stage: Stages, name: str) -> None:
    """The keys are a contract with the operator's command and the load tests."""
    outputs = stage(name).data["Outputs"] | stage(name).service["Outputs"]
    assert {key for key in outputs if not key.startswith("ExportsOutput")} == {
        names.OUTPUT_API_URL,
        names.OUTPUT_SCORES_TABLE,
        names.OUTPUT_COUNTERS_TABLE,
        names.OUTPUT_BOARDS_TABLE,
        names.OUTPUT_SUBMISSIONS_TABLE,
        names.OUTPUT_FAILURE_QUEUE_URL,
        *(f"{group}PolicyArn" for group in ("Submit", "Read", "Admin")),
        *(f"{name.capitalize()}FunctionName" for name in FUNCTIONS),
    }
    assert outputs[names.OUTPUT_API_URL]["Value"]["Fn::GetAtt"][1] == "ApiEndpoint"


@pytest.mark.parametrize("scheduled", names.SCHEDULED)
@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_scheduled_functions_run_by_a_rule_alone(stage: Stages, name: str, scheduled: str) -> None:
    """A rule calls each at its pace, and nothing else may."""
    template = stage(name).service
    function_id, _ = function(stage(name), scheduled)
    (rule,) = (
        one["Properties"]
        for one in resources(template, "AWS::Events::Rule").values()
        if one["Properties"]["Targets"][0]["Arn"]["Fn::GetAtt"][0] == function_id
    )
    assert len(rule["Targets"]) == 1
    assert (rule["ScheduleExpression"], rule["State"]) == (PACES[scheduled], "ENABLED")
    permissions = [
        one["Properties"]
        for one in resources(template, "AWS::Lambda::Permission").values()
        if one["Properties"]["FunctionName"]["Fn::GetAtt"][0] == function_id
    ]
    assert [one["Principal"] for one in permissions] == ["events.amazonaws.com"]
