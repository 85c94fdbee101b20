"""Schedules: which windows a board has, when each takes results, and how long it is kept.

Everything follows from the server's clock and the board's own time zone. When a result was
achieved picks no window, but for one that is just over and in its grace period.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from lambdas.domain.errors import FieldProblem, WindowNotFoundError
from lambdas.domain.windows import Window, WindowKind, window_at, window_before, window_named
from lambdas.domain.zones import time_zones

SEASON_NAME_PATTERN: Final = "^[a-z0-9-]{1,64}$"
MAX_SEASONS: Final = 20
MAX_RETENTION_DAYS: Final = 3_650
MAX_GRACE_SECONDS: Final = 7 * 86_400
# What a read began while its window was readable may still find there, on a slow clock too.
EXPIRY_MARGIN_SECONDS: Final = 86_400
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


class Target(NamedTuple):
    """A window that a result was meant for; a closed one no longer takes it."""

    window: Window
    is_closed: bool


@dataclass(frozen=True)
class Schedule:
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

    def current(self, now_ms: int) -> tuple[Window, ...]:
        """The windows that hold this instant, in the board's order; seasons may leave it empty."""
        windows = (
            one.window if isinstance(one, Season) else window_at(one, self.time_zone, now_ms)
            for one in self.windows
        )
        return tuple(window for window in windows if window.holds(now_ms))

    def recent(self, now_ms: int) -> tuple[Window, ...]:
        """The current windows, the one just over of each kind, and every season that has begun."""
        found: list[Window] = []
        for one in self.windows:
            if isinstance(one, Season):
                found += [one.window] if one.start_ms <= now_ms else []
                continue
            current = window_at(one, self.time_zone, now_ms)
            last = window_before(one, self.time_zone, current)
            found += [current, last] if last else [current]
        return tuple(window for window in found if self.is_retained(window, now_ms))

    def first(self, now_ms: int) -> Window:
        """The window that a read means when it names none: the board's first that is open.

        While all are seasons and none is, the first season.
        """
        current = self.current(now_ms)
        if current:
            return current[0]
        return next(one.window for one in self.windows if isinstance(one, Season))

    def named(self, name: str) -> Window:
        """The window of that name, whether it is past, current or to come.

        Raises:
            WindowNotFoundError: this board never has such a window.
        """
        for one in self.windows:
            if isinstance(one, Season):
                window = one.window if one.window.name == name else None
            else:
                window = window_named(one, self.time_zone, name)
            if window:
                return window
        raise WindowNotFoundError(name)

    def targets(self, achieved_at_ms: int, now_ms: int) -> tuple[Target, ...]:
        """Where a result goes, in the board's order.

        It feeds the current window of each kind, or else the one just over, if it was achieved in
        that one and its grace period lasts. A season that has not begun is left out; one that has
        ended is closed, unless it takes the result likewise. None open means nothing to write.
        """
        found = (
            self._season_target(one.window, achieved_at_ms, now_ms)
            if isinstance(one, Season)
            else Target(self._fed(one, achieved_at_ms, now_ms), False)
            for one in self.windows
        )
        return tuple(target for target in found if target)

    def state(self, window: Window, now_ms: int, *, is_final: bool = False) -> WindowState:
        """What a window is at an instant; `is_final` says whether a closed one was found final."""
        if now_ms < window.start_ms:
            return "future"
        if window.end_ms is None or now_ms < window.end_ms:
            return "open"
        if now_ms < window.end_ms + self.grace_seconds * 1_000:
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
        if window.end_ms is None or self.retention_days is None:
            return None
        return window.end_ms + self.retention_days * _DAY_MS

    def _fed(self, kind: WindowKind, achieved_at_ms: int, now_ms: int) -> Window:
        current = window_at(kind, self.time_zone, now_ms)
        if achieved_at_ms >= current.start_ms:
            return current
        last = window_before(kind, self.time_zone, current)
        return last if last and self._takes_late(last, achieved_at_ms, now_ms) else current

    def _season_target(self, window: Window, achieved_at_ms: int, now_ms: int) -> Target | None:
        if now_ms < window.start_ms:
            return None
        is_fed = window.holds(now_ms) or self._takes_late(window, achieved_at_ms, now_ms)
        return Target(window, not is_fed)

    def _takes_late(self, window: Window, achieved_at_ms: int, now_ms: int) -> bool:
        return window.holds(achieved_at_ms) and self.state(window, now_ms) == "closing"


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
        name = one.window.name if isinstance(one, Season) else one
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
