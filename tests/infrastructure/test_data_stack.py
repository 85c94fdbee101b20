"""The tables: what the code leans on, and what protects what cannot be made again."""

from collections.abc import Callable

import pytest

from lambdas import names
from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames, definitions
from tests.infrastructure.templates import Json, Stage, resources, table

Stages = Callable[[str], Stage]
TABLES = ("Scores", "Counters", "Boards", "Submissions")


def create_table_arguments(name: str, resource: Json) -> Json:
    """Returns the `CreateTable` call that means the same as a template's table."""
    properties = resource["Properties"]
    arguments = {
        key: properties[key] for key in ("AttributeDefinitions", "BillingMode", "KeySchema")
    }
    if "GlobalSecondaryIndexes" in properties:
        arguments["GlobalSecondaryIndexes"] = properties["GlobalSecondaryIndexes"]
    if "StreamSpecification" in properties:
        arguments["StreamSpecification"] = properties["StreamSpecification"] | {
            "StreamEnabled": True
        }
    return {"TableName": name} | arguments


def in_order(arguments: Json) -> Json:
    """Attribute definitions have no order."""
    ordered = sorted(arguments["AttributeDefinitions"], key=lambda it: it["AttributeName"])
    return arguments | {"AttributeDefinitions": ordered}


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_the_rig_has_the_same_tables(stage: Stages, name: str) -> None:
    """Keys, index, projection, stream and TTL are one on AWS, emulator and rig."""
    rig = TableNames()
    found = [create_table_arguments(each, table(stage(name), each)) for each in TABLES]
    assert [in_order(each) for each in found] == [in_order(each) for each in definitions(rig)]
    ttl = [table(stage(name), each)["Properties"].get("TimeToLiveSpecification") for each in TABLES]
    on = {"AttributeName": names.EXPIRES_AT, "Enabled": True}
    assert ttl == [on, on, None, on]


def test_the_engine_accepts_the_synthesized_tables(
    stage: Stages, dynamodb_local: DynamoDBLocal
) -> None:
    """What the template declares, DynamoDB makes."""
    client = dynamodb_local.client()
    for name in TABLES:
        arguments = create_table_arguments(f"Synthesized{name}", table(stage("prod"), name))
        made = client.create_table(**arguments)["TableDescription"]
        assert made["TableStatus"] == "ACTIVE"
        client.delete_table(TableName=f"Synthesized{name}")


def test_scores_stream_both_images(stage: Stages) -> None:
    """Counting folds the old image out and the new one in."""
    scores = table(stage("prod"), "Scores")["Properties"]
    assert scores["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    for name in ("Counters", "Boards", "Submissions"):
        assert "StreamSpecification" not in table(stage("prod"), name)["Properties"]


def test_the_indexes_hold_keys_only(stage: Stages) -> None:
    """A count reads the smallest entry there is; CDK's default would copy every attribute."""
    indexes = table(stage("prod"), "Scores")["Properties"]["GlobalSecondaryIndexes"]
    assert [index["IndexName"] for index in indexes] == [names.RANK_INDEX, names.EXPIRY_INDEX]
    for index in indexes:
        assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def test_production_keeps_every_table(stage: Stages) -> None:
    """Neither a deleted stack nor a replaced table takes items with it."""
    for name in TABLES:
        resource = table(stage("prod"), name)
        (replica,) = resource["Properties"]["Replicas"]
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
        assert replica["DeletionProtectionEnabled"] is True
        assert replica["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True


def test_dev_protects_what_cannot_be_rebuilt(stage: Stages) -> None:
    """Outside throw-away stages scores and ledger refuse deletion and can be restored."""
    for name in TABLES:
        (replica,) = table(stage("dev"), name)["Properties"]["Replicas"]
        assert replica["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
        assert replica["DeletionProtectionEnabled"] is (name in ("Scores", "Submissions"))


def test_local_leaves_nothing_behind(stage: Stages) -> None:
    """A throw-away stage goes as a whole."""
    for name in TABLES:
        resource = table(stage("local"), name)
        (replica,) = resource["Properties"]["Replicas"]
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Delete"
        assert replica["DeletionProtectionEnabled"] is False


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_ids_of_tables_are_a_contract(stage: Stages, name: str) -> None:
    """Another logical id is another table, without the items: never change these."""
    tables = resources(stage(name).data, "AWS::DynamoDB::GlobalTable")
    assert set(tables) == {
        "Scores40F397BD",
        "CountersFDB211E7",
        "Boards3273F20B",
        "SubmissionsDC7188AC",
    }
    assert all("TableName" not in resource["Properties"] for resource in tables.values())
