"""Each alarm is rehearsed: it fires on its breach, clears after it, and is silent otherwise."""

from collections.abc import Callable, Iterable, Mapping

import pytest

from ops.rehearsal import Alarm, Series, State, replay
from tests.alarms.rehearsals import REHEARSALS, Rehearsal, Values

LONG = 20  # periods, more than any alarm looks back over
NAMES = sorted(REHEARSALS)


@pytest.fixture(params=NAMES)
def rehearsed(
    request: pytest.FixtureRequest, alarms: Mapping[str, Alarm]
) -> tuple[Alarm, Rehearsal]:
    """An alarm with its part."""
    return alarms[request.param], REHEARSALS[request.param]


def steady(values: Values, periods: int = LONG) -> dict[str, list[float | None]]:
    """Series that keep their values."""
    return {name: [value] * periods for name, value in values.items()}


def then(*parts: Mapping[str, list[float | None]]) -> dict[str, list[float | None]]:
    """Series one after the other."""
    return {name: [point for part in parts for point in part[name]] for name in parts[0]}


def nothing(alarm: Alarm, periods: int = LONG) -> dict[str, list[float | None]]:
    """No data at all."""
    return {name: [None] * periods for name in alarm.inputs}


def without(
    series: Mapping[str, list[float | None]], missing: Callable[[str, int], bool]
) -> dict[str, Series]:
    """Series with some points gone."""
    return {
        name: [None if missing(name, at) else point for at, point in enumerate(points)]
        for name, points in series.items()
    }


def settled(states: Iterable[State]) -> list[State]:
    """The states of an alarm once it has seen enough to decide."""
    return list(states)[LONG // 2 :]


def test_every_alarm_is_rehearsed(alarms: Mapping[str, Alarm]) -> None:
    """An alarm without a rehearsal, or a rehearsal without an alarm, is a finding."""
    assert set(REHEARSALS) == set(alarms)


def test_a_rehearsal_names_every_input(rehearsed: tuple[Alarm, Rehearsal]) -> None:
    """So that nothing is left to what a missing input happens to do."""
    alarm, part = rehearsed
    for values in (part.near, part.breach, part.trickle):
        assert values is None or set(values) == set(alarm.inputs)
    assert part.blind_without <= set(alarm.inputs)


def test_an_alarm_is_silent_in_a_stage_that_nobody_uses(
    rehearsed: tuple[Alarm, Rehearsal],
) -> None:
    """From the first minute on, and for good; what should have run is missed."""
    alarm, part = rehearsed
    states = set(settled(replay(alarm, nothing(alarm))))
    assert states == {State.ALARM if part.heartbeat else State.OK}


def test_an_alarm_is_silent_next_to_its_threshold(rehearsed: tuple[Alarm, Rehearsal]) -> None:
    """As bad as it may get is not too bad, however long it lasts."""
    alarm, part = rehearsed
    assert State.ALARM not in replay(alarm, steady(part.near))


def test_an_alarm_is_silent_at_a_trickle(rehearsed: tuple[Alarm, Rehearsal]) -> None:
    """Ratios of next to nothing harm nobody."""
    alarm, part = rehearsed
    trickle = part.near if part.trickle is None else part.trickle
    assert State.ALARM not in replay(alarm, steady(trickle))


def test_an_alarm_fires_on_its_breach_and_clears_after_it(
    rehearsed: tuple[Alarm, Rehearsal],
) -> None:
    """Both as soon as M of N allow, not sooner and not later."""
    alarm, part = rehearsed
    states = replay(alarm, then(steady(part.near), steady(part.breach), steady(part.near)))
    fired = [at for at, state in enumerate(states) if state is State.ALARM]
    first, last = LONG + alarm.bad - 1, 2 * LONG + alarm.of - alarm.bad - 1
    assert fired == list(range(first, last + 1))


def test_an_alarm_is_silent_after_a_single_bad_period(rehearsed: tuple[Alarm, Rehearsal]) -> None:
    """Nobody is to be woken by one minute."""
    alarm, part = rehearsed
    states = replay(alarm, then(steady(part.near), steady(part.breach, 1), steady(part.near)))
    assert State.ALARM not in states


def test_gaps_neither_fire_an_alarm_nor_hold_it_back(rehearsed: tuple[Alarm, Rehearsal]) -> None:
    """Every fifth period nothing is reported, of anything."""
    alarm, part = rehearsed
    near = without(steady(part.near), lambda _, at: at % 5 == 4)
    assert State.ALARM not in replay(alarm, near)
    breach = without(steady(part.breach), lambda _, at: at % 5 == 4)
    assert State.ALARM in replay(alarm, breach)


def test_the_newest_point_may_be_late(rehearsed: tuple[Alarm, Rehearsal]) -> None:
    """A metric that lags by a period is filled there, and neither fires nor clears an alarm."""
    alarm, part = rehearsed
    for values, firing in ((part.near, False), (part.breach, True)):
        states = [
            replay(alarm, without(steady(values, end), lambda _, at, end=end: at == end - 1))[-1]
            for end in range(LONG // 2, LONG)
        ]
        assert {state is State.ALARM for state in states} == {firing}


def test_one_missing_input_hides_a_breach_only_where_it_must(
    rehearsed: tuple[Alarm, Rehearsal],
) -> None:
    """And none fires an alarm by its absence, unless it is the absence that is watched."""
    alarm, part = rehearsed
    blind = set()
    for gone in alarm.inputs:
        near = without(steady(part.near), lambda name, _, gone=gone: name == gone)
        if not part.heartbeat and gone not in ABSENCE_IS_WATCHED.get(alarm.name, ()):
            assert State.ALARM not in replay(alarm, near), gone
        breach = without(steady(part.breach), lambda name, _, gone=gone: name == gone)
        if State.ALARM not in replay(alarm, breach):
            blind.add(gone)
    assert blind == part.blind_without


ABSENCE_IS_WATCHED = {
    # Writes that nobody is called for; without them, or without the index, a share grows.
    "Tallyboard-prod-count-stopped-critical": {"calls"},
    "Tallyboard-prod-counters-write-share-warning": {"scores", "by_rank", "submissions"},
    "Tallyboard-prod-hottest-counter-write-share-warning": {"counters", "scores", "by_rank"},
}
