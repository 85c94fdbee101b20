"""Time zones: local dates as instants, and which zones there are.

A local date starts at the first instant at which local time has reached its midnight. Where the
clock jumps over midnight that is the instant of the jump; where midnight comes twice it is the
first of the two; a date that a zone leaves out starts where the next one does. So the starts of
dates never go back, and dates tile time in every zone, whatever its clock does.

Rules come from `zoneinfo`: the machine's own, or those of the package `tzdata`.
"""

from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
# Listed by some systems: the machine's own zone, and the one of a machine whose zone was never set.
_NO_PLACES: Final = frozenset({"localtime", "Factory"})


@cache
def time_zones() -> frozenset[str]:
    """The names of all IANA time zones; the first call in a process reads them from disk."""
    return frozenset(available_timezones()) - _NO_PLACES


def local_date(at_ms: int, time_zone: str) -> date:
    """The date that a calendar in the zone shows at an instant."""
    return (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(_zone(time_zone)).date()


def start_of_date(day: date, time_zone: str) -> int:
    """The instant at which a local date starts, in ms since 1970; always a whole second.

    Cost: two look-ups of an offset, and 12 to 17 more where the zone skips that midnight.
    """
    zone = _zone(time_zone)
    start, again = _midnight(day, zone, fold=0), _midnight(day, zone, fold=1)
    if start > again:
        # No such midnight: it was read by the offsets before and after a jump that lies between.
        seconds = range(again, start)
        start = again + bisect_left(
            seconds, True, key=lambda second: local_date(second * 1_000, time_zone) >= day
        )
    return start * 1_000


def _midnight(day: date, zone: ZoneInfo, *, fold: int) -> int:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone, fold=fold)
    return (midnight - _EPOCH) // _SECOND


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
