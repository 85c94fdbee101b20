"""What holds for every widget of the dashboards, and that the pictures draw all of them."""

import copy
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lambdas import names
from ops.metrics import Metric, Recorder, rig_names
from ops.pictures.body import DASHBOARDS, bodies
from ops.pictures.draw import UnknownWidgetError, draw
from ops.pictures.lines import lines_of
from ops.rehearsal import UnknownMathError
from tests.alarms.documented import DOCUMENTED
from tests.alarms.test_contract import OWN_DIMENSIONS, ROOT, _code_of
from tests.infrastructure.templates import Json, only

MINUTES = 6
RUNBOOK = re.compile(r"`(docs/runbooks/[a-z-]+\.md)`")


@pytest.fixture(scope="module")
def dashboards(template: Json, service: Json, data: Json) -> Mapping[str, Json]:
    """The body of each dashboard, with the rig's names."""
    return bodies({"Monitoring": template, "Service": service, "Data": data}, "prod")


def graphs(dashboards: Mapping[str, Json]) -> Iterator[Json]:
    """The properties of every graph."""
    for body in dashboards.values():
        yield from (one["properties"] for one in body["widgets"] if one["type"] == "metric")


def metrics(dashboards: Mapping[str, Json]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Namespace, name and dimensions of every metric that a graph reads."""
    for properties in graphs(dashboards):
        for row in properties.get("metrics", []):
            said = [one for one in row if isinstance(one, str)]
            if said:
                assert "." not in said, "a row that leaves out what the last one said"
                namespace, name, *pairs = said
                yield namespace, name, dict(zip(pairs[::2], pairs[1::2], strict=True))


@pytest.fixture
def recorded(dashboards: Mapping[str, Json]) -> Recorder:
    """A value a minute for every metric that is drawn, and two hot items."""
    recorder = Recorder()
    for namespace, name, of in metrics(dashboards):
        for minute in range(MINUTES):
            stage = {names.DIMENSION_STAGE: names.STAGE_RIG} if names.DIMENSION_STAGE in of else {}
            recorder.add(Metric.of(namespace, name, of | stage), 7 + minute, minute * 60.0)
    for minute in range(MINUTES):
        recorder.contributed("arena#all#1# 0", 5, minute * 60.0)
        recorder.contributed("arena#all#1# 1", 9, minute * 60.0)
    return recorder


def test_there_are_two_and_their_names_say_the_stage(dashboards: Mapping[str, Json]) -> None:
    """Names of dashboards are unique in an account."""
    assert tuple(dashboards) == DASHBOARDS


def test_every_metric_is_one_that_aws_documents_or_a_function_emits(
    dashboards: Mapping[str, Json],
) -> None:
    """By its documented dimensions, or by stage and the function whose code names it."""
    constants = {
        value: f"names.{constant}"
        for constant, value in vars(names).items()
        if constant.startswith("METRIC_")
        if isinstance(value, str)
    } | dict.fromkeys(names.METRIC_OUTCOMES.values(), "seen.counts()")
    seen = 0
    for namespace, name, of in metrics(dashboards):
        seen += 1
        if namespace != names.METRIC_NAMESPACE:
            assert name in DOCUMENTED[namespace].metrics, name
            assert frozenset(of) in DOCUMENTED[namespace].dimensions, name
            assert set(of.values()) <= {*rig_names().values(), *_FIXED}, of
            continue
        assert set(of) == OWN_DIMENSIONS, name
        assert of[names.DIMENSION_STAGE] == "prod", name
        assert constants[name] in _code_of(of[names.DIMENSION_FUNCTION]), name
    assert seen > 100


_FIXED = {"$default", names.RANK_INDEX, names.EXPIRY_INDEX}


def test_every_threshold_is_that_of_an_alarm(
    dashboards: Mapping[str, Json], properties: Mapping[str, Json]
) -> None:
    """A line that no alarm goes by would be believed."""
    drawn = [
        one
        for graph in graphs(dashboards)
        for one in graph.get("annotations", {}).get("horizontal", [])
    ]
    assert len(drawn) > 15
    for one in drawn:
        assert one["value"] == properties[one["label"]]["Threshold"], one["label"]


def test_texts_say_what_good_looks_like_and_lead_to_runbooks(
    dashboards: Mapping[str, Json],
) -> None:
    """Each names pages that are there."""
    for body in dashboards.values():
        said = "\n".join(
            one["properties"]["markdown"] for one in body["widgets"] if one["type"] == "text"
        )
        assert said.count("**Good**") >= 3
        pages = RUNBOOK.findall(said)
        assert len(pages) >= 4
        assert all((ROOT / page).is_file() for page in pages)


def test_the_hottest_items_are_those_of_the_stages_rule(
    dashboards: Mapping[str, Json], template: Json
) -> None:
    """A wrong name draws nothing, and says nothing."""
    (shown,) = [one["insightRule"] for one in graphs(dashboards) if "insightRule" in one]
    assert shown["ruleName"] == only(template, "AWS::CloudWatch::InsightRule")["RuleName"]


def test_every_line_of_every_widget_has_values(
    dashboards: Mapping[str, Json], recorded: Recorder
) -> None:
    """Where its metrics have some: a misspelt id or dimension would leave it empty."""
    for body in dashboards.values():
        for widget in body["widgets"]:
            if widget["type"] != "metric":
                continue
            lines = lines_of(widget, recorded)
            assert lines
            for line in lines:
                assert line.values, line.label
                assert None not in line.values, line.label


def test_a_picture_of_each_is_drawn(
    dashboards: Mapping[str, Json], recorded: Recorder, tmp_path: Path
) -> None:
    """With metrics, and with none at all."""
    for name, body in dashboards.items():
        for recorder in (recorded, Recorder()):
            draw(body, recorder, name, tmp_path / f"{name}.png")
            assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_what_is_not_known_is_not_drawn(
    dashboards: Mapping[str, Json], recorded: Recorder, tmp_path: Path
) -> None:
    """Rather than left out of a picture that claims to show all."""
    body = copy.deepcopy(dashboards["service"])
    body["widgets"][0]["type"] = "explorer"
    with pytest.raises(UnknownWidgetError, match="explorer"):
        draw(body, recorded, "", tmp_path / "x.png")
    body = copy.deepcopy(dashboards["service"])
    graph = next(one for one in body["widgets"] if one["type"] == "metric")
    graph["properties"]["metrics"].append([{"expression": "ANOMALY_DETECTION_BAND(m1)"}])
    with pytest.raises(UnknownMathError):
        draw(body, recorded, "", tmp_path / "x.png")
