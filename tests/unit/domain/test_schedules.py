"""Schedules: where results go, what state a window is in, and which schedules make sense."""

from typing import Any

import pytest

from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.schedules import (
    EXPIRY_MARGIN_SECONDS,
    MAX_GRACE_SECONDS,
    Schedule,
    Season,
    schedule_problems,
)
from lambdas.domain.windows import ALL_TIME, Window
from tests.instants import ms

DAY_MS = 86_400_000
WINTER = Season("winter", ms("2026-12-01"), ms("2027-03-01"))
SEASONAL = Schedule((WINTER,), grace_seconds=60)
BERLIN = Schedule(
    ("all", "daily", "weekly", "monthly", WINTER), "Europe/Berlin", 30, grace_seconds=600
)
MIDNIGHT = ms("2026-11-29T23:00")  # Monday, 30 November, in Berlin


def names(schedule: Schedule, achieved_at_ms: int, now_ms: int) -> list[str]:
    """The windows that a result feeds, and those that are closed to it in parentheses."""
    return [
        f"({target.window.name})" if target.is_closed else target.window.name
        for target in schedule.targets(achieved_at_ms, now_ms)
    ]


def problems_of(**changes: Any) -> list[str]:
    """The fields that a schedule is refused for; none if it is taken."""
    return [problem.field for problem in schedule_problems(Schedule(**changes))]


def test_a_board_has_one_endless_window_unless_told() -> None:
    """The defaults are `all`, kept for ever."""
    schedule = Schedule()
    assert (schedule.windows, schedule.time_zone) == (("all",), "UTC")
    assert (schedule.retention_days, schedule.grace_seconds) == (None, 0)
    assert schedule.current(0) == (ALL_TIME,)
    assert schedule.targets(0, 5) == ((ALL_TIME, False),)
    assert not list(schedule_problems(schedule))


def test_current_windows_come_in_the_boards_order() -> None:
    """The first window stays the first; a season is current from its start until before its end."""
    schedule = Schedule((WINTER, "monthly", "all", "daily", "weekly"), "Europe/Berlin")
    kinds = ["m2026-12", "all", "d2026-12-01", "w2026-W49"]
    for at_ms, expected in (
        (WINTER.start_ms - 1, kinds),
        (WINTER.start_ms, ["s:winter", *kinds]),
        (WINTER.end_ms - 1, ["s:winter", "m2027-03", "all", "d2027-03-01", "w2027-W09"]),
        (WINTER.end_ms, ["m2027-03", "all", "d2027-03-01", "w2027-W09"]),
    ):
        assert [window.name for window in schedule.current(at_ms)] == expected


def test_windows_are_found_by_name() -> None:
    """Past, current or to come, in the board's own zone."""
    assert BERLIN.named("all") == ALL_TIME
    assert BERLIN.named("d2026-11-30") == ("d2026-11-30", MIDNIGHT, MIDNIGHT + DAY_MS)
    assert BERLIN.named("w2026-W49").start_ms == MIDNIGHT
    assert BERLIN.named("m2026-11").end_ms == ms("2026-11-30T23:00")
    assert BERLIN.named("s:winter") == ("s:winter", WINTER.start_ms, WINTER.end_ms)


@pytest.mark.parametrize(
    "name", ["", "winter", "s:", "s:summer", "s:Winter", "s:winter@", "d2026-02-30"]
)
def test_windows_that_no_board_has(name: str) -> None:
    """Impossible names and seasons of other boards are no windows."""
    with pytest.raises(WindowNotFoundError, match=f"^{name}$"):
        BERLIN.named(name)


@pytest.mark.parametrize("name", ["all", "w2026-W49", "m2026-11", "s:winter"])
def test_windows_of_a_kind_the_board_lacks(name: str) -> None:
    """A board of days has days alone."""
    with pytest.raises(WindowNotFoundError):
        Schedule(("daily",)).named(name)


def test_a_result_feeds_the_current_windows() -> None:
    """Whenever it was achieved: the server's clock picks them, a minute ahead or years behind."""
    now_ms = MIDNIGHT + 12 * 3_600_000
    for achieved_at_ms in (0, now_ms - 1, now_ms, now_ms + 60_000):
        assert names(BERLIN, achieved_at_ms, now_ms) == [
            *("all", "d2026-11-30", "w2026-W49", "m2026-11")
        ]
    before = MIDNIGHT - 1
    assert names(BERLIN, MIDNIGHT + 59_999, before) == [
        *("all", "d2026-11-29", "w2026-W48", "m2026-11")
    ]


@pytest.mark.parametrize(
    ("achieved", "now", "expected"),
    [
        (-1, 0, ["d2026-11-29", "w2026-W48"]),
        (-1, 599_999, ["d2026-11-29", "w2026-W48"]),
        (-1, 600_000, ["d2026-11-30", "w2026-W49"]),
        (0, 0, ["d2026-11-30", "w2026-W49"]),
        (0, 599_999, ["d2026-11-30", "w2026-W49"]),
        (-DAY_MS, 0, ["d2026-11-29", "w2026-W48"]),
        (-DAY_MS - 1, 0, ["d2026-11-30", "w2026-W48"]),
        (-7 * DAY_MS, 0, ["d2026-11-30", "w2026-W48"]),
        (-7 * DAY_MS - 1, 0, ["d2026-11-30", "w2026-W49"]),
    ],
)
def test_the_window_just_over_takes_what_was_achieved_in_it(
    achieved: int, now: int, expected: list[str]
) -> None:
    """Through its grace period, from its first millisecond to its last; what is older goes on."""
    schedule = Schedule(("daily", "weekly"), "Europe/Berlin", grace_seconds=600)
    assert names(schedule, MIDNIGHT + achieved, MIDNIGHT + now) == expected


def test_without_grace_nothing_goes_back() -> None:
    """A window that is over with no grace period takes nothing more."""
    schedule = Schedule(("daily",), "Europe/Berlin")
    assert names(schedule, MIDNIGHT - 1, MIDNIGHT) == ["d2026-11-30"]


def test_only_the_window_just_over_takes_late_results() -> None:
    """A grace period of a week reaches back one day on a board of days."""
    schedule = Schedule(("daily",), "Europe/Berlin", grace_seconds=MAX_GRACE_SECONDS)
    now_ms = MIDNIGHT + 1
    assert names(schedule, MIDNIGHT - DAY_MS, now_ms) == ["d2026-11-29"]
    assert names(schedule, MIDNIGHT - DAY_MS - 1, now_ms) == ["d2026-11-30"]


@pytest.mark.parametrize(
    ("achieved", "now", "expected"),
    [
        (WINTER.start_ms, WINTER.start_ms - 1, []),
        (WINTER.start_ms - 1, WINTER.start_ms, ["s:winter"]),
        (WINTER.end_ms - 1, WINTER.end_ms - 1, ["s:winter"]),
        (WINTER.end_ms, WINTER.end_ms - 1, ["s:winter"]),
        (WINTER.end_ms - 1, WINTER.end_ms, ["s:winter"]),
        (WINTER.start_ms, WINTER.end_ms, ["s:winter"]),
        (WINTER.end_ms - 1, WINTER.end_ms + 59_999, ["s:winter"]),
        (WINTER.start_ms - 1, WINTER.end_ms, ["(s:winter)"]),
        (WINTER.end_ms, WINTER.end_ms, ["(s:winter)"]),
        (WINTER.end_ms - 1, WINTER.end_ms + 60_000, ["(s:winter)"]),
        (WINTER.end_ms + DAY_MS, WINTER.end_ms + DAY_MS, ["(s:winter)"]),
    ],
)
def test_a_season_opens_closes_and_says_so(achieved: int, now: int, expected: list[str]) -> None:
    """Left out before its start, fed until its end, then only late results, then closed."""
    assert names(SEASONAL, achieved, now) == expected


def test_a_season_is_closed_for_itself_alone() -> None:
    """The other windows of its board are fed as ever."""
    now_ms = WINTER.end_ms + DAY_MS
    schedule = Schedule((WINTER, "all", "monthly"))
    assert names(schedule, now_ms, now_ms) == ["(s:winter)", "all", "m2027-03"]


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (WINTER.start_ms - 1, "future"),
        (WINTER.start_ms, "open"),
        (WINTER.end_ms - 1, "open"),
        (WINTER.end_ms, "closing"),
        (WINTER.end_ms + 59_999, "closing"),
        (WINTER.end_ms + 60_000, "closed"),
    ],
)
def test_states_follow_one_another(now: int, state: str) -> None:
    """To the millisecond; only what is closed can be final."""
    assert SEASONAL.state(WINTER.window, now) == state
    final = "final" if state == "closed" else state
    assert SEASONAL.state(WINTER.window, now, is_final=True) == final


@pytest.mark.parametrize(
    ("grace_seconds", "after", "state"),
    [
        (3_600, 3_599_999, "closing"),
        (3_600, 3_600_000, "closed"),
        (2 * 86_400, DAY_MS - 1, "closing"),
        (2 * 86_400, DAY_MS, "closed"),
    ],
)
def test_a_day_is_closing_until_the_next_is_over(
    grace_seconds: int, after: int, state: str
) -> None:
    """Its grace ends then at the latest: only the window just over takes late results."""
    schedule = Schedule(("daily",), "Europe/Berlin", grace_seconds=grace_seconds)
    window = schedule.named("d2026-11-29")
    assert schedule.state(window, MIDNIGHT + after) == state
    late = names(schedule, MIDNIGHT - 1, MIDNIGHT + after)
    assert ("d2026-11-29" in late) == (state == "closing")


def test_all_is_always_open_and_never_expires() -> None:
    """The endless window knows neither closing nor retention."""
    for at_ms in (0, 10**13 - 1):
        assert BERLIN.state(ALL_TIME, at_ms) == "open"
        assert BERLIN.is_retained(ALL_TIME, at_ms)
    assert BERLIN.expires_at(ALL_TIME) is None


def test_a_window_is_kept_for_its_retention() -> None:
    """Readable for 30 days after its end, to the millisecond; a margin later it may go."""
    window = BERLIN.named("d2026-11-30")
    until_ms = MIDNIGHT + 31 * DAY_MS
    assert BERLIN.is_retained(window, until_ms - 1)
    assert not BERLIN.is_retained(window, until_ms)
    assert BERLIN.expires_at(window) == until_ms // 1_000 + EXPIRY_MARGIN_SECONDS
    assert EXPIRY_MARGIN_SECONDS == 2 * 86_400  # a move west and the slowest clock


def test_expiry_never_comes_early() -> None:
    """A season that ends within a second expires with the next one."""
    schedule = Schedule(retention_days=1)
    day, margin = 86_400, EXPIRY_MARGIN_SECONDS
    for end_ms, seconds in ((1_000, 1), (1_001, 2), (1_999, 2), (2_000, 2)):
        assert schedule.expires_at(Window("s:x", 0, end_ms)) == seconds + day + margin


def test_without_retention_windows_stay() -> None:
    """A board with no retention keeps what is over."""
    assert SEASONAL.is_retained(WINTER.window, 10**13 - 1)
    assert SEASONAL.expires_at(WINTER.window) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"windows": ("daily",)},
        {"windows": ("monthly", WINTER, "weekly", "all", "daily")},
        {"windows": (Season("-", 0, 1),)},
        {"windows": (Season("0" * 64, 10**13 - 2, 10**13 - 1),)},
        {"windows": tuple(Season(f"s{n}", 0, 1) for n in range(20))},
        {"windows": (Season("daily", 0, 1), "daily", Season("all", 0, 1))},
        {"time_zone": "Pacific/Apia"},
        {"retention_days": 1},
        {"retention_days": 3_650},
        {"retention_days": 1, "grace_seconds": 86_400},
        {"retention_days": 7, "grace_seconds": 604_800},
        {"grace_seconds": 604_800},
    ],
)
def test_schedules_that_make_sense(changes: dict[str, Any]) -> None:
    """Every value up to and with its limits is taken."""
    assert problems_of(**changes) == []


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"windows": ()}, ["windows"]),
        ({"windows": ("hourly",)}, ["windows.0"]),
        ({"windows": ("all", "Daily", "d2026-11-30")}, ["windows.1", "windows.2"]),
        ({"windows": ("s:winter",)}, ["windows.0"]),
        ({"windows": ("all", "daily", "all")}, ["windows.2"]),
        ({"windows": (WINTER, Season("winter", 0, 1))}, ["windows.1"]),
        ({"windows": tuple(Season(f"s{n}", 0, 1) for n in range(21))}, ["windows"]),
        *(
            ({"windows": (Season(name, 0, 1),)}, ["windows.0.season"])
            for name in ("", "0" * 65, "Winter", "a_b", "a#b", "a@b", "a:b", "a\n", "\u0661")
        ),
        ({"windows": (Season("a", 5, 5),)}, ["windows.0.end"]),
        ({"windows": ("all", Season("a", 5, 4))}, ["windows.1.end"]),
        ({"windows": (Season("a", -1, 4),)}, ["windows.0.start"]),
        ({"windows": (Season("a", 0, 10**13),)}, ["windows.0.end"]),
        ({"windows": (Season("a", -2, -1),)}, ["windows.0.start", "windows.0.end"]),
        ({"windows": (Season("a", 10**13, 10**13 + 1),)}, ["windows.0.end"]),
        ({"windows": (Season("a", -1, 0),)}, ["windows.0.start", "windows.0.end"]),
        ({"time_zone": "../etc/passwd"}, ["time_zone"]),
        ({"time_zone": ""}, ["time_zone"]),
        ({"time_zone": "Factory"}, ["time_zone"]),
        ({"retention_days": 0}, ["retention_days"]),
        ({"retention_days": 3_651}, ["retention_days"]),
        ({"grace_seconds": -1}, ["grace_seconds"]),
        ({"grace_seconds": 604_801}, ["grace_seconds"]),
        ({"retention_days": 1, "grace_seconds": 86_401}, ["grace_seconds"]),
        ({"retention_days": 0, "grace_seconds": 1}, ["retention_days"]),
    ],
)
def test_schedules_that_do_not(changes: dict[str, Any], fields: list[str]) -> None:
    """The first value past a limit is refused, under the field's own name."""
    assert problems_of(**changes) == fields


def test_every_wrong_field_is_named_at_once() -> None:
    """One answer tells all that has to be mended."""
    season = Season("A", 5, 5)
    wrong = {"time_zone": "Mars", "retention_days": 0, "grace_seconds": -1}
    assert problems_of(windows=("daily", "daily", season, "x"), **wrong) == [
        *("windows.1", "windows.2.season", "windows.2.end", "windows.3"),
        *("time_zone", "retention_days", "grace_seconds"),
    ]
