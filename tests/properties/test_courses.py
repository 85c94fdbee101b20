"""Courses: whatever an operator does to a zone, windows tile time and none opens twice."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.courses import Course
from lambdas.domain.windows import Window, WindowKind, window_at
from tests.instants import ms

HOUR_MS = 3_600_000
ZONES = (
    *("Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Apia", "Australia/Lord_Howe"),
    *("Europe/Berlin", "America/New_York", "UTC", "Asia/Kolkata"),
)
STARTS = st.sampled_from(
    [ms("2011-12-28"), ms("2026-03-28"), ms("2026-10-03"), ms("2026-12-30T23:00")]
)
PAUSES = st.one_of(
    st.integers(1, 3 * HOUR_MS), st.integers(1, 60 * HOUR_MS), st.sampled_from([HOUR_MS, 10**9])
)
KINDS = st.sampled_from(["daily", "daily", "weekly", "monthly"])
Steps = list[tuple[int, str | None]]


def steps_of(zones: st.SearchStrategy[str | None]) -> st.SearchStrategy[Steps]:
    """Changes with the time that passes before each."""
    return st.lists(st.tuples(PAUSES, zones), min_size=1, max_size=8)


def history(kind: WindowKind, first: str, start_ms: int, steps: Steps) -> list[tuple[int, Course]]:
    """The course as it was known from each instant on."""
    known = [(start_ms, Course.along(kind, first))]
    for pause, zone in steps:
        since_ms = known[-1][0] + pause
        known.append((since_ms, known[-1][1].changed(zone, since_ms)))
    return known


def opened(course: Course, from_ms: int, until_ms: int) -> list[Window]:
    """The windows that a course had open in a stretch of time."""
    windows = list[Window]()
    at_ms = from_ms
    while at_ms < until_ms:
        window = course.latest(at_ms)
        assert window is not None
        if window.holds(at_ms):
            windows.append(window)
            assert window.end_ms is not None
            at_ms = window.end_ms
        else:
            at_ms += HOUR_MS // 2
    return windows


@given(KINDS, st.sampled_from(ZONES), STARTS, steps_of(st.sampled_from(ZONES)))
@example("daily", ZONES[0], ms("2026-11-30"), [(1, ZONES[1])])
@example("daily", ZONES[1], ms("2026-11-30"), [(1, ZONES[0])])
@example("daily", ZONES[0], ms("2026-11-30"), [(1, ZONES[1]), (12 * HOUR_MS, ZONES[0])])
def test_windows_tile_time(kind: WindowKind, first: str, start_ms: int, steps: Steps) -> None:
    """Each starts where the last one ends, has a later name, and is found by it and by instant."""
    last_ms, course = history(kind, first, start_ms, steps)[-1]
    windows = opened(course, start_ms - 3 * 24 * HOUR_MS, last_ms + 40 * 24 * HOUR_MS)
    for one, following in pairwise(windows):
        assert one.start_ms < following.start_ms == one.end_ms
        assert one.name < following.name
    for one in windows:
        assert one.end_ms is not None
        assert course.named(one.name) == one
        middle_ms = (one.start_ms + one.end_ms) // 2
        assert {course.latest(at) for at in (one.start_ms, middle_ms, one.end_ms - 1)} == {one}
    settled_ms = windows[-1].end_ms or 0
    assert course.latest(settled_ms) == window_at(kind, steps[-1][1] or first, settled_ms)


@given(
    KINDS,
    st.sampled_from(ZONES),
    STARTS,
    steps_of(st.one_of(st.none(), st.sampled_from(ZONES))),
    st.floats(0, 1, exclude_max=True),
)
def test_no_change_touches_what_has_been(
    kind: WindowKind, first: str, start_ms: int, steps: Steps, share: float
) -> None:
    """An open window keeps name and start through later changes; one that is over, its end too."""
    known = history(kind, first, start_ms, steps)
    last_ms, course = known[-1]
    ends = [since_ms for since_ms, _ in known[1:]] + [last_ms + 10**9]
    for (since_ms, before), until_ms in zip(known, ends, strict=True):
        for at_ms in (since_ms, since_ms + int((until_ms - since_ms) * share), until_ms - 1):
            seen, now = before.latest(at_ms), course.latest(at_ms)
            assert seen is not None
            if seen.has_ended(at_ms):
                assert course.named(seen.name) == seen
            else:
                assert now is not None
                assert (now.name, now.start_ms) == (seen.name, seen.start_ms)
                assert now.holds(at_ms)
    windows = opened(course, start_ms - 3 * 24 * HOUR_MS, last_ms + 40 * 24 * HOUR_MS)
    for one, following in pairwise(windows):
        assert one.end_ms is not None
        assert one.start_ms < one.end_ms <= following.start_ms
        assert one.name < following.name


@given(KINDS, st.sampled_from(ZONES), STARTS, steps_of(st.sampled_from(ZONES)))
def test_names_that_no_instant_has_are_none(
    kind: WindowKind, first: str, start_ms: int, steps: Steps
) -> None:
    """Every name of every zone's calendar is a window that was seen, or no window."""
    last_ms, course = history(kind, first, start_ms, steps)[-1]
    from_ms, until_ms = start_ms - 3 * 24 * HOUR_MS, last_ms + 40 * 24 * HOUR_MS
    seen = {window.name: window for window in opened(course, from_ms, until_ms)}
    for zone in ZONES:
        at_ms = start_ms - HOUR_MS
        while at_ms < last_ms + 72 * HOUR_MS:
            window = window_at(kind, zone, at_ms)
            assert window.end_ms is not None
            if window.start_ms >= min(one.start_ms for one in seen.values()):
                found = course.named(window.name)
                assert found == seen.get(window.name) or (found and found.start_ms >= until_ms)
            at_ms = window.end_ms
