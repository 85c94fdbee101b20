"""Instants as people write them, for tests of windows."""

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def ms(text: str) -> int:
    """An instant in UTC, as ISO 8601 writes it, in ms since 1970."""
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def local(at_ms: int, time_zone: str) -> datetime:
    """What a clock in a zone shows at an instant."""
    return (_EPOCH + at_ms * _MILLISECOND).astimezone(ZoneInfo(time_zone))
