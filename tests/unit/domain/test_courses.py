"""Courses: what becomes of the open window when a zone changes, to the millisecond."""

from itertools import pairwise

import pytest

from lambdas.domain.courses import Course
from lambdas.domain.windows import Window, WindowKind, window_at
from tests.instants import ms

BERLIN, NEW_YORK, KOLKATA = "Europe/Berlin", "America/New_York", "Asia/Kolkata"
FIRST_OF_ALL, LAST_OF_ALL = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # 25 hours apart
NOON = ms("2026-11-30T12:00")


def window(name: str, start: str, end: str) -> Window:
    """A window between two instants in UTC."""
    return Window(name, ms(start), ms(end))


def december(day_and_hour: str) -> int:
    """An instant of December 2026 in UTC, as 13T23; its 32nd day is 1 January."""
    day, hour = day_and_hour.split("T")
    return ms("2026-12-01") + ((int(day) - 1) * 24 + int(hour)) * 3_600_000


def assert_follow(course: Course, *windows: Window) -> None:
    """Checks windows that follow one another: each instant, each bound and each name."""
    for one in windows:
        assert one.end_ms is not None
        assert course.latest(one.start_ms) == one
        assert course.latest(one.end_ms - 1) == one
        assert course.named(one.name) == one
    for one, following in pairwise(windows):
        assert one.end_ms == following.start_ms


def moved(
    *steps: tuple[str, str | None], kind: WindowKind = "daily", first: str = BERLIN
) -> Course:
    """A course that was changed at instants in UTC."""
    course = Course.along(kind, first)
    for since, time_zone in steps:
        course = course.changed(time_zone, ms(since))
    return course


@pytest.mark.parametrize(
    ("kind", "last", "following", "following_end"),
    [
        ("daily", ("d2026-11-30", "2026-11-29T23:00", "2026-12-01T05:00"), "d2026-12-01", "02T05"),
        ("weekly", ("w2026-W49", "2026-11-29T23:00", "2026-12-07T05:00"), "w2026-W50", "14T05"),
        ("monthly", ("m2026-11", "2026-10-31T23:00", "2026-12-01T05:00"), "m2026-12", "32T05"),
    ],
)
def test_a_move_west_lets_the_open_window_go_on(
    kind: WindowKind, last: tuple[str, str, str], following: str, following_end: str
) -> None:
    """It keeps its first start and ends where the new zone says; the next one is the new zone's."""
    course = moved(("2026-11-30T12:00", NEW_YORK), kind=kind)
    goes_on = window(*last)
    before = window_at(kind, BERLIN, goes_on.start_ms - 1)
    assert_follow(course, before, goes_on, Window(following, ms(last[2]), december(following_end)))


@pytest.mark.parametrize(
    ("kind", "last", "following", "following_end"),
    [
        ("daily", ("d2026-11-30", "2026-11-30T05:00", "2026-12-01T05:00"), "d2026-12-01", "01T23"),
        ("weekly", ("w2026-W49", "2026-11-30T05:00", "2026-12-07T05:00"), "w2026-W50", "13T23"),
        ("monthly", ("m2026-11", "2026-11-01T04:00", "2026-12-01T05:00"), "m2026-12", "31T23"),
    ],
)
def test_a_move_east_starts_the_next_window_late(
    kind: WindowKind, last: tuple[str, str, str], following: str, following_end: str
) -> None:
    """The open window ends where it would have; the next has begun by its calendar, and starts."""
    course = moved(("2026-11-30T12:00", BERLIN), kind=kind, first=NEW_YORK)
    late = Window(following, ms(last[2]), december(following_end))
    assert_follow(course, window(*last), late)


def test_a_move_west_over_the_date_line_opens_no_day_again() -> None:
    """Where it is the day before once more, the open day goes on to the first day that was not."""
    course = moved(("2026-11-30T00:00", LAST_OF_ALL), first=FIRST_OF_ALL)
    assert_follow(
        course,
        window("d2026-11-29", "2026-11-28T10:00", "2026-11-29T10:00"),
        window("d2026-11-30", "2026-11-29T10:00", "2026-12-01T11:00"),
        window("d2026-12-01", "2026-12-01T11:00", "2026-12-02T11:00"),
    )


def test_a_move_east_over_the_date_line_passes_a_day_over() -> None:
    """No window has the name of a day that was never open."""
    course = moved(("2026-11-30T12:00", FIRST_OF_ALL), first=LAST_OF_ALL)
    assert_follow(
        course,
        window("d2026-11-30", "2026-11-30T11:00", "2026-12-01T11:00"),
        window("d2026-12-02", "2026-12-01T11:00", "2026-12-02T10:00"),
    )
    assert course.named("d2026-12-01") is None


def test_there_and_back_within_a_window_is_nothing() -> None:
    """A change that is undone before it took effect leaves no trace."""
    assert moved(("2026-11-30T12:00", NEW_YORK), ("2026-11-30T22:59", BERLIN)) == moved()


def test_the_last_change_within_a_window_counts() -> None:
    """What was decided before it never comes to pass."""
    course = moved(("2026-11-30T12:00", NEW_YORK), ("2026-11-30T13:00", KOLKATA))
    assert course == moved(("2026-11-30T13:00", KOLKATA)) == moved(("2026-11-30T01:00", KOLKATA))
    assert_follow(
        course,
        window("d2026-11-30", "2026-11-29T23:00", "2026-11-30T23:00"),
        window("d2026-12-01", "2026-11-30T23:00", "2026-12-01T18:30"),
    )


@pytest.mark.parametrize(
    ("time_zone", "end", "following_end"),
    [
        (BERLIN, "2026-12-01T05:00", "2026-12-01T23:00"),
        (LAST_OF_ALL, "2026-12-01T11:00", "2026-12-02T11:00"),
    ],
)
def test_a_window_that_goes_on_may_see_another_change(
    time_zone: str, end: str, following_end: str
) -> None:
    """That one takes effect where the window ends by now, and may let it go on further."""
    course = moved(("2026-11-30T12:00", NEW_YORK), ("2026-12-01T02:00", time_zone))
    assert_follow(
        course,
        window("d2026-11-30", "2026-11-29T23:00", end),
        window("d2026-12-01", end, following_end),
    )


@pytest.mark.parametrize(
    ("since", "name", "end"),
    [
        ("2026-11-30T22:59:59.999", "d2026-11-30", "2026-12-01T05:00"),
        ("2026-11-30T23:00", "d2026-12-01", "2026-12-02T05:00"),
    ],
)
def test_a_change_at_midnight_finds_the_new_day_open(since: str, name: str, end: str) -> None:
    """The window that holds the instant is the open one, from its first millisecond."""
    held = moved((since, NEW_YORK)).latest(ms(since))
    assert held is not None
    assert (held.name, held.end_ms) == (name, ms(end))


def test_a_change_finds_what_an_earlier_one_let_go_on() -> None:
    """The earlier change has taken effect in the very millisecond in which the window would end."""
    course = moved(("2026-11-30T12:00", NEW_YORK), ("2026-11-30T23:00", KOLKATA))
    assert_follow(
        course,
        window("d2026-11-30", "2026-11-29T23:00", "2026-12-01T05:00"),
        window("d2026-12-01", "2026-12-01T05:00", "2026-12-01T18:30"),
    )


def test_a_kind_that_is_added_has_the_window_its_calendar_is_in() -> None:
    """With the start it has there; those before it never were."""
    course = Course("daily").changed(BERLIN, NOON)
    today = window("d2026-11-30", "2026-11-29T23:00", "2026-11-30T23:00")
    assert_follow(course, today, window("d2026-12-01", "2026-11-30T23:00", "2026-12-01T23:00"))
    assert course.latest(today.start_ms - 1) is None
    assert course.named("d2026-11-29") is None


def test_a_kind_that_is_taken_away_ends_then_and_there() -> None:
    """The open window is cut short, those before it stay, and none follows."""
    course = moved(("2026-11-30T12:00", None))
    assert_follow(
        course,
        window("d2026-11-29", "2026-11-28T23:00", "2026-11-29T23:00"),
        window("d2026-11-30", "2026-11-29T23:00", "2026-11-30T12:00"),
    )
    for at_ms in (NOON, ms("2027-11-30T12:00")):
        assert course.latest(at_ms) == course.named("d2026-11-30")
    assert course.named("d2026-12-01") is None


def test_a_window_that_would_start_as_its_kind_ends_never_was() -> None:
    """No window is without an instant."""
    course = moved(("2026-11-30T23:00", None))
    last = window("d2026-11-30", "2026-11-29T23:00", "2026-11-30T23:00")
    assert_follow(course, last)
    assert course.latest(ms("2026-11-30T23:00")) == last
    assert course.named("d2026-12-01") is None


def test_a_window_that_goes_on_can_be_cut_short() -> None:
    """It keeps its first start and ends with its kind."""
    course = moved(("2026-11-30T12:00", NEW_YORK), ("2026-12-01T02:00", None))
    assert_follow(course, window("d2026-11-30", "2026-11-29T23:00", "2026-12-01T02:00"))


@pytest.mark.parametrize(
    ("before", "after", "back", "name", "start"),
    [
        # On the same day there is none until the next; on a later one it has its calendar's start.
        (BERLIN, BERLIN, "2026-11-30T13:00", "d2026-12-01", "2026-11-30T23:00"),
        (BERLIN, BERLIN, "2026-12-02T13:00", "d2026-12-02", "2026-12-01T23:00"),
        # It is a later day further east, which began before the last one was cut short.
        (LAST_OF_ALL, FIRST_OF_ALL, "2026-11-30T13:00", "d2026-12-01", "2026-11-30T12:00"),
        # Further west it is an earlier day.
        (FIRST_OF_ALL, LAST_OF_ALL, "2026-11-30T13:00", "d2026-12-02", "2026-12-02T11:00"),
    ],
)
def test_a_kind_that_is_taken_back_opens_no_name_again(
    before: str, after: str, back: str, name: str, start: str
) -> None:
    """It goes on with the first later name, and not before the end of its last window."""
    course = moved(("2026-11-30T12:00", None), (back, after), first=before)
    cut = course.latest(NOON - 1)
    assert cut is not None
    assert cut.end_ms == NOON
    opened = course.latest(ms(start))
    assert opened is not None
    assert (opened.name, opened.start_ms) == (name, ms(start))
    assert course.latest(ms(start) - 1) == cut
    assert course.named(cut.name) == cut
    assert course.named(name) == opened


def test_what_was_taken_back_can_be_taken_away_before_it_opens() -> None:
    """The kind stays as it ended first."""
    course = moved(("2026-11-30T12:00", None), ("2026-11-30T13:00", BERLIN))
    assert course.changed(None, ms("2026-11-30T14:00")) == moved(("2026-11-30T12:00", None))


def test_a_course_without_change_is_its_zones_calendar() -> None:
    """Through all time, with the names that the calendar has and no others."""
    course = Course.along("daily", "Pacific/Apia")
    for at_ms in (0, ms("2011-12-30T10:00") - 1, ms("2011-12-30T10:00"), 10**13 - 1):
        assert course.latest(at_ms) == window_at("daily", "Pacific/Apia", at_ms)
    assert course.named("d2011-12-30") is None
    assert Course("daily").latest(NOON) is None
