"""Calendars: what a change of schedule does to results, states, seasons and retention."""

import pytest

from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.schedules import EXPIRY_MARGIN_SECONDS, Schedule, Season
from lambdas.domain.windows import ALL_TIME, Window
from tests.instants import ms

DAY_MS = 86_400_000
BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
NOON = ms("2026-11-30T12:00")
MIDNIGHT = ms("2026-11-30T23:00")  # in Berlin
LATER = ms("2026-12-01T05:00")  # midnight in New York
CUP = Season("cup", NOON - DAY_MS, NOON + DAY_MS)


def calendar_of(*schedules: Schedule, since_ms: int = NOON) -> Calendar:
    """A calendar that goes from schedule to schedule, a minute between changes."""
    first, *later = schedules
    eras = [Era(since_ms + place * 60_000, schedule) for place, schedule in enumerate(later)]
    return Calendar((Era(0, first), *eras))


def names(calendar: Calendar, achieved_at_ms: int, now_ms: int) -> list[str]:
    """The windows that a result feeds, and those that are closed to it in parentheses."""
    return [
        f"({target.window.name})" if target.is_closed else target.window.name
        for target in calendar.targets(achieved_at_ms, now_ms)
    ]


def test_results_follow_the_window_that_goes_on() -> None:
    """After a move west the open day takes results until the new zone's midnight."""
    calendar = calendar_of(Schedule(("all", "daily"), BERLIN), Schedule(("all", "daily"), NEW_YORK))
    for now_ms, expected in (
        (NOON, "d2026-11-30"),
        (MIDNIGHT, "d2026-11-30"),
        (LATER - 1, "d2026-11-30"),
        (LATER, "d2026-12-01"),
    ):
        assert names(calendar, now_ms, now_ms) == ["all", expected]
        assert [window.name for window in calendar.current(now_ms)] == ["all", expected]


def test_late_results_follow_what_was_open() -> None:
    """After a move east the day just over takes what was achieved before the late start."""
    calendar = calendar_of(
        Schedule(("daily",), NEW_YORK, grace_seconds=600),
        Schedule(("daily",), BERLIN, grace_seconds=600),
    )
    last = calendar.named("d2026-11-30")
    assert names(calendar, LATER - 1, LATER) == ["d2026-11-30"]
    assert names(calendar, LATER, LATER) == ["d2026-12-01"]
    assert names(calendar, LATER - 1, LATER + 600_000) == ["d2026-12-01"]
    assert calendar.state(last, LATER + 599_999) == "closing"
    assert calendar.state(last, LATER + 600_000) == "closed"


def test_a_late_start_bounds_how_long_the_day_before_is_closing() -> None:
    """It takes late results until the next window is over, wherever that ends by now."""
    week = 7 * 86_400
    calendar = calendar_of(
        Schedule(("daily",), NEW_YORK, grace_seconds=week),
        Schedule(("daily",), BERLIN, grace_seconds=week),
    )
    last, end_ms = calendar.named("d2026-11-30"), ms("2026-12-01T23:00")
    assert calendar.state(last, end_ms - 1) == "closing"
    assert calendar.state(last, end_ms) == "closed"


@pytest.mark.parametrize("name", ["d2026-11-30", "w2026-W49", "m2026-11", "s:cup"])
def test_an_open_window_keeps_its_terms(name: str) -> None:
    """Retention and grace are those of the era it started in; the next one has the new ones."""
    kinds = ("daily", "weekly", "monthly", CUP)
    calendar = calendar_of(
        Schedule(kinds, BERLIN, retention_days=1, grace_seconds=60),
        Schedule(kinds, BERLIN, retention_days=9, grace_seconds=600),
    )
    window = calendar.named(name)
    assert window.end_ms is not None
    assert window.start_ms < NOON < window.end_ms
    assert calendar.state(window, window.end_ms + 59_999) == "closing"
    assert calendar.state(window, window.end_ms + 60_000) == "closed"
    assert calendar.is_retained(window, window.end_ms + DAY_MS - 1)
    assert not calendar.is_retained(window, window.end_ms + DAY_MS)
    assert calendar.expires_at(window) == window.end_ms // 1_000 + 86_400 + EXPIRY_MARGIN_SECONDS


def test_a_window_not_yet_opened_has_the_new_terms() -> None:
    """From the first one on that starts with the change or after it."""
    calendar = calendar_of(
        Schedule(("daily",), retention_days=1),
        Schedule(("daily",), retention_days=9, grace_seconds=600),
        since_ms=ms("2026-12-01"),
    )
    old, new = calendar.named("d2026-11-30"), calendar.named("d2026-12-01")
    assert calendar.expires_at(old) == ms("2026-12-01") // 1_000 + 86_400 + EXPIRY_MARGIN_SECONDS
    assert calendar.expires_at(new) == (
        ms("2026-12-02") // 1_000 + 9 * 86_400 + EXPIRY_MARGIN_SECONDS
    )
    assert calendar.state(new, ms("2026-12-02T00:09:59.999")) == "closing"


def test_a_kind_that_is_added_begins_with_the_change() -> None:
    """In the window its calendar is in, on the terms it was added with."""
    calendar = calendar_of(
        Schedule(("all",), BERLIN, retention_days=1),
        Schedule(("daily", "all"), BERLIN, retention_days=9, grace_seconds=600),
    )
    assert names(calendar, NOON - 1, NOON - 1) == ["all"]
    assert names(calendar, NOON, NOON) == ["d2026-11-30", "all"]
    window = calendar.named("d2026-11-30")
    assert window == ("d2026-11-30", MIDNIGHT - DAY_MS, MIDNIGHT)
    assert calendar.is_retained(window, MIDNIGHT + 9 * DAY_MS - 1)
    assert calendar.state(window, MIDNIGHT + 599_999) == "closing"
    with pytest.raises(WindowNotFoundError):
        calendar.named("d2026-11-29")


@pytest.mark.parametrize(
    ("gone", "name"), [("all", "all"), ("daily", "d2026-11-30"), (CUP, "s:cup")]
)
def test_what_is_taken_away_ends_then(gone: object, name: str) -> None:
    """It takes late results through its grace period, is kept for its retention, and is listed no
    more."""
    kinds = ("all", "daily", CUP, "weekly")
    rest = tuple(one for one in kinds if one != gone)
    terms = {"retention_days": 5, "grace_seconds": 60}
    calendar = calendar_of(Schedule(kinds, **terms), Schedule(rest, **terms))  # type: ignore[arg-type]
    window = calendar.named(name)
    assert window.end_ms == NOON
    assert name in names(calendar, NOON - 1, NOON - 1)
    assert names(calendar, NOON - 1, NOON)[3:] == [name]
    assert name not in names(calendar, NOON, NOON)
    assert name not in names(calendar, NOON - 1, NOON + 60_000)
    assert name not in [window.name for window in calendar.current(NOON)]
    assert name in [window.name for window in calendar.recent(NOON)]
    instants = (NOON - 1, NOON, NOON + 59_999, NOON + 60_000)
    states = [calendar.state(window, now_ms) for now_ms in instants]
    assert states == ["open", "closing", "closing", "closed"]
    assert calendar.state(window, NOON + 60_000, is_final=True) == "final"
    assert calendar.is_retained(window, NOON + 5 * DAY_MS - 1)
    assert not calendar.is_retained(window, NOON + 5 * DAY_MS)


def test_windows_that_were_over_stay_when_their_kind_goes() -> None:
    """With their own bounds; those to come never will be."""
    calendar = calendar_of(Schedule(("daily", "all")), Schedule(("all",)))
    assert calendar.named("d2026-11-29") == ("d2026-11-29", ms("2026-11-29"), ms("2026-11-30"))
    with pytest.raises(WindowNotFoundError):
        calendar.named("d2026-12-01")


def test_a_kind_that_comes_back_waits_for_its_next_window() -> None:
    """In between there is none of the kind, but for late results of the one cut short."""
    days = Schedule(("all", "daily"), grace_seconds=600)
    calendar = calendar_of(days, Schedule(("all",), grace_seconds=600), days)
    back = NOON + 60_000
    assert names(calendar, back, back) == ["all"]
    assert names(calendar, NOON - 1, back) == ["all", "d2026-11-30"]
    midnight = ms("2026-12-01")
    assert names(calendar, midnight, midnight) == ["all", "d2026-12-01"]
    assert names(calendar, midnight - 1, midnight) == ["all", "d2026-12-01"]
    assert calendar.named("d2026-11-30").end_ms == NOON


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Not begun: new bounds, or none.
        ((NOON + 1, NOON + 9), (NOON + 5, NOON + 7), (NOON + 5, NOON + 7)),
        ((NOON, NOON + 9), (NOON + 5, NOON + 7), (NOON + 5, NOON + 7)),
        ((NOON + 1, NOON + 9), None, None),
        ((NOON, NOON + 9), None, None),
        # Open: a new end, or this one.
        ((NOON - 1, NOON + 9), (NOON - 1, NOON + 99), (NOON - 1, NOON + 99)),
        ((NOON - 1, NOON + 9), (NOON - 1, NOON + 1), (NOON - 1, NOON + 1)),
        ((NOON - 1, NOON + 1), None, (NOON - 1, NOON)),
        # Over: as it was.
        ((NOON - 9, NOON), (NOON - 9, NOON + 9), (NOON - 9, NOON)),
        ((NOON - 9, NOON), None, (NOON - 9, NOON)),
        # New.
        (None, (NOON - 9, NOON + 9), (NOON - 9, NOON + 9)),
    ],
)
def test_what_a_change_makes_of_a_season(
    before: tuple[int, int] | None, after: tuple[int, int] | None, expected: tuple[int, int] | None
) -> None:
    """By whether it has begun, is open or is over at the instant of the change."""
    calendar = calendar_of(
        *(
            Schedule(("all", Season("x", *bounds)) if bounds else ("all",))
            for bounds in (before, after)
        )
    )
    if expected:
        assert calendar.named("s:x") == Window("s:x", *expected)
    else:
        with pytest.raises(WindowNotFoundError):
            calendar.named("s:x")


def test_a_season_that_is_listed_and_over_says_closed() -> None:
    """One that was taken away is left out instead."""
    over = Season("x", 0, NOON - DAY_MS)
    listed = calendar_of(Schedule(("all", over)), Schedule((over, "all", "daily")))
    assert names(listed, NOON, NOON) == ["(s:x)", "all", "d2026-11-30"]
    gone = calendar_of(Schedule(("all", over)), Schedule(("all", "daily")))
    assert names(gone, NOON, NOON) == ["all", "d2026-11-30"]
    assert gone.named("s:x") == over.window


def test_all_may_be_added() -> None:
    """It takes results from the change on, and never ends."""
    calendar = calendar_of(Schedule(("daily",)), Schedule(("daily", "all"), retention_days=1))
    assert names(calendar, NOON - 1, NOON - 1) == ["d2026-11-30"]
    assert names(calendar, NOON, NOON) == ["d2026-11-30", "all"]
    assert calendar.named("all") == ALL_TIME
    assert calendar.expires_at(ALL_TIME) is None
