"""Windows: names and bounds to the millisecond, where calendars and clocks are at their worst."""

import pytest

from lambdas.domain.windows import (
    ALL_TIME,
    Window,
    WindowKind,
    window_at,
    window_named,
)
from tests.instants import ms

BERLIN = "Europe/Berlin"
KIND_OF: dict[str, WindowKind] = {"d": "daily", "w": "weekly", "m": "monthly"}
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("name", "time_zone", "start", "end", "hours"),
    [
        ("d2026-11-30", "UTC", "2026-11-30T00:00", "2026-12-01T00:00", 24),
        ("d2026-03-29", BERLIN, "2026-03-28T23:00", "2026-03-29T22:00", 23),
        ("d2026-10-25", BERLIN, "2026-10-24T22:00", "2026-10-25T23:00", 25),
        ("d2026-03-08", "America/New_York", "2026-03-08T05:00", "2026-03-09T04:00", 23),
        ("d2026-11-01", "America/New_York", "2026-11-01T04:00", "2026-11-02T05:00", 25),
        ("d2026-04-05", "Australia/Lord_Howe", "2026-04-04T13:00", "2026-04-05T13:30", 24.5),
        ("d2026-10-04", "Australia/Lord_Howe", "2026-10-03T13:30", "2026-10-04T13:00", 23.5),
        ("d2026-03-29", "Antarctica/Troll", "2026-03-29T00:00", "2026-03-29T22:00", 22),
        ("d2026-10-25", "Antarctica/Troll", "2026-10-24T22:00", "2026-10-26T00:00", 26),
        ("d2026-11-30", "Asia/Kathmandu", "2026-11-29T18:15", "2026-11-30T18:15", 24),
        ("d2017-10-15", "America/Sao_Paulo", "2017-10-15T03:00", "2017-10-16T02:00", 23),
        ("d2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00", "2018-02-18T03:00", 25),
        ("d2024-04-26", "Africa/Cairo", "2024-04-25T22:00", "2024-04-26T21:00", 23),
        ("d2024-10-31", "Africa/Cairo", "2024-10-30T21:00", "2024-10-31T22:00", 25),
        ("d2006-10-28", "America/St_Johns", "2006-10-28T02:30", "2006-10-29T02:30", 24),
        ("d2006-10-29", "America/St_Johns", "2006-10-29T02:30", "2006-10-30T03:30", 25),
        ("d2011-12-29", "Pacific/Apia", "2011-12-29T10:00", "2011-12-30T10:00", 24),
        ("d2011-12-31", "Pacific/Apia", "2011-12-30T10:00", "2011-12-31T10:00", 24),
        ("d2024-02-29", "UTC", "2024-02-29T00:00", "2024-03-01T00:00", 24),
        ("w2026-W49", "UTC", "2026-11-30T00:00", "2026-12-07T00:00", 7 * 24),
        ("w2026-W13", BERLIN, "2026-03-22T23:00", "2026-03-29T22:00", 7 * 24 - 1),
        ("w2026-W43", BERLIN, "2026-10-18T22:00", "2026-10-25T23:00", 7 * 24 + 1),
        ("w2020-W53", "UTC", "2020-12-28T00:00", "2021-01-04T00:00", 7 * 24),
        ("w2011-W52", "Pacific/Apia", "2011-12-26T10:00", "2012-01-01T10:00", 6 * 24),
        ("m2026-11", "UTC", "2026-11-01T00:00", "2026-12-01T00:00", 30 * 24),
        ("m2026-12", "UTC", "2026-12-01T00:00", "2027-01-01T00:00", 31 * 24),
        ("m2024-02", "UTC", "2024-02-01T00:00", "2024-03-01T00:00", 29 * 24),
        ("m2026-02", "UTC", "2026-02-01T00:00", "2026-03-01T00:00", 28 * 24),
        ("m2026-03", BERLIN, "2026-02-28T23:00", "2026-03-31T22:00", 31 * 24 - 1),
        ("m2026-10", BERLIN, "2026-09-30T22:00", "2026-10-31T23:00", 31 * 24 + 1),
        ("m2011-12", "Pacific/Apia", "2011-12-01T10:00", "2011-12-31T10:00", 30 * 24),
    ],
)
def test_bounds(name: str, time_zone: str, start: str, end: str, hours: float) -> None:
    """A window holds its first and its last millisecond, and neither of those beside them."""
    kind = KIND_OF[name[0]]
    window = Window(name, ms(start), ms(end))
    assert window_named(kind, time_zone, name) == window
    assert ms(end) - ms(start) == hours * HOUR
    for at_ms in (ms(start), ms(end) - 1):
        assert window_at(kind, time_zone, at_ms) == window
        assert window.holds(at_ms)
        assert not window.has_ended(at_ms)
    for at_ms in (ms(start) - 1, ms(end)):
        assert window_at(kind, time_zone, at_ms) != window
        assert not window.holds(at_ms)
        assert window.has_ended(at_ms) == (at_ms == ms(end))


@pytest.mark.parametrize(
    ("day", "week"),
    [
        # 2020 has 53 weeks, 2025 has 52, and 2026 has 53 again.
        ("2019-12-29", "w2019-W52"),
        *((f"2019-12-{day}", "w2020-W01") for day in (30, 31)),
        ("2020-01-05", "w2020-W01"),
        ("2020-01-06", "w2020-W02"),
        ("2020-12-27", "w2020-W52"),
        *((f"2020-12-{day}", "w2020-W53") for day in (28, 29, 30, 31)),
        *((f"2021-01-0{day}", "w2020-W53") for day in (1, 2, 3)),
        ("2021-01-04", "w2021-W01"),
        *((f"2025-12-{day}", "w2026-W01") for day in (29, 30, 31)),
        *((f"2026-01-0{day}", "w2026-W01") for day in (1, 2, 3, 4)),
        ("2026-01-05", "w2026-W02"),
        *((f"2026-12-{day}", "w2026-W53") for day in (28, 29, 30, 31)),
        *((f"2027-01-0{day}", "w2026-W53") for day in (1, 2, 3)),
        ("2027-01-04", "w2027-W01"),
    ],
)
def test_weeks_carry_the_iso_year(day: str, week: str) -> None:
    """A week belongs to the year that has most of it, from Monday's start to Sunday's end."""
    for time in ("00:00", "23:59"):
        assert window_at("weekly", "UTC", ms(f"{day}T{time}")).name == week


@pytest.mark.parametrize(
    ("day", "time_zone"),
    [
        ("2011-12-30", "Pacific/Apia"),
        ("1994-12-31", "Pacific/Kiritimati"),
        ("1993-08-21", "Pacific/Kwajalein"),
    ],
)
def test_a_date_left_out_has_no_window(day: str, time_zone: str) -> None:
    """Where a zone crossed the date line, one date never was: no window has its name."""
    assert window_named("daily", time_zone, f"d{day}") is None
    assert window_named("daily", "UTC", f"d{day}") is not None


def test_the_window_before_passes_over_a_date_left_out() -> None:
    """On Samoa the day before 31 December 2011 was the 29th."""
    last = window_at("daily", "Pacific/Apia", ms("2011-12-30T10:00"))
    assert last.name == "d2011-12-31"
    before = window_at("daily", "Pacific/Apia", last.start_ms - 1)
    assert before == Window("d2011-12-29", ms("2011-12-29T10:00"), last.start_ms)


@pytest.mark.parametrize(
    ("kind", "name", "before"),
    [
        ("daily", "d2024-03-01", "d2024-02-29"),
        ("daily", "d2026-03-01", "d2026-02-28"),
        ("daily", "d2026-01-01", "d2025-12-31"),
        ("weekly", "w2021-W01", "w2020-W53"),
        ("weekly", "w2026-W01", "w2025-W52"),
        ("monthly", "m2026-01", "m2025-12"),
        ("monthly", "m2026-03", "m2026-02"),
    ],
)
def test_the_window_before(kind: WindowKind, name: str, before: str) -> None:
    """Windows follow one another through leap days, years of 53 weeks and new years."""
    window = window_named(kind, BERLIN, name)
    assert window is not None
    previous = window_at(kind, BERLIN, window.start_ms - 1)
    assert previous == window_named(kind, BERLIN, before)
    assert previous is not None
    assert previous.end_ms == window.start_ms


def test_a_clock_that_goes_back_over_midnight_opens_no_window_again() -> None:
    """Newfoundland's clock went from 0:01 to 23:01: the new day went on, whatever the date."""
    first, again = ms("2006-10-29T02:30"), ms("2006-10-29T02:31")
    for at_ms in (first, again - 1, again, ms("2006-10-29T03:29"), ms("2006-10-30T03:30") - 1):
        assert window_at("daily", "America/St_Johns", at_ms).name == "d2006-10-29"
    assert window_at("daily", "America/St_Johns", first - 1).name == "d2006-10-28"


def test_all_is_the_window_without_end() -> None:
    """It holds every instant and is never over."""
    for at_ms in (0, 10**13 - 1):
        assert window_at("all", BERLIN, at_ms) == ALL_TIME == ("all", 0, None)
        assert ALL_TIME.holds(at_ms)
        assert not ALL_TIME.has_ended(at_ms)
    assert window_named("all", BERLIN, "all") == ALL_TIME


@pytest.mark.parametrize(
    "name",
    [
        *("", "d", "w", "m", "ALL", "All", "all ", "all\n", "s:winter", "all@region:eu"),
        *("d2026-02-29", "d2026-02-30", "d2026-00-01", "d2026-13-01", "d2026-11-00", "d2026-11-31"),
        *("d2026-11-30@region:eu", "D2026-11-30", "d2026-11-30 ", "d2026-11-30\n", " d2026-11-30"),
        *("d20261130", "d2026-11-3", "d2026-1-30", "d26-11-30", "d+2026-11-30", "2026-11-30"),
        *("d2026-W49", "d2026-W49-1", "d2026-11-30T00", "d2026/11/30", "d2026-11-30#x"),
        *("d0000-01-01", "d0001-01-01", "d0999-01-01", "d9999-12-31", "d10000-01-01"),
        *("d1968-12-31", "d2287-01-01", "m1968-12", "m2287-01", "w1968-W52", "w2287-W02"),
        *("d\u0662\u0660\u0662\u0666-11-30", "d\uff12026-11-30", "d2026\u201311\u201330"),
        *("d\ud800", "d2026-11-30\0", "d" + "2" * 10_000),
        *("w2025-W53", "w2026-W00", "w2026-W54", "w2026-W99", "w2026-w49", "w2026W49", "w2026-49"),
        *("w2026-W1", "W2026-W49", "w2026-W49-1", "w2026-W49-2", "w0000-W01", "w\u0662026-W49"),
        *("w9999-W52", "w2026-11-30", "w2026-11", "w2026-W49@region:eu"),
        *("m2026-00", "m2026-13", "m2026-1", "m202611", "M2026-11", "m2026-11-01", "m2026"),
        *("m2026-W49", "m0000-01", "m10000-01", "m2026-11@region:eu", "m\u0662026-11"),
    ],
)
def test_names_that_are_none(name: str) -> None:
    """One window has one name: no other spelling, no impossible date, no other script's digits."""
    for kind in ("all", *KIND_OF.values()):
        assert window_named(kind, BERLIN, name) is None


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("daily", "d1969-01-01"),
        ("daily", "d2286-12-31"),
        ("monthly", "m1969-01"),
        ("monthly", "m2286-12"),
        ("weekly", "w1969-W02"),
        ("weekly", "w2286-W52"),
    ],
)
def test_names_reach_as_far_as_the_clock(kind: WindowKind, name: str) -> None:
    """13 digits of milliseconds lie in the years 1969 to 2286, in whatever zone."""
    window = window_named(kind, BERLIN, name)
    assert window is not None
    assert window_at(kind, BERLIN, window.start_ms) == window


def test_a_name_is_of_one_kind() -> None:
    """A kind knows its own names and no other's."""
    for letter, name in (("d", "d2026-11-30"), ("w", "w2026-W49"), ("m", "m2026-11")):
        kinds = [kind for kind in KIND_OF.values() if window_named(kind, "UTC", name)]
        assert kinds == [KIND_OF[letter]]
        assert window_named("all", "UTC", name) is None
