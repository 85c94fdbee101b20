"""Lives of a board at random: each schedule's windows are found, and every wait is kept."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.domain import lives
from lambdas.domain.boards import Board, BoardConfig, LayoutSpec, Past
from lambdas.domain.changes import changed
from lambdas.domain.errors import BoardDeletedLatelyError, InvalidFieldsError
from lambdas.domain.lives import Tombstone, first_life, next_life, remains_of
from lambdas.domain.schedules import Schedule, Season

START_MS = 1_800_000_000_000
LAPSE_MS = 70_000
DAY_MS = 86_400_000
ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Pacific/Apia")
SCHEDULES = st.builds(
    Schedule,
    windows=st.lists(
        st.sampled_from(("all", "daily", "weekly", "monthly", Season("x", 1, 10**13 - 1))),
        min_size=1,
        max_size=3,
        unique_by=str,
    ).map(tuple),
    time_zone=st.sampled_from(ZONES),
    grace_seconds=st.sampled_from((0, 3_600, 86_400)),
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("change", "delete", "sweep")),
        SCHEDULES,
        st.integers(0, 40 * DAY_MS),
        st.integers(0, 3 * DAY_MS),
    ),
    max_size=8,
)


def windows_fed(board: Board, late_ms: int, now_ms: int) -> set[str]:
    """The windows that a submission of just now, or of some time ago, goes to."""
    targets = board.schedule.targets(max(0, now_ms - late_ms), now_ms)
    return {one.window.name for one in targets if not one.is_closed}


def swept(stored: Board | Tombstone) -> Board | Tombstone:
    """What stands once its former lives were swept."""
    if isinstance(stored, Board):
        return replace(stored, past=Past())
    return replace(stored, is_swept=True)


@given(SCHEDULES, STEPS)
def test_every_window_ever_fed_is_in_the_remains(schedule: Schedule, steps: Any) -> None:
    """Whatever changed, was deleted, made again or swept: a window of a life that ended, fed since
    the last sweep up to the last late call, is one that a sweep looks through."""
    now_ms = START_MS
    board = first_life("b", BoardConfig(schedule=schedule), LayoutSpec(), now_ms)
    former, fed = set[tuple[str, int]](), set[tuple[str, int]]()
    for step, other, wait_ms, late_ms in steps:
        fed |= {(name, board.first_layout) for name in windows_fed(board, late_ms, now_ms)}
        now_ms += wait_ms
        fed |= {(name, board.first_layout) for name in windows_fed(board, late_ms, now_ms)}
        stale = {
            (name, board.first_layout) for name in windows_fed(board, late_ms, now_ms + LAPSE_MS)
        }
        if step == "change":
            wanted = replace(board.config, schedule=other)
            with suppress(InvalidFieldsError):  # what was taken away and does not come back
                board = changed(board, wanted, LayoutSpec(), None, now_ms)
            fed |= stale
        elif step == "sweep":
            board, former = swept(board), set()  # type: ignore[assignment]
        else:
            grave = Tombstone(board, now_ms, board.layouts[-1].number + 1, is_swept=False)
            former, fed = former | fed | stale, set()
            remains = remains_of(grave)
            assert remains is not None
            assert {name for name, _ in former} <= set(remains.windows())
            assert {n for _, n in former} <= {one.number for one in remains.layouts}
            assert {one.number for one in remains.layouts} <= {*range(remains.first_layout)}
            now_ms += LAPSE_MS
            board = next_life(grave, BoardConfig(schedule=other), LayoutSpec(), now_ms)
            assert remains_of(board) == remains
        left = remains_of(board)
        names = set(left.windows()) if left else set[str]()
        assert {name for name, _ in former} <= names


@given(SCHEDULES, STEPS)
def test_every_window_that_may_hold_items_is_known(schedule: Schedule, steps: Any) -> None:
    """At any time, every window that a life fed, or a call under way may feed yet, is named."""
    now_ms = START_MS
    stored: Board | Tombstone = first_life(
        "b", BoardConfig(schedule=schedule), LayoutSpec(), now_ms
    )
    fed = set[str]()
    for step, other, wait_ms, late_ms in steps:
        board = stored if isinstance(stored, Board) else stored.board
        for at_ms in (now_ms, now_ms + LAPSE_MS):
            fed |= windows_fed(board, late_ms, at_ms)
            assert fed <= set(lives.windows_fed(stored, now_ms))
        now_ms += LAPSE_MS + wait_ms
        if isinstance(stored, Tombstone):
            stored = next_life(stored, BoardConfig(schedule=other), LayoutSpec(), now_ms)
        elif step == "change":
            with suppress(InvalidFieldsError):  # what was taken away and does not come back
                wanted = replace(stored.config, schedule=other)
                stored = changed(stored, wanted, LayoutSpec(), None, now_ms)
        elif step == "delete":
            stored = Tombstone(stored, now_ms, stored.layouts[-1].number + 1, is_swept=False)
        assert fed <= set(lives.windows_fed(stored, now_ms))


@given(st.integers(0, 10 * LAPSE_MS))
def test_a_board_is_made_again_when_its_wait_is_over_and_not_before(waited_ms: int) -> None:
    """The seconds that the refusal names are enough, and one second fewer is not."""
    board = first_life("b", BoardConfig(), LayoutSpec(), START_MS)
    grave = Tombstone(board, START_MS, 2, is_swept=True)

    def make(at_ms: int) -> Board:
        return next_life(grave, BoardConfig(), LayoutSpec(), at_ms)

    now_ms = START_MS + waited_ms
    if waited_ms >= LAPSE_MS:
        assert make(now_ms).first_layout == 2
        assert remains_of(make(now_ms)) is None
        return
    with pytest.raises(BoardDeletedLatelyError) as raised:
        make(now_ms)
    seconds = raised.value.seconds
    assert make(now_ms + 1_000 * seconds).made_at == now_ms + 1_000 * seconds
    with pytest.raises(BoardDeletedLatelyError):
        make(now_ms + 1_000 * seconds - 1_000)
