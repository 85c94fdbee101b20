"""Segments: their names, what they share with their window, and who is in which."""

import pytest

from lambdas.domain.boards import BoardConfig, LayoutSpec, check_config
from lambdas.domain.calendars import Calendar, Era
from lambdas.domain.errors import InvalidFieldsError, WindowNotFoundError
from lambdas.domain.lives import first_life
from lambdas.domain.schedules import Schedule, Season, WindowRules
from lambdas.domain.segments import Segment, check_fed, moved, segment_of, split_name
from lambdas.domain.submissions import Submission, accept
from tests.instants import ms

EU = Segment("region", "eu")
WINTER = Season("winter", ms("2026-11-01T00:00"), ms("2026-12-01T00:00"))
SCHEDULE = Schedule(("all", "daily", WINTER), retention_days=9, grace_seconds=3_600)
CALENDAR = Calendar((Era(0, SCHEDULE), Era(ms("2027-01-01T00:00"), Schedule(("daily",)))))
BOARD = first_life("arena", BoardConfig(dimensions=("region", "mode")), LayoutSpec(), 0)
NAMES = ["all", "d2026-11-30", "s:winter"]
BAD = ["", ":", "region", "region:", ":eu", "Region:eu", "region:EU", "region:eu:us", "region:e_u"]
BAD += ["région:eu", "region:eu\n", f"region:{'e' * 33}", f"{'r' * 33}:eu", "region:eu@mode:duo"]


@pytest.mark.parametrize("text", BAD)
def test_what_can_be_no_segment(text: str) -> None:
    """A dimension, a colon and a value, letter by letter."""
    assert segment_of(text) is None
    with pytest.raises(WindowNotFoundError):
        split_name(f"all@{text}")


def test_a_name_holds_its_window_and_segment() -> None:
    """What `of` makes, `split_name` takes apart; a name without a segment is its window's own."""
    for name in ("all", "s:winter", "d2026-11-30"):
        assert split_name(name) == (name, None)
        assert split_name(EU.name_in(name)) == (name, EU)
    assert segment_of(f"{'r' * 32}:{'e' * 32}") == ("r" * 32, "e" * 32)


@pytest.mark.parametrize("rules", [SCHEDULE, CALENDAR], ids=["schedule", "calendar"])
@pytest.mark.parametrize("name", NAMES)
def test_a_segment_keeps_its_windows_times(rules: WindowRules, name: str) -> None:
    """Bounds, state, retention and expiry are those of the window, at every hour."""
    window, part = rules.named(name), rules.named(f"{name}@region:eu")
    assert part == EU.of(window)
    assert rules.expires_at(part) == rules.expires_at(window)
    for hour in range(0, 24 * 60, 1):
        now_ms = ms("2026-10-25T00:30") + hour * 3_600_000
        for is_final in (False, True):
            state = rules.state(window, now_ms, is_final=is_final)
            assert rules.state(part, now_ms, is_final=is_final) == state
        assert rules.is_retained(part, now_ms) == rules.is_retained(window, now_ms)


@pytest.mark.parametrize("name", ["d2026-02-30@region:eu", "s:x@region:eu", "@region:eu", "all@"])
def test_no_window_has_no_segments(name: str) -> None:
    """A segment of a window that the board never has is none either."""
    with pytest.raises(WindowNotFoundError):
        SCHEDULE.named(name)


@pytest.mark.parametrize(
    ("standing", "named", "after", "left"),
    [
        ({}, [EU], {"region": "eu"}, []),
        ({"region": "eu"}, [EU], {"region": "eu"}, []),
        ({"region": "us"}, [EU], {"region": "eu"}, ["region:us"]),
        ({"mode": "duo"}, [EU], {"region": "eu", "mode": "duo"}, []),
        ({"region": "us", "mode": "duo"}, [], {"region": "us", "mode": "duo"}, []),
        ({"clan": "x"}, [EU], {"region": "eu"}, []),
        (
            {"region": "us", "mode": "duo"},
            [EU, Segment("mode", "solo")],
            {"region": "eu", "mode": "solo"},
            ["region:us", "mode:duo"],
        ),
    ],
)
def test_a_player_moves(
    standing: dict[str, str], named: list[Segment], after: dict[str, str], left: list[str]
) -> None:
    """Out of the value that was, into the one that is named; what is not named stays."""
    will_be, leaving = moved(standing, named, BOARD.config.dimensions)
    assert (will_be, [one.text for one in leaving]) == (after, left)


def test_a_submission_names_segments_in_the_boards_order() -> None:
    """Whatever order they were sent in."""
    sent = Submission("p", 1, segments={"mode": "duo", "region": "eu"})
    assert accept(BOARD, sent, 1_000).segments == (EU, ("mode", "duo"))
    assert accept(BOARD, Submission("p", 1), 1_000).segments == ()


@pytest.mark.parametrize(
    ("segments", "field"),
    [
        ({"clan": "x"}, "segments.clan"),
        ({"region": "EU"}, "segments.region"),
        ({"region": ""}, "segments.region"),
        ({"region": "e" * 33}, "segments.region"),
        ({"mode": "duo", "region": "eu\n"}, "segments.region"),
        ({"": "eu"}, "segments."),
    ],
)
def test_bad_segments_are_named(segments: dict[str, str], field: str) -> None:
    """The field says which dimension is wrong."""
    with pytest.raises(InvalidFieldsError) as raised:
        accept(BOARD, Submission("p", 1, segments=segments), 1_000)
    assert [one.field for one in raised.value.problems] == [field]


@pytest.mark.parametrize(
    ("dimensions", "field"),
    [
        (("region", "region"), "dimensions.1"),
        (("Region",), "dimensions.0"),
        (("region", "9"), "dimensions.1"),
        (("r" * 33,), "dimensions.0"),
        (tuple(f"d{n}" for n in range(9)), "dimensions"),
    ],
)
def test_bad_dimensions_are_named(dimensions: tuple[str, ...], field: str) -> None:
    """At most eight, distinct, each by the pattern."""
    with pytest.raises(InvalidFieldsError) as raised:
        check_config(BoardConfig(dimensions=dimensions), LayoutSpec())
    assert [one.field for one in raised.value.problems] == [field]
    check_config(BoardConfig(dimensions=tuple(f"d{n}" for n in range(8))), LayoutSpec())


def test_eight_windows_of_segments_are_fed_at_most() -> None:
    """The ninth is refused."""
    check_fed(8)
    with pytest.raises(InvalidFieldsError, match="9 windows of segments"):
        check_fed(9)
