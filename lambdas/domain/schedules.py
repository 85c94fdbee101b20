"""Schedules: which windows a board has, when each takes results, and how long it is kept.

Everything follows from the server's clock and the board's own time zone. When a result was
achieved picks no window, but for one that is just over and in its grace period.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from lambdas.domain.errors import FieldProblem, WindowNotFoundError
from lambdas.domain.segments import split_name, whole_of
from lambdas.domain.windows import Window, WindowKind, periodic_kind, window_at, window_named
from lambdas.domain.zones import time_zones

SEASON_NAME_PATTERN: Final = "^[a-z0-9-]{1,64}$"
MAX_SEASONS: Final = 20
MAX_RETENTION_DAYS: Final = 3_650
MAX_GRACE_SECONDS: Final = 7 * 86_400
# Items are stamped when they are written, and a window may end later than was thought then: a move
# west makes an open one up to 26 hours longer. The rest is for slow clocks and reads under way.
EXPIRY_MARGIN_SECONDS: Final = 2 * 86_400
_LATEST_MS: Final = 10**13 - 1  # rank keys write times in 13 digits
_DAY_MS: Final = 86_400_000
_KINDS: Final = get_args(WindowKind)

WindowState = Literal["future", "open", "closing", "closed", "final"]


@dataclass(frozen=True)
class Season:
    """A named window with bounds of its own, in ms since 1970; the end is not part of it."""

    name: str
    start_ms: int
    end_ms: int

    @property
    def window(self) -> Window:
        """The window it is."""
        return Window(f"s:{self.name}", self.start_ms, self.end_ms)


def name_listed(one: WindowKind | Season) -> str:
    """What an element of a board's list of windows goes by; one list has no two of a name."""
    return one.window.name if isinstance(one, Season) else one


class Target(NamedTuple):
    """A window that a result was meant for; a closed one no longer takes it."""

    window: Window
    is_closed: bool


class WindowRules(ABC):
    """What follows for a board's windows from which they are, and from when to when."""

    def named(self, name: str) -> Window:
        """The window or segment of that name, whether it is past, current or to come.

        Raises:
            WindowNotFoundError: this board never has such a window.
        """
        whole, segment = split_name(name)
        window = self._named(whole)
        return segment.of(window) if segment else window

    @abstractmethod
    def _named(self, name: str) -> Window:
        """The window of that name, which is no segment's."""

    @abstractmethod
    def _listed(self, now_ms: int) -> tuple[WindowKind | Season, ...]:
        """What the board's windows are made of at an instant, in the board's order."""

    def _ever_listed(self, now_ms: int) -> tuple[WindowKind | Season, ...]:
        """What the board's windows are made of by an instant, with what was taken away, last."""
        return self._listed(now_ms)

    @abstractmethod
    def _latest(self, one: WindowKind | Season, at_ms: int) -> Window | None:
        """Its window that holds an instant, else the last one over by then; None before all."""

    @abstractmethod
    def _terms(self, window: Window) -> "Schedule":
        """The schedule whose retention and grace period are the window's."""

    def current(self, now_ms: int) -> tuple[Window, ...]:
        """The windows that hold this instant, in the board's order; seasons may leave it empty."""
        windows = (self._latest(one, now_ms) for one in self._listed(now_ms))
        return tuple(window for window in windows if window and window.holds(now_ms))

    def first(self, now_ms: int) -> Window:
        """The window that a read means when it names none: the board's first that is open.

        While none is, the latest one over; before all of them, the first season to come.
        """
        windows = [self._latest(one, now_ms) for one in self._listed(now_ms)]
        begun = [window for window in windows if window]
        if begun:
            return next((one for one in begun if one.holds(now_ms)), begun[0])
        return next(one.window for one in self._listed(now_ms) if isinstance(one, Season))

    def of_kind(self, kind: str, now_ms: int) -> Window | None:
        """The current window of a kind, or the last one; None if the board has no such kind."""
        return next(
            (self._latest(one, now_ms) for one in self._listed(now_ms) if one == kind), None
        )

    def recent(self, now_ms: int) -> tuple[Window, ...]:
        """The current windows, the one just over of each kind, and every season that has begun."""
        found: dict[str, Window] = {}
        for one in self._ever_listed(now_ms):
            for window in (self._latest(one, now_ms), self._just_over(one, now_ms)):
                if window and self.is_retained(window, now_ms):
                    found.setdefault(window.name, window)
        return tuple(found.values())

    def targets(self, achieved_at_ms: int, now_ms: int) -> tuple[Target, ...]:
        """Where a result goes, in the board's order.

        It feeds the current window of each kind, or else the one just over, if it was achieved in
        that one and its grace period lasts. A season that has not begun is left out; one that has
        ended is closed, unless it takes the result likewise. None open means nothing to write.
        """
        found = (self._target(one, achieved_at_ms, now_ms) for one in self._listed(now_ms))
        return tuple(target for target in found if target)

    def state(self, window: Window, now_ms: int, *, is_final: bool = False) -> WindowState:
        """What a window is at an instant; `is_final` says whether a closed one was found final.

        It is closing exactly as long as there are results that it takes late: while its grace
        period lasts, and no later window of its kind is over.
        """
        if now_ms < window.start_ms:
            return "future"
        if not window.has_ended(now_ms):
            return "open"
        if self._takes_late_results(window, now_ms):
            return "closing"
        return "final" if is_final else "closed"

    def is_retained(self, window: Window, now_ms: int) -> bool:
        """Whether a window can still be read."""
        kept_until_ms = self._kept_until_ms(window)
        return kept_until_ms is None or now_ms < kept_until_ms

    def expires_at(self, window: Window) -> int | None:
        """When its items may be removed, in seconds since 1970 as TTL has it; None for never."""
        kept_until_ms = self._kept_until_ms(window)
        if kept_until_ms is None:
            return None
        return -(-kept_until_ms // 1_000) + EXPIRY_MARGIN_SECONDS

    def _kept_until_ms(self, window: Window) -> int | None:
        days = self._terms(whole_of(window)).retention_days
        if window.end_ms is None or days is None:
            return None
        return window.end_ms + days * _DAY_MS

    def _target(self, one: WindowKind | Season, achieved_at_ms: int, now_ms: int) -> Target | None:
        latest = self._latest(one, now_ms)
        if latest is None:
            return None
        is_open = latest.holds(now_ms)
        if is_open and achieved_at_ms >= latest.start_ms:
            return Target(latest, False)
        late = self._late_target(one, achieved_at_ms, now_ms)
        if late or is_open:
            return late or Target(latest, False)
        return Target(latest, True) if isinstance(one, Season) else None

    def _late_target(
        self, one: WindowKind | Season, achieved_at_ms: int, now_ms: int
    ) -> Target | None:
        over = self._just_over(one, now_ms)
        if over and over.holds(achieved_at_ms) and self._takes_late_results(over, now_ms):
            return Target(over, False)
        return None

    def _takes_late_results(self, window: Window, now_ms: int) -> bool:
        window = whole_of(window)
        grace_ms = self._terms(window).grace_seconds * 1_000
        if window.end_ms is None or not window.end_ms <= now_ms < window.end_ms + grace_ms:
            return False
        kind = periodic_kind(window.name)
        over = self._just_over(kind, now_ms) if kind else window
        return over is not None and over.name == window.name

    def _just_over(self, one: WindowKind | Season, now_ms: int) -> Window | None:
        latest = self._latest(one, now_ms)
        if latest is None or latest.has_ended(now_ms):
            return latest
        return self._latest(one, latest.start_ms - 1)


@dataclass(frozen=True)
class Schedule(WindowRules):
    """The windows of a board.

    Attributes:
        windows: kinds and seasons; the first is the board's first.
        time_zone: the IANA name of the zone whose days, weeks and months they are.
        retention_days: how long a window can be read after its end; None for ever.
        grace_seconds: how long after its end a window still takes what was achieved in it.
    """

    windows: tuple[WindowKind | Season, ...] = ("all",)
    time_zone: str = "UTC"
    retention_days: int | None = None
    grace_seconds: int = 0

    def _named(self, name: str) -> Window:
        for one in self.windows:
            if isinstance(one, Season):
                window = one.window if one.window.name == name else None
            else:
                window = window_named(one, self.time_zone, name)
            if window:
                return window
        raise WindowNotFoundError(name)

    def _listed(self, now_ms: int) -> tuple[WindowKind | Season, ...]:  # noqa: ARG002
        return self.windows

    def _latest(self, one: WindowKind | Season, at_ms: int) -> Window | None:
        if isinstance(one, Season):
            return one.window if one.start_ms <= at_ms else None
        return window_at(one, self.time_zone, at_ms)

    def _terms(self, window: Window) -> "Schedule":  # noqa: ARG002
        return self


def schedule_problems(schedule: Schedule) -> Iterator[FieldProblem]:
    """What is wrong with a schedule, field by field; nothing if a board may have it."""
    yield from _window_problems(schedule.windows)
    if schedule.time_zone not in time_zones():
        yield FieldProblem("time_zone", "Must be the IANA name of a zone, as Europe/Berlin.")
    days, grace = schedule.retention_days, schedule.grace_seconds
    if days is not None and not 1 <= days <= MAX_RETENTION_DAYS:
        yield FieldProblem("retention_days", f"Must be 1 to {MAX_RETENTION_DAYS}, or none.")
    if not 0 <= grace <= MAX_GRACE_SECONDS:
        yield FieldProblem("grace_seconds", f"Must be 0 to {MAX_GRACE_SECONDS}.")
    elif days is not None and 0 < days * 86_400 < grace:
        yield FieldProblem("grace_seconds", "Must not last longer than retention_days.")


def _window_problems(windows: tuple[WindowKind | Season, ...]) -> Iterator[FieldProblem]:
    if not windows:
        yield FieldProblem("windows", "A board has at least one window.")
    if sum(isinstance(one, Season) for one in windows) > MAX_SEASONS:
        yield FieldProblem("windows", f"A board has at most {MAX_SEASONS} seasons.")
        return
    seen = set[str]()
    for place, one in enumerate(windows):
        field = f"windows.{place}"
        if isinstance(one, Season):
            yield from _season_problems(field, one)
        elif one not in _KINDS:
            yield FieldProblem(field, f"Must be one of {', '.join(_KINDS)}, or a season.")
        name = name_listed(one)
        if name in seen:
            yield FieldProblem(field, "Is in the list already.")
        seen.add(name)


def _season_problems(field: str, season: Season) -> Iterator[FieldProblem]:
    if not re.fullmatch(SEASON_NAME_PATTERN, season.name):
        yield FieldProblem(
            f"{field}.season", "Must be 1 to 64 lower-case letters, digits and hyphens."
        )
    if season.start_ms < 0:
        yield FieldProblem(f"{field}.start", "Must be milliseconds since 1970.")
    if not max(0, season.start_ms) < season.end_ms <= _LATEST_MS:
        yield FieldProblem(
            f"{field}.end", f"Must be after the season's start, and at most {_LATEST_MS}."
        )
