"""Configs as they are typed: windows, seasons and tie-breakers."""

from typing import Any

import pytest

from ops.configs import schedule_of, tie_breaker_of, window_of

SPRING = {"season": "spring", "start": 1803859200000, "end": 1811808000000}


@pytest.mark.parametrize("kind", ["all", "daily", "weekly", "monthly"])
def test_a_kind_is_itself(kind: str) -> None:
    assert window_of(kind, "UTC") == kind


@pytest.mark.parametrize(
    ("bounds", "zone"),
    [
        ("2027-03-01:2027-06-01", "UTC"),
        ("20270301:20270601", "UTC"),
        ("1803859200000:1811808000000", "Asia/Tokyo"),
        ("2027-03-01T09:00:2027-06-01T09:00:00", "Asia/Tokyo"),
        ("2027-03-01T00:00:00+00:00:2027-06-01T02:00+02:00", "Asia/Tokyo"),
        ("2027-03-01T00:00Z:1811808000000", "Asia/Tokyo"),
    ],
)
def test_a_seasons_bounds_are_dates_times_or_milliseconds(bounds: str, zone: str) -> None:
    """Dates and times without an offset are those of the board's zone."""
    assert window_of(f"season:spring:{bounds}", zone) == SPRING


@pytest.mark.parametrize(
    "text",
    [
        "hourly",
        "",
        "season",
        "season:",
        "season:x",
        "season:x:1",
        "season:x:2027-02-30:2027-03-01",
        "season::2027-03-01:2027-06-01",
        "season:x:2027-03-01",
        "season:x:2027-03-01:soon",
    ],
)
def test_what_is_no_window_is_told_what_one_is(text: str) -> None:
    with pytest.raises(ValueError, match="season:NAME:START:END"):
        window_of(text, "UTC")


def test_an_unknown_zone_has_no_dates() -> None:
    with pytest.raises(ValueError, match="no window"):
        window_of("season:spring:2027-03-01:2027-06-01", "Mars/Base")


def test_a_tie_breaker_names_its_order_and_range() -> None:
    assert tie_breaker_of("kills:desc:-5:99") == {
        "name": "kills",
        "order": "desc",
        "range": [-5, 99],
    }


@pytest.mark.parametrize("text", ["kills", "kills:up:0:9", "kills:asc:0", "kills:asc:0:x", "a:b:c"])
def test_what_is_no_tie_breaker_is_told_what_one_is(text: str) -> None:
    with pytest.raises(ValueError, match="NAME:desc:MIN:MAX or NAME:asc:MIN:MAX"):
        tie_breaker_of(text)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ((None, None, None), {}),
        (([], None, 0), {"retention_days": None}),
        (
            (["daily"], "Asia/Tokyo", 3),
            {"windows": ["daily"], "time_zone": "Asia/Tokyo", "retention_days": 3},
        ),
    ],
)
def test_only_what_is_given_of_a_schedule_is_sent(given: Any, sent: Any) -> None:
    """0 days of retention are no end of it, which the API spells null."""
    assert schedule_of(*given, "UTC") == sent
