"""Calendars: the windows of a live board through every change of its schedule.

A calendar is made of eras, each with the schedule that an operator gave the board then, and answers
as a schedule does. What a change does:

- Days, weeks and months take a new zone when the open window ends; `domain/courses.py` says how.
- A season that has not begun takes its new bounds; one that is open takes a new end and keeps its
  start; one that is over stays what it was.
- What is taken away ends then: no later result goes there, its windows live out their grace and
  retention. A season that had not begun was never there. `all` and a season that began do not
  come back.
- The retention and grace of a window are those of the era it started in: for what was added after
  its start, of the era that added it.

Cost: with one era that of its schedule; with more, about twice that, and once an instance some 30
microseconds an era, for a board with every kind of window, to work out what they come to.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from lambdas.domain.courses import Course
from lambdas.domain.errors import WindowNotFoundError
from lambdas.domain.schedules import Schedule, Season, Target, WindowRules, name_listed
from lambdas.domain.windows import ALL_TIME, Window, WindowKind, periodic_kind


@dataclass(frozen=True)
class Era:
    """The schedule in force from an instant, in ms since 1970, until the next era."""

    since_ms: int
    schedule: Schedule


@dataclass(frozen=True)
class Calendar(WindowRules):
    """The windows of a board.

    Attributes:
        eras: at least one, each later than the one before; the first also says what was before it.
    """

    eras: tuple[Era, ...]

    @property
    def schedule(self) -> Schedule:
        """The schedule that the board was given last."""
        return self.eras[-1].schedule

    @cached_property
    def courses(self) -> Mapping[WindowKind, Course]:
        """The days, weeks and months there ever are, by kind."""
        first, *later = self.eras
        zone = first.schedule.time_zone
        courses = {kind: Course.along(kind, zone) for kind in _periodic(first.schedule)}
        for era in later:
            kinds = _periodic(era.schedule)
            for kind in dict.fromkeys((*courses, *kinds)):
                course = courses.get(kind, Course(kind))
                zone_then = era.schedule.time_zone if kind in kinds else None
                courses[kind] = course.changed(zone_then, era.since_ms)
        return courses

    @cached_property
    def fixed(self) -> Mapping[str, Window]:
        """The windows that no calendar bounds, `all` and seasons, by name."""
        first, *later = self.eras
        windows = _fixed(first.schedule)
        for era in later:
            wanted = _fixed(era.schedule)
            names = dict.fromkeys((*windows, *wanted))
            changed = {
                name: _changed(windows.get(name), wanted.get(name), era.since_ms) for name in names
            }
            windows = {name: window for name, window in changed.items() if window}
        return windows

    def _named(self, name: str) -> Window:
        if self._only:
            return self._only._named(name)
        kind = periodic_kind(name)
        course = self.courses.get(kind) if kind else None
        window = course.named(name) if course else self.fixed.get(name)
        if not window:
            raise WindowNotFoundError(name)
        return window

    def targets(self, achieved_at_ms: int, now_ms: int) -> tuple[Target, ...]:
        """Where a result goes, in the board's order; what was taken away takes late ones, last."""
        late = (self._late_target(one, achieved_at_ms, now_ms) for one in self._taken_away(now_ms))
        return (*super().targets(achieved_at_ms, now_ms), *(target for target in late if target))

    def _listed(self, now_ms: int) -> tuple[WindowKind | Season, ...]:
        return self.eras[self._place(now_ms)].schedule.windows

    def _ever_listed(self, now_ms: int) -> tuple[WindowKind | Season, ...]:
        return (*self._listed(now_ms), *self._taken_away(now_ms))

    def _latest(self, one: WindowKind | Season, at_ms: int) -> Window | None:
        if self._only:
            return self._only._latest(one, at_ms)
        name = name_listed(one)
        if not isinstance(one, Season) and one in self.courses:
            return self.courses[one].latest(at_ms)
        window = self.fixed.get(name)
        return window if window and window.start_ms <= at_ms else None

    def _terms(self, window: Window) -> Schedule:
        if self._only:
            return self._only
        name = periodic_kind(window.name) or window.name
        later = (era.schedule for era in self.eras[self._place(window.start_ms) :])
        return next((one for one in later if name in _listing(one)), self.schedule)

    @property
    def _only(self) -> Schedule | None:
        return self.eras[0].schedule if len(self.eras) == 1 else None

    def _place(self, at_ms: int) -> int:
        return max(0, bisect_right(self.eras, at_ms, key=lambda era: era.since_ms) - 1)

    def _taken_away(self, now_ms: int) -> tuple[WindowKind | Season, ...]:
        return self._all_taken_away[self._place(now_ms)]

    @cached_property
    def _all_taken_away(self) -> tuple[tuple[WindowKind | Season, ...], ...]:
        """For each era what earlier ones had, and it has not."""
        seen = dict[str, WindowKind | Season]()
        taken_away = []
        for era in self.eras:
            listing = _listing(era.schedule)
            taken_away.append(tuple(one for name, one in seen.items() if name not in listing))
            seen |= listing
        return tuple(taken_away)


def _listing(schedule: Schedule) -> Mapping[str, WindowKind | Season]:
    return {name_listed(one): one for one in schedule.windows}


def _periodic(schedule: Schedule) -> list[WindowKind]:
    return [one for one in schedule.windows if not isinstance(one, Season) and one != "all"]


def _fixed(schedule: Schedule) -> dict[str, Window]:
    windows = (
        one.window if isinstance(one, Season) else ALL_TIME
        for one in schedule.windows
        if isinstance(one, Season) or one == "all"
    )
    return {window.name: window for window in windows}


def _changed(window: Window | None, wanted: Window | None, since_ms: int) -> Window | None:
    """What becomes of a fixed window when the board is given another, or none, of its name."""
    if window is None or window.start_ms >= since_ms:
        return wanted
    if window.has_ended(since_ms):
        return window
    return window._replace(end_ms=wanted.end_ms if wanted else since_ms)
