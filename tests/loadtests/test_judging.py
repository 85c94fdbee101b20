"""How a run is judged: load reached or not, objectives met or not, and the code it ends with."""

import itertools
from typing import Any

import pytest

from loadtests import objectives, starting
from loadtests.cost import dollars
from loadtests.objectives import Objective, judge
from loadtests.phases import Part, Phase, outcome_of, share_of
from loadtests.run import AWS, LOCAL, RIG, Run
from loadtests.suites import SUITES
from loadtests.verdict import EXIT_CODES, word_for

OPEN = Phase(label="steady", seconds=10, in_flight=8, rate=20)
CLOSED = Phase(label="8 in flight", seconds=60, in_flight=8, count=100)


def part(**changed: Any) -> Part:
    found: dict[str, Any] = {
        "offered": 200,
        "begun": 200,
        "done": 200,
        "seconds": 10.0,
        "in_flight": 8.0,
        "cpu": 0.2,
        "cpu_seconds": 2.0,
        "late_seconds": 0.0,
    }
    return Part(**found | changed)


@pytest.mark.parametrize(
    ("phase", "parts", "says"),
    [
        (OPEN, [part()], ""),
        (OPEN, [part(done=100), part(done=100)], ""),
        (OPEN, [part(done=189)], "18.9 of 20 operations a second"),
        (OPEN, [part(cpu=0.9)], "saturated: 90% of a core"),
        (OPEN, [part(done=100), part(done=100, cpu=0.99)], "saturated: 99% of a core"),
        (OPEN, [part(late_seconds=0.3)], "starved"),
        (OPEN, [], "0 of 20 operations a second"),
        (CLOSED, [part(done=100, in_flight=7.9)], ""),
        (CLOSED, [part(done=50, in_flight=3.9), part(done=50, in_flight=3.9)], ""),
        (CLOSED, [part(done=100, in_flight=5.0)], "5 of 8 in flight"),
        (CLOSED, [part(done=60)], "60 of 100 operations in time"),
    ],
)
def test_load_is_reached_or_said_not_to_be(phase: Phase, parts: list[Part], says: str) -> None:
    """Too few operations in time, too few in flight, a client that could do no more."""
    why = outcome_of(phase, 0.0, 10.0, parts).why_not
    assert why == "" if not says else says in why


def test_processes_share_a_whole_without_rest() -> None:
    for whole, of in itertools.product(range(20), range(1, 6)):
        assert sum(share_of(whole, index, of) for index in range(of)) == whole


def test_every_way_to_end_has_a_code_of_its_own() -> None:
    assert len(set(EXIT_CODES.values())) == len(EXIT_CODES)


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ({}, "objectives met"),
        ({"missed": True}, "objective missed"),
        ({"reached": False}, "load not reached"),
        ({"reached": False, "missed": True}, "load not reached"),
        ({"reached": False, "missed_always": True}, "objective missed"),
        ({"finished": False}, "not finished"),
        ({"finished": False, "missed": True}, "not finished"),
        ({"fault": True, "missed_always": True, "finished": False}, "client at fault"),
    ],
)
def test_the_gravest_word_wins(state: dict[str, bool], word: str) -> None:
    """A wrong answer counts whatever the load; nothing else does where the load was not there."""
    asked = {"fault": False, "finished": True, "reached": True, "missed": False}
    assert word_for(**asked | {"missed_always": False} | state) == word  # type: ignore[arg-type]


def test_each_match_is_judged_and_what_was_not_measured_is_not_met() -> None:
    lines = judge(
        [
            Objective(measure="* p99 ms", at_most=100),
            Objective(measure="taken share", at_least=1.0),
            Objective(measure="gone", at_most=0),
        ],
        {"a p99 ms": 100, "b p99 ms": 101, "taken share": 0.999},
        reached=True,
    )
    assert [(one.measure, one.verdict) for one in lines] == [
        ("a p99 ms", "met"),
        ("b p99 ms", "missed"),
        ("taken share", "missed"),
        ("gone", "not measured"),
    ]


def test_without_the_load_only_what_always_holds_is_judged() -> None:
    objective = Objective(measure="x", at_most=1)
    always = Objective(measure="x", at_most=1, always=True)
    lines = judge([objective, always], {"x": 2}, reached=False)
    assert [one.verdict for one in lines] == ["not judged", "missed"]


@pytest.mark.parametrize("bounds", [{}, {"at_most": 1, "at_least": 0}])
def test_an_objective_has_one_bound(bounds: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="set one of"):
        Objective(measure="x", **bounds)


@pytest.mark.parametrize("where", [RIG, LOCAL, AWS])
@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_has_sizes_objectives_and_a_price_everywhere(suite: str, where: str) -> None:
    """The file reads, and what the suite calls has units."""
    kind = SUITES[suite]
    units_are_flat = (suite, where) == ("capacity", LOCAL)  # so nothing is asked of them
    assert bool(objectives.read(suite, where)) != units_are_flat
    assert kind.question.endswith("?")
    run = Run(
        suite=suite,
        stage=where,
        board="load-x",
        started="20261201T004030Z",
        directory="",
        sizes=kind.sizes[where],
    )
    price = dollars(starting.calls_of(kind(run)))
    assert 0 < price < 20
    assert kind(run).phases()[0].measured is False
