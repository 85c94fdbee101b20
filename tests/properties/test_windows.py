"""Windows: in every zone each kind tiles time, and a window's name leads back to it."""

from collections.abc import Iterator
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.windows import Window, WindowKind, window_at, window_named
from lambdas.domain.zones import start_of_date, time_zones
from tests.instants import local, ms

KINDS: tuple[WindowKind, ...] = ("daily", "weekly", "monthly")
HOUR_MS = 3_600_000
DAYS = 400
INSTANTS = st.integers(0, ms("2101-01-01") - 1)
ZONES = st.sampled_from(sorted(time_zones()))


def name_of(kind: WindowKind, day: date) -> str:
    """The name of the window that holds a date, put together by hand."""
    year, week, _ = day.isocalendar()
    return {
        "daily": f"d{day.year:04}-{day.month:02}-{day.day:02}",
        "weekly": f"w{year:04}-W{week:02}",
        "monthly": f"m{day.year:04}-{day.month:02}",
    }[kind]


def dates_reached(first_ms: int, time_zone: str) -> Iterator[tuple[int, date]]:
    """Every hour of 400 days, with the latest date that the zone's clock had shown."""
    reached = date.min
    for at_ms in range(first_ms, first_ms + DAYS * 24 * HOUR_MS, HOUR_MS):
        reached = max(reached, local(at_ms, time_zone).date())
        yield at_ms, reached


@pytest.mark.parametrize(
    ("time_zone", "first"),
    [
        ("UTC", "2019-12-15"),
        ("Europe/Berlin", "2026-01-01"),
        ("America/New_York", "2023-12-20"),
        ("Asia/Kolkata", "2026-01-01"),
        ("Asia/Kathmandu", "1985-11-25"),
        ("Australia/Lord_Howe", "2026-01-01"),
        ("Pacific/Apia", "2011-03-01"),
        ("America/Sao_Paulo", "2017-07-01"),
        ("Africa/Cairo", "2024-01-01"),
        ("America/St_Johns", "2006-01-01T00:30"),  # local midnight, which once came twice
        ("America/Havana", "2026-01-01"),
        ("Pacific/Kiritimati", "1994-06-01"),
        ("Antarctica/Troll", "2026-01-01"),
    ],
)
def test_windows_tile_a_year(time_zone: str, first: str) -> None:
    """Each hour lies in the window of the date last reached, and windows join exactly."""
    seen: dict[WindowKind, list[Window]] = {kind: [] for kind in KINDS}
    for at_ms, day in dates_reached(ms(first), time_zone):
        for kind, windows in seen.items():
            window = window_at(kind, time_zone, at_ms)
            assert window.holds(at_ms)
            assert window.name == name_of(kind, day)
            if not windows or window != windows[-1]:
                windows.append(window)
    for kind, windows in seen.items():
        assert all(one.end_ms == following.start_ms for one, following in pairwise(windows))
        assert len({window.name for window in windows}) == len(windows)
        assert [window_named(kind, time_zone, one.name) for one in windows] == windows
    assert DAYS - 1 <= len(seen["daily"]) <= DAYS + 1


@given(ZONES, INSTANTS, st.sampled_from(KINDS))
@example("Pacific/Apia", ms("2011-12-30T10:00"), "daily")
@example("Pacific/Apia", ms("2011-12-30T10:00") - 1, "daily")
@example("America/St_Johns", ms("2006-10-29T02:31"), "daily")
@example("America/New_York", 0, "monthly")
def test_a_window_ends_where_the_next_begins(time_zone: str, at_ms: int, kind: WindowKind) -> None:
    """To the millisecond, at both ends, in every zone; and each goes by its own name."""
    window = window_at(kind, time_zone, at_ms)
    assert window.end_ms is not None
    assert window.start_ms <= at_ms < window.end_ms
    assert window_at(kind, time_zone, window.start_ms) == window
    assert window_at(kind, time_zone, window.end_ms - 1) == window
    following = window_at(kind, time_zone, window.end_ms)
    assert following.start_ms == window.end_ms
    assert window_at(kind, time_zone, following.start_ms - 1) == window
    assert window_named(kind, time_zone, window.name) == window


@given(ZONES, INSTANTS)
def test_a_week_and_a_month_are_whole_days(time_zone: str, at_ms: int) -> None:
    """The bounds of longer windows are bounds of days."""
    for kind in ("weekly", "monthly"):
        window = window_at(kind, time_zone, at_ms)
        assert window.end_ms is not None
        first = window_at("daily", time_zone, window.start_ms)
        last = window_at("daily", time_zone, window.end_ms - 1)
        assert (first.start_ms, last.end_ms) == (window.start_ms, window.end_ms)
        for day in (first, last):
            assert name_of(kind, date.fromisoformat(day.name[1:])) == window.name


@given(ZONES, st.dates(date(1970, 1, 2), date(2100, 12, 31)))
@example("Pacific/Apia", date(2011, 12, 30))
@example("America/St_Johns", date(2006, 10, 29))
@example("America/Sao_Paulo", date(2017, 10, 15))
@example("America/Toronto", date(1919, 3, 31))
@example("America/Havana", date(2026, 11, 1))
def test_a_date_starts_when_it_is_first_reached(time_zone: str, day: date) -> None:
    """No clock in the zone showed the date, or a later one, in the two days before its start."""
    start_ms = start_of_date(day, time_zone)
    assert local(start_ms, time_zone).date() >= day
    assert local(start_ms - 1, time_zone).date() < day
    for quarters in range(1, 4 * 48):
        assert local(start_ms - quarters * HOUR_MS // 4, time_zone).date() < day
