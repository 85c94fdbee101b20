"""Schedules and calendars: states tell where results go, and one schedule is its own calendar."""

from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.schedule_changes import changed, schedule_change_problems
from lambdas.domain.schedules import MAX_GRACE_SECONDS, Schedule, Season, WindowRules
from lambdas.domain.windows import Window, WindowKind, window_at
from tests.instants import ms

KINDS: tuple[WindowKind, ...] = ("all", "daily", "weekly", "monthly")
DAY_MS = 86_400_000
START = ms("2026-11-28")
ZONES = st.sampled_from(
    [
        *("Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Apia", "Australia/Lord_Howe"),
        *("Europe/Berlin", "America/New_York", "UTC", "Asia/Kolkata"),
    ]
)
SEASONS = st.builds(
    lambda name, start, length: Season(name, START + start, START + start + length),
    st.sampled_from("abc"),
    st.integers(-2 * DAY_MS, 9 * DAY_MS),
    st.integers(1, 5 * DAY_MS),
)
SCHEDULES = st.builds(
    lambda kinds, seasons, *terms: Schedule((*kinds, *seasons), *terms),
    st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
    st.lists(SEASONS, max_size=3, unique_by=lambda season: season.name),
    ZONES,
    st.none() | st.integers(1, 9),
    st.sampled_from([0, 1, 600, 3 * 86_400, MAX_GRACE_SECONDS]),
)
INSTANTS = st.integers(START, START + 12 * DAY_MS)
CHANGES = st.lists(st.tuples(st.integers(1, 2 * DAY_MS), SCHEDULES), max_size=6)


def grown(first: Schedule, changes: list[tuple[int, Schedule]]) -> Calendar:
    """A calendar with every change that a live board can take."""
    calendar = Calendar((Era(0, first),))
    now_ms = START
    for pause, schedule in changes:
        now_ms += pause
        if not list(schedule_change_problems(calendar, schedule, now_ms)):
            calendar = changed(calendar, schedule, now_ms)
    return calendar


def windows_about(rules: WindowRules, now_ms: int) -> set[Window]:
    """The windows that there are some days before and after an instant."""
    names = {"all", "s:a", "s:b", "s:c"}
    for kind in KINDS[1:]:
        for day in range(-9, 3):
            names.add(window_at(kind, "UTC", now_ms + day * DAY_MS).name)
    found = set[Window]()
    for name in names:
        try:
            found.add(rules.named(name))
        except WindowNotFoundError:
            continue
    return found


def assert_states_tell_where_results_go(rules: WindowRules, now_ms: int) -> None:
    """Checks that a window is open or closing if and only if some result feeds it."""
    for window in windows_about(rules, now_ms):
        targets = rules.targets(window.start_ms, now_ms)
        is_fed = (window, False) in targets
        state = rules.state(window, now_ms)
        assert is_fed == (state in ("open", "closing")), (window, state)
        assert (state == "open") == (window in rules.current(now_ms))
        if state == "closing":
            assert window.end_ms is not None
            assert (window, False) in rules.targets(window.end_ms - 1, now_ms)
            assert (window, False) not in rules.targets(window.end_ms, now_ms)


@given(SCHEDULES, INSTANTS)
@example(Schedule(("daily",), grace_seconds=3 * 86_400), START + 1)
def test_a_window_of_a_schedule_is_closing_while_it_takes_late_results(
    schedule: Schedule, now_ms: int
) -> None:
    """Neither longer nor shorter, however long the grace period of a short window is."""
    assert_states_tell_where_results_go(schedule, now_ms)


@given(SCHEDULES, CHANGES, st.integers(0, 4 * DAY_MS))
def test_a_window_of_a_calendar_is_closing_while_it_takes_late_results(
    first: Schedule, changes: list[tuple[int, Schedule]], later_ms: int
) -> None:
    """Through every change, for windows that are gone with their kind as well."""
    calendar = grown(first, changes)
    assert_states_tell_where_results_go(calendar, max(START, calendar.eras[-1].since_ms) + later_ms)


@given(SCHEDULES, INSTANTS, INSTANTS, INSTANTS)
def test_a_calendar_of_one_schedule_answers_as_it_does(
    schedule: Schedule, now_ms: int, achieved_at_ms: int, since_ms: int
) -> None:
    """With one era, and also where a second era changes nothing."""
    alone, twice = (
        Calendar(eras)
        for eras in (
            (Era(0, schedule),),
            (Era(0, schedule), Era(since_ms, schedule)),
        )
    )
    for calendar in (alone, twice):
        assert calendar.current(now_ms) == schedule.current(now_ms)
        for at_ms in (achieved_at_ms, now_ms, now_ms - DAY_MS, now_ms - 7 * DAY_MS):
            assert calendar.targets(at_ms, now_ms) == schedule.targets(at_ms, now_ms)
        windows = windows_about(schedule, now_ms)
        assert windows_about(calendar, now_ms) == windows
        for window in windows:
            assert calendar.state(window, now_ms) == schedule.state(window, now_ms)
            assert calendar.is_retained(window, now_ms) == schedule.is_retained(window, now_ms)
            assert calendar.expires_at(window) == schedule.expires_at(window)


@given(SCHEDULES, CHANGES)
def test_what_was_open_is_found_ever_after(
    first: Schedule, changes: list[tuple[int, Schedule]]
) -> None:
    """Through every change a window keeps its name, its first start and its terms."""
    calendar, now_ms = Calendar((Era(0, first),)), START
    seen: list[tuple[int, Window, Schedule]] = []
    for pause, schedule in changes:
        open_now = calendar.current(now_ms + pause - 1)
        seen += [(now_ms + pause - 1, window, calendar._terms(window)) for window in open_now]
        now_ms += pause
        if not list(schedule_change_problems(calendar, schedule, now_ms)):
            calendar = changed(calendar, schedule, now_ms)
    for at_ms, window, terms in seen:
        found = calendar.named(window.name)
        assert found.start_ms == window.start_ms
        assert found.holds(at_ms)
        kept = calendar._terms(found)
        assert (kept.retention_days, kept.grace_seconds) == (
            terms.retention_days,
            terms.grace_seconds,
        )
