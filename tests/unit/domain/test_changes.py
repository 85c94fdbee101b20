"""What a live board may change: the judgement alone."""

from dataclasses import replace
from typing import Any

import pytest

from lambdas.domain.boards import BoardConfig, LayoutSpec, Past, TieBreaker
from lambdas.domain.cells import Span
from lambdas.domain.changes import FIXED, changed
from lambdas.domain.errors import (
    BoardConflictError,
    InvalidFieldsError,
    VersionConflictError,
)
from lambdas.domain.lives import LAPSE_MS, first_life
from lambdas.domain.schedules import Schedule

BOARD = first_life("arena", BoardConfig(), LayoutSpec(), 1_000)
ROLLING = replace(BOARD, config=BoardConfig(entry_ttl_seconds=3_600))
OTHER: dict[str, Any] = {
    "policy": "latest",
    "order": "asc",
    "score_range": Span(0, 9),
    "tie_breakers": (TieBreaker("kills"),),
    "ties": "shared",
    "schedule": Schedule(("daily",)),
    "entry_ttl_seconds": 60,
    "dimensions": ("region",),
    "top_exact": 1,
    "exact_limit": 9,
    "count_limit": 1,
    "display_name": "a",
    "description": "b",
}


def test_every_field_of_a_config_is_judged() -> None:
    """A field that is added must be put on one side or the other."""
    assert set(OTHER) == set(BoardConfig.__dataclass_fields__)


@pytest.mark.parametrize("name", OTHER)
def test_a_field_is_changed_or_named(name: str) -> None:
    """What may change does, with the next version; what may not is named, and how else to."""
    config = replace(ROLLING.config, **{name: OTHER[name]})
    if name in FIXED:
        with pytest.raises(BoardConflictError, match=f"stands with another {name}"):
            changed(ROLLING, config, LayoutSpec(), None, 2_000)
        return
    board = changed(ROLLING, config, LayoutSpec(), 1, 2_000)
    assert (board.config, board.version) == (config, 2)
    assert (board.layouts, board.first_layout, board.made_at) == (BOARD.layouts, 1, 1_000)


def test_entries_that_never_expired_cannot_begin_to() -> None:
    """They are not in the expiry index; the message says what to do. Dropped is for good."""
    for board in (BOARD, changed(ROLLING, BoardConfig(), LayoutSpec(), 1, 2_000)):
        assert board.config == BoardConfig()
        with pytest.raises(BoardConflictError, match="Make another board with it, and import"):
            changed(board, ROLLING.config, LayoutSpec(), None, 3_000)


def test_dimensions_are_added_and_not_taken_away() -> None:
    """Their order may change; one that goes would leave its segments behind unseen."""
    board = changed(BOARD, BoardConfig(dimensions=("region",)), LayoutSpec(), None, 2_000)
    board = changed(board, BoardConfig(dimensions=("mode", "region")), LayoutSpec(), None, 3_000)
    assert board.config.dimensions == ("mode", "region")
    for fewer in ((), ("mode",), ("mode", "clan")):
        with pytest.raises(BoardConflictError, match="another dimensions"):
            changed(board, BoardConfig(dimensions=fewer), LayoutSpec(), None, 4_000)


@pytest.mark.parametrize("name", LayoutSpec.__dataclass_fields__)
def test_a_layout_stays(name: str) -> None:
    """It is named field by field."""
    spec = replace(LayoutSpec(), **{name: "linear" if name == "spacing" else 3})
    with pytest.raises(BoardConflictError, match=f"layout.{name}"):
        changed(BOARD, BoardConfig(), spec, None, 2_000)


def test_the_same_config_is_the_same_board() -> None:
    """No version goes on; one version back is the change's own repeat."""
    later = replace(BOARD, version=5)
    for version in (None, 5, 4):
        assert changed(later, BoardConfig(), LayoutSpec(), version, 2_000) is later
    for version in (3, 6):
        with pytest.raises(VersionConflictError, match=f"at version 5, not {version}"):
            changed(later, BoardConfig(), LayoutSpec(), version, 2_000)


def test_a_changed_schedule_is_in_force_when_all_functions_know_it() -> None:
    """Until every cached config has lapsed the windows are the former ones, then the new ones."""
    daily, weekly = (
        replace(BoardConfig(), schedule=Schedule((one,))) for one in ("daily", "weekly")
    )
    board = replace(BOARD, config=daily)
    moved = changed(board, weekly, LayoutSpec(), None, 2_000)
    assert (moved.config, moved.past) == (weekly, Past())
    assert [era.schedule for era in moved.eras] == [daily.schedule, weekly.schedule]
    for now_ms, kind in ((2_000 + LAPSE_MS - 1, "d"), (2_000 + LAPSE_MS, "w")):
        (window,) = moved.schedule.current(now_ms)
        assert window.name.startswith(kind)


def test_what_was_taken_away_for_good_is_refused() -> None:
    """`all` that ended does not come back, and the field says so."""
    daily = replace(BoardConfig(), schedule=Schedule(("daily",)))
    board = changed(BOARD, daily, LayoutSpec(), None, 2_000)
    with pytest.raises(InvalidFieldsError, match=r"windows\.0: Is over"):
        changed(board, BoardConfig(), LayoutSpec(), None, 9_000_000)
