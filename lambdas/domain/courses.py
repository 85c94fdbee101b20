"""Courses: how the windows of one kind follow one another when a live board changes its time zone.

- A change takes effect when the window ends that was open at that instant, under the rules till
  then; of several changes within one window the last one counts. From that end on the new zone's
  calendar decides.
- If it is then a name that has been opened already (a move west), the window goes on: it keeps its
  first start, and ends where the new zone reaches the first name that was not. At most 26 hours.
- If it is a later name (a move east), that window starts then. A name passed over has no window.
- A kind that is taken away ends then and there. One that is added has the window its calendar is
  in, with the start it has there. One that is taken back starts with the first name that was not
  opened before, and not before the end of its last window.

So no window that was over opens again, starts never go back, windows never overlap, and they leave
no gap but where a kind was taken away. Ends may move while a window is open.

Cost: as `domain/windows.py`, once more for each change since.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, NamedTuple

from lambdas.domain.windows import Window, WindowKind, window_at, window_named

_EVER: Final = -(10**13)  # before every instant that windows are asked for


class Leg(NamedTuple):
    """A stretch of a course that follows one zone, up to where the next leg begins.

    Attributes:
        since_ms: its first instant.
        time_zone: whose calendar decides; None if there is no window.
        opening: the window that holds the first instant; without a zone, the last one over.
    """

    since_ms: int
    time_zone: str | None
    opening: Window


@dataclass(frozen=True)
class Course:
    """The windows of one kind, leg by leg, for all time; a course with no leg has none."""

    kind: WindowKind
    legs: tuple[Leg, ...] = ()

    @classmethod
    def along(cls, kind: WindowKind, time_zone: str) -> "Course":
        """The course of a kind that one zone has always decided."""
        return cls(kind, (Leg(_EVER, time_zone, window_at(kind, time_zone, 0)),))

    def latest(self, at_ms: int) -> Window | None:
        """The window that holds an instant, else the last one over by then; None before all."""
        return self._held(at_ms) if self.legs and self.legs[0].since_ms <= at_ms else None

    def named(self, name: str) -> Window | None:
        """The window of that name; None if there is none, now or ever."""
        for leg in self.legs:
            window = leg.time_zone and window_named(self.kind, leg.time_zone, name)
            if window:
                latest = self.latest(max(window.start_ms, leg.since_ms))
                if latest and latest.name == name:
                    return latest
        return None

    def changed(self, time_zone: str | None, since_ms: int) -> "Course":
        """The course as it goes on from an instant; without a zone the kind is taken away."""
        # What had been decided, but had not come to pass, is forgotten.
        course = Course(self.kind, tuple(leg for leg in self.legs if leg.since_ms <= since_ms))
        if time_zone == (course.legs[-1].time_zone if course.legs else None):
            return course
        leg = course._cut(since_ms) if time_zone is None else course._turned(time_zone, since_ms)
        return Course(self.kind, (*course.legs, leg))

    def _cut(self, since_ms: int) -> Leg:
        last = self._held(since_ms)
        if last.start_ms == since_ms:  # it never opened
            last = self._held(since_ms - 1)
        return Leg(since_ms, None, last._replace(end_ms=since_ms))

    def _turned(self, time_zone: str, since_ms: int) -> Leg:
        if not self.legs:
            opening = window_at(self.kind, time_zone, since_ms)
            return Leg(opening.start_ms, time_zone, opening)
        last = self._held(since_ms)
        end_ms = _end_of(last)
        following = self._first_after(last.name, time_zone, max(end_ms, since_ms))
        if self.legs[-1].time_zone is None:
            opening = following._replace(start_ms=max(end_ms, following.start_ms))
            return Leg(opening.start_ms, time_zone, opening)
        if following.start_ms > end_ms:
            return Leg(end_ms, time_zone, last._replace(end_ms=following.start_ms))
        return Leg(end_ms, time_zone, following._replace(start_ms=end_ms))

    def _held(self, at_ms: int) -> Window:
        place = bisect_right(self.legs, at_ms, key=lambda leg: leg.since_ms)
        _, time_zone, window = self.legs[place - 1]
        if time_zone and not window.holds(at_ms):
            window = window_at(self.kind, time_zone, at_ms)
        for leg in self.legs[place:]:
            if leg.opening.name != window.name:
                break
            window = leg.opening  # it went on, or was cut short
        return window

    def _first_after(self, name: str, time_zone: str, at_ms: int) -> Window:
        """The zone's first window of a later name from an instant on; names sort as they follow."""
        window = window_at(self.kind, time_zone, at_ms)
        while window.name <= name:
            window = window_at(self.kind, time_zone, _end_of(window))
        return window


def _end_of(window: Window) -> int:
    if window.end_ms is None:
        raise ValueError(f"{window.name} is no day, week or month.")
    return window.end_ms
