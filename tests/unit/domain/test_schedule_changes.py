"""Changes of schedule: what a live board refuses, and when a change makes an era."""

import pytest

from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.errors import InvalidFieldsError
from lambdas.domain.schedule_changes import MAX_ERAS, changed, schedule_change_problems
from lambdas.domain.schedules import Schedule, Season
from tests.instants import ms

NOW = ms("2026-11-30T12:00")
DAY_MS = 86_400_000
TO_COME = Season("to-come", NOW + 1, NOW + DAY_MS)
OPEN = Season("open", NOW - 1, NOW + DAY_MS)
OVER = Season("over", NOW - DAY_MS, NOW)
BOARD = Schedule(("all", "daily", TO_COME, OPEN, OVER), "Europe/Berlin", 30, 60)
CALENDAR = Calendar((Era(0, BOARD),))


def fields(calendar: Calendar, *windows: object) -> list[str]:
    """The fields that a new list of windows is refused for."""
    schedule = Schedule(windows)  # type: ignore[arg-type]
    return [problem.field for problem in schedule_change_problems(calendar, schedule, NOW)]


def test_no_change_is_the_same_calendar() -> None:
    """Asking for what a board has leaves its calendar alone, at any time."""
    assert changed(CALENDAR, BOARD, NOW) is CALENDAR


@pytest.mark.parametrize(
    "schedule",
    [
        Schedule(BOARD.windows, "America/New_York", 30, 60),
        Schedule(BOARD.windows, "Europe/Berlin", 31, 60),
        Schedule(BOARD.windows, "Europe/Berlin", 30, 61),
        Schedule((*BOARD.windows, "weekly"), "Europe/Berlin", 30, 60),
        Schedule(BOARD.windows[1:], "Europe/Berlin", 30, 60),
        Schedule(("all", "daily", TO_COME, OVER), "Europe/Berlin", 30, 60),
    ],
)
def test_a_change_of_what_has_begun_makes_an_era(schedule: Schedule) -> None:
    """From the instant of the change on; what was before stays as it was."""
    calendar = changed(CALENDAR, schedule, NOW)
    assert calendar.eras == (Era(0, BOARD), Era(NOW, schedule))
    assert calendar.schedule == schedule


@pytest.mark.parametrize(
    "windows",
    [
        (*BOARD.windows, Season("next", NOW + 5, NOW + 6)),
        ("all", "daily", Season("to-come", NOW + 7, NOW + 9), OPEN, OVER),
        ("all", "daily", OPEN, OVER),
        ("all", "daily", TO_COME, Season("open", NOW - 1, NOW + 9), OVER),
        ("daily", OVER, OPEN, TO_COME, "all"),
    ],
)
def test_a_change_of_what_is_to_come_makes_none(windows: tuple[Season, ...]) -> None:
    """Seasons announced, moved or called off in time, a season's new end, another order."""
    schedule = Schedule(windows, "Europe/Berlin", 30, 60)
    assert changed(CALENDAR, schedule, NOW) == Calendar((Era(0, schedule),))


def test_zones_back_and_forth_leave_one_era() -> None:
    """A change that is undone before any window saw it is forgotten."""
    there = changed(CALENDAR, Schedule(BOARD.windows, "Asia/Kolkata", 30, 60), NOW)
    assert len(there.eras) == 2
    back = changed(there, BOARD, NOW + 1)
    assert [era.schedule for era in back.eras] == [BOARD, BOARD]
    assert back.courses == CALENDAR.courses


def test_eras_follow_one_another_whatever_the_clock_says() -> None:
    """A change on a clock that is behind comes a millisecond after the last one."""
    one = changed(CALENDAR, Schedule(("all",)), NOW)
    two = changed(one, Schedule(("all",), retention_days=1), NOW - 5)
    assert [era.since_ms for era in two.eras] == [0, NOW, NOW + 1]


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        (("all", "weekly", OVER), []),
        ((Season("over", NOW - DAY_MS, NOW + DAY_MS),), ["windows.0"]),
        (("all", Season("over", NOW + 1, NOW + 2)), ["windows.1"]),
        ((Season("open", NOW - 2, NOW + DAY_MS),), ["windows.0.start"]),
        ((Season("open", NOW - 1, NOW),), ["windows.0.end"]),
        ((Season("open", NOW - 1, NOW + 1),), []),
        ((Season("open", NOW - 2, NOW - 1),), ["windows.0.start", "windows.0.end"]),
        ((Season("to-come", NOW - 5, NOW),), ["windows.0.end"]),
        ((Season("to-come", NOW - 5, NOW + 1),), []),
        ((Season("new", NOW - 5, NOW),), ["windows.0.end"]),
        ((Season("new", NOW - 5, NOW + 1),), []),
    ],
)
def test_seasons_that_a_live_board_can_have(windows: tuple[object], expected: list[str]) -> None:
    """What is over stays over, what has begun keeps its start, what changes ends after now."""
    assert fields(CALENDAR, *windows) == expected


def test_a_season_that_begins_with_the_change_can_still_move() -> None:
    """It has begun a millisecond later."""
    for start_ms, expected in ((NOW, []), (NOW - 1, ["windows.0.start"])):
        calendar = Calendar((Era(0, Schedule((Season("x", start_ms, NOW + 9),))),))
        assert fields(calendar, Season("x", NOW + 5, NOW + 9)) == expected


def test_what_was_taken_away_does_not_come_back() -> None:
    """Neither `all` nor a season that had begun; days, weeks and months do."""
    calendar = changed(CALENDAR, Schedule(("weekly",)), NOW - 1)
    open_again = Season("open", OPEN.start_ms, OPEN.end_ms)
    assert fields(calendar, "weekly", "daily", TO_COME) == []
    assert fields(calendar, "all", "weekly") == ["windows.0"]
    later = Calendar((*CALENDAR.eras, Era(NOW, Schedule(("weekly",)))))
    problems = schedule_change_problems(later, Schedule((open_again, "all")), NOW + 1)
    assert [problem.field for problem in problems] == ["windows.0", "windows.1"]


def test_a_change_that_is_refused_changes_nothing() -> None:
    """Every field that is wrong is named in one error."""
    wrong = Schedule((Season("over", 0, NOW + 1), Season("open", 0, 1)))
    with pytest.raises(InvalidFieldsError) as caught:
        changed(CALENDAR, wrong, NOW)
    assert [problem.field for problem in caught.value.problems] == [
        *("windows.0", "windows.1.start", "windows.1.end")
    ]


def test_eras_have_an_end() -> None:
    """The last one that there is room for is taken, and the next is refused by name."""
    calendar = Calendar((Era(0, Schedule(("daily",))),))
    for number in range(1, MAX_ERAS):
        calendar = changed(calendar, Schedule(("daily",), retention_days=number), NOW + number)
    assert len(calendar.eras) == MAX_ERAS
    more = Schedule(("daily",), retention_days=99)
    problems = list(schedule_change_problems(calendar, more, NOW + DAY_MS))
    assert [problem.field for problem in problems] == ["windows"]
    assert "at most 49 times" in problems[0].message
    with pytest.raises(InvalidFieldsError):
        changed(calendar, more, NOW + DAY_MS)


@pytest.mark.parametrize("retention_days", [None, 30])
def test_a_season_that_has_begun_ends_no_later_than_its_items_are_kept(
    retention_days: int | None,
) -> None:
    """What is stored already carries when it may go: earlier is fine, later only without that."""
    longer = Season("open", NOW - 1, NOW + DAY_MS + 1)
    shorter = Season("open", NOW - 1, NOW + DAY_MS - 1)
    not_begun = Season("to-come", NOW + 1, NOW + 9 * DAY_MS)

    def fields_of(*windows: Season) -> list[str]:
        schedule = Schedule(windows, "Europe/Berlin", retention_days, 60)
        return [one.field for one in schedule_change_problems(CALENDAR, schedule, NOW)]

    assert fields_of(shorter) == fields_of(not_begun) == []
    assert fields_of(longer) == ([] if retention_days is None else ["windows.0.end"])
