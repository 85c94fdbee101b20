"""Time zones: where local dates start, to the millisecond, in zones whose clocks misbehave."""

from datetime import date

import pytest

from lambdas.domain.zones import local_date, start_of_date, time_zones
from tests.instants import ms


@pytest.mark.parametrize(
    ("day", "time_zone", "start"),
    [
        ("1970-01-01", "UTC", "1970-01-01T00:00"),
        ("2026-11-30", "Europe/Berlin", "2026-11-29T23:00"),
        ("2026-11-30", "Asia/Kolkata", "2026-11-29T18:30"),
        ("2026-11-30", "Asia/Kathmandu", "2026-11-29T18:15"),
        ("2026-11-30", "America/St_Johns", "2026-11-30T03:30"),
        ("2026-11-30", "Pacific/Kiritimati", "2026-11-29T10:00"),
        ("2026-11-30", "Pacific/Pago_Pago", "2026-11-30T11:00"),
        # Midnight does not exist: the clock jumps from it.
        ("2017-10-15", "America/Sao_Paulo", "2017-10-15T03:00"),
        ("2024-04-26", "Africa/Cairo", "2024-04-25T22:00"),
        ("1986-01-01", "Asia/Kathmandu", "1985-12-31T18:30"),
        ("2016-10-22", "Antarctica/Casey", "2016-10-21T16:00"),
        # The clock jumps over it, from 23:30 to 0:30.
        ("1919-03-31", "America/Toronto", "1919-03-31T04:30"),
        # Midnight comes twice: the clock goes back from 1:00 to 0:00, or from 0:01 to 23:01.
        ("2026-11-01", "America/Havana", "2026-11-01T04:00"),
        ("2006-10-29", "America/St_Johns", "2006-10-29T02:30"),
        # The zone leaves a date out.
        ("2011-12-29", "Pacific/Apia", "2011-12-29T10:00"),
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00"),
        ("2011-12-31", "Pacific/Apia", "2011-12-30T10:00"),
        ("2012-01-01", "Pacific/Apia", "2011-12-31T10:00"),
    ],
)
def test_a_date_starts_where_local_time_reaches_its_midnight(
    day: str, time_zone: str, start: str
) -> None:
    """At the first midnight, at the jump that leaves it out, or with the next date there is."""
    assert start_of_date(date.fromisoformat(day), time_zone) == ms(start)


@pytest.mark.parametrize(
    ("at_ms", "time_zone", "day"),
    [
        (0, "UTC", "1970-01-01"),
        (-1, "UTC", "1969-12-31"),
        (0, "America/New_York", "1969-12-31"),
        (86_399_999, "UTC", "1970-01-01"),
        (86_400_000, "UTC", "1970-01-02"),
        (10**13 - 1, "UTC", "2286-11-20"),
        (ms("2011-12-30T10:00") - 1, "Pacific/Apia", "2011-12-29"),
        (ms("2011-12-30T10:00"), "Pacific/Apia", "2011-12-31"),
    ],
)
def test_the_date_of_an_instant(at_ms: int, time_zone: str, day: str) -> None:
    """The last millisecond of a day is of that day, and of no later one."""
    assert local_date(at_ms, time_zone) == date.fromisoformat(day)


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "Pacific/Apia", "America/St_Johns"])
def test_zones_there_are(name: str) -> None:
    """Zones go by their IANA names."""
    assert name in time_zones()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "europe/berlin",
        "EUROPE/BERLIN",
        "Europe",
        "Europe/Berlin ",
        "Europe/Berlin\n",
        "/UTC",
        "../etc/passwd",
        "Europe/../Europe/Berlin",
        "posixrules",
        "localtime",
        "Factory",
        "posix/UTC",
        "zone.tab",
        "UTC+1",
        "\0",
        "\ud800",
    ],
)
def test_zones_there_are_not(name: str) -> None:
    """Paths, other spellings, and what stands for no place or this machine's own are no zones."""
    assert name not in time_zones()
