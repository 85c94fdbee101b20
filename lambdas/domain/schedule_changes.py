"""Changes of a live board's schedule: which there can be, and the calendar that comes of them."""

from collections.abc import Iterator
from typing import Final

from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.errors import FieldProblem, InvalidFieldsError
from lambdas.domain.schedules import Schedule, Season, name_listed
from lambdas.domain.windows import Window

MAX_ERAS: Final = 50  # an item of the board holds them all, and each is worked out on a cold start
_STAMPED: Final = (
    "Has begun, and with retention_days cannot end later: its entries would be gone too early."
)
_OVER: Final = "Is over, and does not come back: a season needs another name."


def changed(calendar: Calendar, schedule: Schedule, now_ms: int) -> Calendar:
    """The calendar after a change to a schedule in which `schedule_problems` finds nothing.

    It is the same calendar if the schedule is the board's own, and no new era where the windows
    come out as if the schedule had been in force since the last change: a season announced in time
    adds none.

    Args:
        now_ms: from when on it is in force. Functions that hear of it later go on as before till
            then, so it is best an instant by which all of them have.

    Raises:
        InvalidFieldsError: a live board cannot change so.
    """
    problems = list(schedule_change_problems(calendar, schedule, now_ms))
    if problems:
        raise InvalidFieldsError(problems)
    return _changed(calendar, schedule, now_ms)


def schedule_change_problems(
    calendar: Calendar, schedule: Schedule, now_ms: int
) -> Iterator[FieldProblem]:
    """What a live board cannot change, field by field; nothing if it can."""
    since_ms = _since(calendar, now_ms)
    for place, one in enumerate(schedule.windows):
        window = calendar.fixed.get(name_listed(one))
        if isinstance(one, Season):
            field = f"windows.{place}"
            yield from _season_problems(field, one.window, window, since_ms)
            if window and _outlasts_its_items(one.window, window, schedule, since_ms):
                yield FieldProblem(f"{field}.end", _STAMPED)
        elif window and window.has_ended(since_ms):
            yield FieldProblem(f"windows.{place}", _OVER)
    if len(_changed(calendar, schedule, now_ms).eras) > MAX_ERAS:
        yield FieldProblem(
            "windows", f"A board's windows change at most {MAX_ERAS - 1} times; make another board."
        )


def _season_problems(
    field: str, wanted: Window, window: Window | None, since_ms: int
) -> Iterator[FieldProblem]:
    if wanted == window:
        return
    if window and window.has_ended(since_ms):
        yield FieldProblem(field, _OVER)
        return
    if window and window.start_ms < since_ms and window.start_ms != wanted.start_ms:
        yield FieldProblem(f"{field}.start", "Has begun, and keeps its start.")
    if wanted.has_ended(since_ms):
        yield FieldProblem(f"{field}.end", "Must be later than the change.")


def _outlasts_its_items(wanted: Window, window: Window, schedule: Schedule, since_ms: int) -> bool:
    """Whether a season that may have items already is to end later than they were stamped for."""
    ends = wanted.end_ms, window.end_ms
    is_longer = None not in ends and ends[0] > ends[1]  # type: ignore[operator]
    return is_longer and window.start_ms < since_ms and schedule.retention_days is not None


def _changed(calendar: Calendar, schedule: Schedule, now_ms: int) -> Calendar:
    if schedule == calendar.schedule:
        return calendar
    *earlier, last = calendar.eras
    amended = Calendar((*earlier, Era(last.since_ms, schedule)))
    grown = Calendar((*calendar.eras, Era(_since(calendar, now_ms), schedule)))
    return amended if _come_to_the_same(amended, grown) else grown


def _come_to_the_same(amended: Calendar, grown: Calendar) -> bool:
    before, after = grown.eras[-2].schedule, grown.schedule
    terms_stay = (before.retention_days, before.grace_seconds) == (
        after.retention_days,
        after.grace_seconds,
    )
    windows_stay = (amended.courses, amended.fixed) == (grown.courses, grown.fixed)
    return terms_stay and windows_stay


def _since(calendar: Calendar, now_ms: int) -> int:
    """Eras follow one another, also where one clock is behind another."""
    return max(now_ms, calendar.eras[-1].since_ms + 1)
