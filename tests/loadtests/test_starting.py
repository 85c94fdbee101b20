"""What is settled before a run: sizes, faults in words, the midnight a daily reset waits for."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.faults import fault_of
from loadtests.run import Run, board_id
from loadtests.starting import sizes_of
from loadtests.suites.reset import Reset

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "date", "says"),
    [
        (None, None, "403: Forbidden"),
        ("Signature expired", "Tue, 01 Dec 2026 12:00:05 GMT", "credentials and its policy"),
        (None, "Tue, 01 Dec 2026 12:10:00 GMT", "its clock is 600 s behind the stage's"),
        (None, "Tue, 01 Dec 2026 11:00:00 GMT", "its clock is 3,600 s ahead of the stage's"),
    ],
)
def test_a_refusal_names_key_or_clock(message: str | None, date: str | None, says: str) -> None:
    """Whichever way the clocks differ; within a minute they agree."""
    assert says in fault_of(message, date, NOW)


def test_sizes_are_changed_by_json_of_their_kind() -> None:
    defaults = {"rate": 20, "in_flight": [8], "boundary": "season"}
    changed = sizes_of(defaults, ["rate=2.5", "in_flight=[1,2]", 'boundary="daily"'])
    assert changed == {"rate": 2.5, "in_flight": [1, 2], "boundary": "daily"}
    assert sizes_of(defaults, ["boundary=daily"])["boundary"] == "daily"
    for wrong in ("rate", "rate=fast", "speed=3"):
        with pytest.raises(ValueError, match=wrong.partition("=")[0]):
            sizes_of(defaults, [wrong])


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)))  # noqa: DTZ001 - made aware
def test_a_daily_reset_finds_a_midnight_within_the_hour(naive: datetime) -> None:
    """Whenever it starts, some zone's day ends soon after the lead, and the windows say so."""
    started = naive.replace(tzinfo=UTC, microsecond=0)
    text = started.strftime("%Y%m%dT%H%M%SZ")
    sizes = Reset.sizes["rig"] | {"boundary": "daily"}
    suite = Reset(
        Run(
            suite="reset",
            stage="rig",
            board=board_id("reset", text),
            started=text,
            directory="",
            sizes=sizes,
        )
    )
    lead = timedelta(seconds=sizes["lead_seconds"])
    assert lead <= suite.end - started <= lead + timedelta(hours=1)
    assert suite.end.astimezone(ZoneInfo(suite.zone)).strftime("%H:%M:%S") == "00:00:00"
    (config,) = suite.boards().values()
    assert (config["time_zone"], config["windows"][0]) == (suite.zone, "daily")


def test_a_board_says_whose_it_is() -> None:
    """Within the rule of board ids, so that a later run can find what a killed one left."""
    board = board_id("contention", "20261201T004030Z")
    assert board == "load-contention-20261201t004030z"
    assert len(f"{board}-99") <= 64
    assert json.dumps(board).isascii()
