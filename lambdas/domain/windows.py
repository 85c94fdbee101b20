"""Windows: the time slices of a board, by name and by instant.

Days, weeks and months are those of a time zone's calendar, and each kind tiles time: a window
starts with the local date it begins on (`domain/zones.py`) and ends where the next one starts, so
a day may have 23 or 25 hours. Weeks are ISO weeks, and carry the ISO year.

Cost: about a microsecond once a window has been seen in this process, some 20 before.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from lambdas.domain.zones import local_date, start_of_date

WindowKind = Literal["all", "daily", "weekly", "monthly"]

_ONE_DAY: Final = timedelta(days=1)
_YEARS: Final = range(1969, 2287)  # what 13 digits of milliseconds reach, in whatever zone


class Window(NamedTuple):
    """A time slice of a board.

    Attributes:
        name: as it stands in keys and answers.
        start_ms: its first millisecond since 1970.
        end_ms: the first millisecond after it; None if it never ends.
    """

    name: str
    start_ms: int
    end_ms: int | None

    def holds(self, at_ms: int) -> bool:
        """Whether an instant lies in it."""
        return self.start_ms <= at_ms and not self.has_ended(at_ms)

    def has_ended(self, at_ms: int) -> bool:
        """Whether it is over at an instant."""
        return self.end_ms is not None and self.end_ms <= at_ms


class _Period(NamedTuple):
    name_format: str  # a letter, then what ISO 8601 writes; for `strftime`
    first_day: str  # what makes an ISO 8601 date of that: the period's first
    most_days: int


ALL: Final = "all"
ALL_TIME: Final = Window(ALL, 0, None)
_PERIODS: Final[Mapping[WindowKind, _Period]] = {
    "daily": _Period("d%Y-%m-%d", "", 1),
    "weekly": _Period("w%G-W%V", "-1", 7),
    "monthly": _Period("m%Y-%m", "-01", 31),
}
_KIND_OF_LETTER: Final = {period.name_format[0]: kind for kind, period in _PERIODS.items()}


def window_at(kind: WindowKind, time_zone: str, at_ms: int) -> Window:
    """The window of a kind that holds an instant, which is 0 to 13 digits of milliseconds."""
    if kind == "all":
        return ALL_TIME
    day = local_date(at_ms, time_zone)
    window = _window_of(kind, time_zone, day)
    while window.has_ended(at_ms):  # the clock went back over midnight; the window did not
        day += _ONE_DAY
        window = _window_of(kind, time_zone, day)
    return window


def periodic_kind(name: str) -> WindowKind | None:
    """The kind of day, week or month that a window's name is of; None for `all` and seasons."""
    return _KIND_OF_LETTER.get(name[:1])


def window_named(kind: WindowKind, time_zone: str, name: str) -> Window | None:
    """The window of a kind that has a name; None if there is none, now or ever.

    Names are taken letter by letter: a date or week that no calendar has, one that the zone left
    out, and any other way to write one are no names.
    """
    if kind == "all":
        return ALL_TIME if name == ALL_TIME.name else None
    try:
        first = date.fromisoformat(name[1:] + _PERIODS[kind].first_day)
    except ValueError:
        return None
    if first.year not in _YEARS:
        return None
    window = _window_of(kind, time_zone, first)
    return window if window.name == name and window.start_ms != window.end_ms else None


@lru_cache(maxsize=1024)
def _window_of(kind: WindowKind, time_zone: str, day: date) -> Window:
    """The window whose calendar period holds a local date."""
    period = _PERIODS[kind]
    first = _first_of(period, day)
    following = _first_of(period, first + timedelta(days=period.most_days))
    start_ms, end_ms = (start_of_date(one, time_zone) for one in (first, following))
    return Window(day.strftime(period.name_format), start_ms, end_ms)


def _first_of(period: _Period, day: date) -> date:
    return date.fromisoformat(day.strftime(period.name_format)[1:] + period.first_day)
