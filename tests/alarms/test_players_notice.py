"""The alarm that pages: on while any of those that players notice is, and off with the last."""

from collections.abc import Mapping

import pytest

from ops.rehearsal import Alarm, State, any_fires, replay, rule_of
from tests.alarms.conftest import PREFIX
from tests.alarms.rehearsals import REHEARSALS
from tests.alarms.test_rehearsals import LONG, steady, then
from tests.infrastructure.templates import Json, only

NOTICED = (
    "count-lag-critical",
    "count-stopped-critical",
    "gateway-errors-critical",
    "read-api-errors-critical",
    "read-api-slow-critical",
    "submit-api-errors-critical",
    "submit-api-slow-critical",
)


@pytest.fixture
def rule(template: Json) -> str:
    """The composite alarm's rule, alarms by their names within the stage."""
    composite = only(template, "AWS::CloudWatch::CompositeAlarm")
    return rule_of(composite, template["Resources"]).replace(PREFIX, "")


def test_it_reads_what_players_can_notice(rule: str) -> None:
    """Errors, slowness, and ranks that are minutes old; nothing else wakes anybody."""
    assert not any_fires(rule, dict.fromkeys(NOTICED, State.OK))
    for name in NOTICED:
        with pytest.raises(KeyError):
            any_fires(rule, {one: State.OK for one in NOTICED if one != name})


@pytest.mark.parametrize("name", NOTICED)
def test_it_fires_and_clears_with_each(rule: str, alarms: Mapping[str, Alarm], name: str) -> None:
    """Over the whole of that alarm's own rehearsal, the others at peace."""
    part = REHEARSALS[name]
    states = replay(alarms[name], then(steady(part.near), steady(part.breach), steady(part.near)))
    pages = [any_fires(rule, {**dict.fromkeys(NOTICED, State.OK), name: one}) for one in states]
    assert pages == [state is State.ALARM for state in states]
    assert (pages[LONG - 1], any(pages), pages[-1]) == (False, True, False)
