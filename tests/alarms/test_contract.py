"""What holds for every alarm: name, limits, inputs, whom it tells and what they read."""

import json
import re
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

import pytest

from lambdas import names
from ops.rehearsal import Alarm
from stacks.monitoring_stack import SCHEDULED
from tests.alarms.conftest import PREFIX
from tests.alarms.documented import DOCUMENTED, INSIGHT_VALUES
from tests.alarms.rehearsals import REHEARSALS
from tests.infrastructure.templates import Json, only, resources

ROOT = Path(__file__).parents[2]
RUNBOOKS = ROOT / "docs" / "runbooks"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-(warning|critical)")
LINKED = re.compile(r"Runbook: (docs/runbooks/[a-z-]+\.md)$")
# A page for several functions or tables may write `*` for their name.
_NAMED = re.compile(r"`([a-z0-9*-]+-(?:warning|critical))`")
COMPOSITE = "players-notice-critical"
OWN_DIMENSIONS = {names.DIMENSION_STAGE, names.DIMENSION_FUNCTION}
SHARES = {"counters-write-share-warning", "hottest-counter-write-share-warning"}


def metrics_of(properties: Json) -> list[Json]:
    """The metrics that an alarm reads."""
    return [
        query["MetricStat"]["Metric"] for query in properties["Metrics"] if "MetricStat" in query
    ]


def dimensions_of(metric: Json) -> dict[str, Json]:
    """A metric's dimensions by name."""
    return {one["Name"]: one["Value"] for one in metric.get("Dimensions", [])}


@pytest.fixture
def composite(template: Json) -> Json:
    """The alarm that pages for what players notice."""
    return only(template, "AWS::CloudWatch::CompositeAlarm")


@pytest.fixture
def described(properties: Mapping[str, Json], composite: Json) -> dict[str, Json]:
    """Every alarm by its name within the stage, the composite one included."""
    return {**properties, COMPOSITE: composite}


def test_names_say_subject_failure_and_severity(described: Mapping[str, Json]) -> None:
    """After the stage, since an alarm's name is unique in an account and region."""
    assert all(NAME.fullmatch(name) for name in described)
    assert all(one["AlarmName"].startswith(PREFIX) for one in described.values())


def test_descriptions_lead_to_a_runbook(described: Mapping[str, Json]) -> None:
    """Whoever is told can read on; CloudWatch takes 1,024 characters."""
    for name, one in described.items():
        assert len(one["AlarmDescription"]) <= 1_024, name
        found = LINKED.search(one["AlarmDescription"])
        assert found, name
        page = ROOT / found[1]
        assert page.is_file(), name
        named = _NAMED.findall(page.read_text())
        assert any(fnmatch(name, one) for one in named), f"{page.name} does not name {name}"


def test_runbooks_name_alarms_there_are(described: Mapping[str, Json]) -> None:
    """A page for an alarm that was renamed misleads, and the index has every page."""
    index = (RUNBOOKS / "README.md").read_text()
    for page in RUNBOOKS.glob("*.md"):
        for named in _NAMED.findall(page.read_text()):
            assert any(fnmatch(name, named) for name in described), f"{page.name}: {named}"
        assert page.name == "README.md" or f"({page.name})" in index


def test_missing_data_is_decided_and_explained(properties: Mapping[str, Json]) -> None:
    """Absence is bad where it is what the alarm looks for, and nowhere else."""
    for name, one in properties.items():
        expected = "breaching" if REHEARSALS[name].heartbeat else "notBreaching"
        assert one["TreatMissingData"] == expected, name
        assert re.search(rf"Missing data is {expected}: \w[^.]{{20,}}\.", one["AlarmDescription"])


def test_an_alarm_keeps_to_what_cloudwatch_takes(properties: Mapping[str, Json]) -> None:
    """Ten metrics, ten expressions, one series returned, a day looked back over at most.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
    """
    for name, one in properties.items():
        queries = one["Metrics"]
        assert sum("MetricStat" in query for query in queries) <= 10, name
        assert sum("Expression" in query for query in queries) <= 10, name
        assert sum(query["ReturnData"] for query in queries) == 1, name
        periods = {query["MetricStat"]["Period"] for query in queries if "MetricStat" in query}
        assert max(periods) * one["EvaluationPeriods"] <= 86_400, name
        assert 1 < one["DatapointsToAlarm"] <= one["EvaluationPeriods"], name


def test_every_input_is_filled(alarms: Mapping[str, Alarm]) -> None:
    """Of DynamoDB above all: an alarm on a gap of its metrics keeps its state."""
    for name, alarm in alarms.items():
        text = " ".join(alarm.expressions.values())
        for id_ in alarm.inputs:
            rest = re.sub(rf"FILL\({id_}, \d+\)", "", text)
            assert rest != text, f"{name}: {id_} is not read"
            assert not re.search(rf"\b{id_}\b", rest), f"{name}: {id_} is read unfilled"


def test_metrics_of_aws_are_documented_ones(properties: Mapping[str, Json]) -> None:
    """A metric or dimension that AWS does not have is no error there: it has no data, for ever."""
    for name, one in properties.items():
        for metric in metrics_of(one):
            if metric["Namespace"] == names.METRIC_NAMESPACE:
                continue
            page = DOCUMENTED[metric["Namespace"]]
            assert metric["MetricName"] in page.metrics, name
            assert frozenset(dimensions_of(metric)) in page.dimensions, name


def test_metrics_of_ours_are_emitted_by_that_function(properties: Mapping[str, Json]) -> None:
    """By a name that stands in its code, by stage and function, never by board or player."""
    constants = {
        value: constant
        for constant, value in vars(names).items()
        if constant.startswith("METRIC_")
        if isinstance(value, str)
    }
    for name, one in properties.items():
        for metric in metrics_of(one):
            if metric["Namespace"] != names.METRIC_NAMESPACE:
                continue
            of = dimensions_of(metric)
            assert set(of) == OWN_DIMENSIONS, name
            assert of[names.DIMENSION_STAGE] == "prod", name
            constant = constants[metric["MetricName"]]
            assert f"names.{constant}" in _code_of(of[names.DIMENSION_FUNCTION]), name


def test_every_metric_of_ours_is_emitted_and_documented() -> None:
    """A name that no code emits is a leftover; one that no page explains helps nobody."""
    code = "\n".join(file.read_text() for file in sorted((ROOT / "lambdas").rglob("*.py")))
    page = (ROOT / "docs" / "operations.md").read_text()
    for constant in (name for name in vars(names) if name.startswith("METRIC_")):
        if constant == "METRIC_NAMESPACE":
            continue
        assert len(re.findall(rf"\b{constant}\b", code)) > 1, constant
        values = vars(names)[constant]
        for value in [values] if isinstance(values, str) else values.values():
            assert f"`{value}`" in page, value


def _code_of(function: str) -> str:
    """What a function emits with: its handler, and for those of the API what they share."""
    files = [ROOT / "lambdas" / "handlers" / f"{function}.py"]
    if function in names.ROUTES:
        files += sorted((ROOT / "lambdas" / "api").glob("*.py"))
    return "\n".join(file.read_text() for file in files)


def test_a_share_reads_every_table_and_index_that_is_written(
    properties: Mapping[str, Json], data: Json
) -> None:
    """A table's own units leave out its indexes; whoever adds one must add it here."""
    indexes = {
        index["IndexName"]
        for table in resources(data, "AWS::DynamoDB::GlobalTable").values()
        for index in table["Properties"].get("GlobalSecondaryIndexes", [])
    }
    tables = {key for key in data["Outputs"] if key.endswith("TableName")}
    for name in SHARES:
        found = [dimensions_of(metric) for metric in metrics_of(properties[name])]
        assert {of["GlobalSecondaryIndexName"] for of in found if len(of) == 2} == indexes
        # Boards are written by hand, now and then.
        assert len({str(of["TableName"]) for of in found}) == len(tables) - 1


def test_what_runs_on_a_schedule_is_watched_at_its_pace(service: Json) -> None:
    """Alarms of a minute on a function that is called every five would never fire."""
    rates = {}
    for rule in resources(service, "AWS::Events::Rule").values():
        (target,) = rule["Properties"]["Targets"]
        called = service["Resources"][target["Arn"]["Fn::GetAtt"][0]]["Properties"]
        rates[called["Handler"].split(".")[2]] = rule["Properties"]["ScheduleExpression"]
    assert rates == {
        function: f"rate({every.to_minutes():g} minute{'s' * (every.to_minutes() > 1)})"
        for function, every in SCHEDULED.items()
    }


def test_the_rule_reads_what_the_count_function_logs(
    template: Json, alarms: Mapping[str, Alarm]
) -> None:
    """Its name is that of the alarm's expression: a wrong one would not be noticed."""
    rule = only(template, "AWS::CloudWatch::InsightRule")
    read = {each for alarm in alarms.values() for each in alarm.rules.values()}
    assert {name for name, _ in read} == {rule["RuleName"]}
    assert {value for _, value in read} <= INSIGHT_VALUES.metrics
    head, log_group, tail = rule["RuleBody"]["Fn::Join"][1]
    body = json.loads(f"{head}LOG{tail}")
    assert "CountLogs" in log_group["Fn::ImportValue"]
    assert body["LogGroupNames"] == ["LOG"]
    assert body["Contribution"] == {
        "Keys": [f"$.{names.LOG_COUNTER_ITEM}"],
        "ValueOf": f"$.{names.LOG_WRITE_UNITS}",
        "Filters": [{"Match": "$.message", "In": [names.LOG_ROOT_UPDATED]}],
    }


def topic_of(template: Json, name: str) -> Json:
    """What refers to a topic, found by the output that names it."""
    return [template["Outputs"][f"{name}TopicArn"]["Value"]]


def test_an_incident_pages_once(
    template: Json, properties: Mapping[str, Json], composite: Json
) -> None:
    """What players notice pages as one, other critical alarms by themselves; warnings do not."""
    tickets, pages = topic_of(template, "Tickets"), topic_of(template, "Pages")
    assert tickets != pages
    ids = {
        one["Properties"]["AlarmName"].removeprefix(PREFIX): logical_id
        for logical_id, one in resources(template, "AWS::CloudWatch::Alarm").items()
    }
    rule = json.dumps(composite["AlarmRule"])
    for name, one in properties.items():
        is_noticed = f'"{ids[name]}"' in rule
        pages_itself = name.endswith("-critical") and not is_noticed
        assert one["AlarmActions"] == one["OKActions"] == (pages if pages_itself else tickets), name
        assert not is_noticed or name.endswith("-critical"), name
    assert composite["AlarmActions"] == composite["OKActions"] == pages


def test_only_this_accounts_alarms_may_publish(template: Json) -> None:
    """Over TLS, from CloudWatch, and for no other account."""
    policies = resources(template, "AWS::SNS::TopicPolicy").values()
    assert len(policies) == 2
    for policy in policies:
        deny, allow = policy["Properties"]["PolicyDocument"]["Statement"]
        assert (deny["Effect"], allow["Effect"]) == ("Deny", "Allow")
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        assert allow["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
        assert allow["Condition"] == {
            "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
        }
