"""Configs of boards as they are typed, as the API takes them and as it answers them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

KINDS: Final = ("all", "daily", "weekly", "monthly")
_SEASON: Final = "season:"
_WINDOW_FORMS: Final = f"{', '.join(KINDS)} or season:NAME:START:END"
_NAMED: Final = ("board", "layout", "layouts")  # of an answer: what is no part of a config
_NUMBERED: Final = ("number", "state")  # of its layout
_TIE_BREAKER_FORM: Final = "NAME:desc:MIN:MAX or NAME:asc:MIN:MAX"

Config = dict[str, Any]


def window_of(text: str, time_zone: str) -> str | Config:
    """A window as it is typed; a season's bounds are dates, times or ms since 1970.

    Args:
        text: A kind, or `season:NAME:START:END`.
        time_zone: The zone of dates and times that name none.

    Raises:
        ValueError: It is neither; says what is.
    """
    if text in KINDS:
        return text
    if not text.startswith(_SEASON):
        raise ValueError(f"'{text}' is no window: {_WINDOW_FORMS}")
    name, _, bounds = text.removeprefix(_SEASON).partition(":")
    for place in range(len(bounds)):
        # Times hold colons of their own: the separator is the one with a time on either side.
        if bounds[place] == ":":
            start = _instant(bounds[:place], time_zone)
            end = _instant(bounds[place + 1 :], time_zone)
            if name and start is not None and end is not None:
                return {"season": name, "start": start, "end": end}
    raise ValueError(
        f"'{text}' is no window: {_WINDOW_FORMS}, as season:spring:2027-03-01:2027-06-01"
    )


def tie_breaker_of(text: str) -> Config:
    """A tie-breaker as it is typed: `NAME:desc|asc:MIN:MAX`.

    Raises:
        ValueError: It is none; says what is.
    """
    try:
        name, order, low, high = text.split(":")
        bounds = [int(low), int(high)]
    except ValueError:
        raise ValueError(f"'{text}' is no tie-breaker: {_TIE_BREAKER_FORM}") from None
    if order not in ("desc", "asc"):
        raise ValueError(f"'{text}' is no tie-breaker: {_TIE_BREAKER_FORM}")
    return {"name": name, "order": order, "range": bounds}


def config_of(answer: Mapping[str, Any]) -> Config:
    """The config that a board's answer shows, as it is sent to change it, version included."""
    layout = {name: one for name, one in answer["layout"].items() if name not in _NUMBERED}
    return {name: one for name, one in answer.items() if name not in _NAMED} | {"layout": layout}


def given(values: Mapping[str, Any]) -> Config:
    """What was given; the server has the defaults, or the board its own."""
    return {name: value for name, value in values.items() if value is not None}


def schedule_of(
    windows: Sequence[str] | None, time_zone: str | None, retention_days: int | None, zone: str
) -> Config:
    """The schedule's fields that were given.

    Args:
        windows: As they are typed; None or none for what stands.
        time_zone: The zone that was given.
        retention_days: 0 for ever.
        zone: The zone of dates where none was given.

    Raises:
        ValueError: A window cannot be read.
    """
    found = given({"time_zone": time_zone, "retention_days": retention_days})
    if windows:
        found["windows"] = [window_of(one, time_zone or zone) for one in windows]
    if retention_days == 0:
        found["retention_days"] = None
    return found


def entry_ttl_of(seconds: int | None) -> Config:
    """The field that says when entries expire, if it was given.

    Args:
        seconds: 0 for never.
    """
    return {} if seconds is None else {"entry_ttl_seconds": seconds or None}


def _instant(text: str, time_zone: str) -> int | None:
    """An instant, ms since 1970; None for what is none."""
    if text.isascii() and text.isdigit() and len(text) > len("20271231"):
        return int(text)
    try:
        at = datetime.fromisoformat(text)
        zone = ZoneInfo(time_zone)
    except (ValueError, LookupError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=zone)
    return round(at.timestamp() * 1_000)
