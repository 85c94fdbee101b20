"""The alarms of a stage, as its synthesized template states them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pytest

from ops.rehearsal import Alarm
from tests.infrastructure.conftest import stage as stage
from tests.infrastructure.templates import Json, Stage, resources

PREFIX = "Tallyboard-prod-"


@pytest.fixture(scope="session")
def template(stage: Callable[[str], Stage]) -> Json:
    """The template of production's monitoring."""
    return stage("prod").monitoring


@pytest.fixture(scope="session")
def data(stage: Callable[[str], Stage]) -> Json:
    """The template of production's tables."""
    return stage("prod").data


@pytest.fixture(scope="session")
def service(stage: Callable[[str], Stage]) -> Json:
    """The template of production's functions."""
    return stage("prod").service


@pytest.fixture(scope="session")
def properties(template: Json) -> Mapping[str, Json]:
    """The properties of each metric alarm, by its name within the stage."""
    found = (one["Properties"] for one in resources(template, "AWS::CloudWatch::Alarm").values())
    return MappingProxyType({one["AlarmName"].removeprefix(PREFIX): one for one in found})


@pytest.fixture(scope="session")
def alarms(properties: Mapping[str, Json]) -> Mapping[str, Alarm]:
    """Each metric alarm, by its name within the stage."""
    return MappingProxyType({name: Alarm.of_properties(one) for name, one in properties.items()})
