"""Sums: what a submission makes of standing entries, and how long it is remembered."""

import pytest

from lambdas.domain.boards import Board, BoardConfig, Layout
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry
from lambdas.domain.errors import InvalidFieldsError
from lambdas.domain.schedules import Schedule
from lambdas.domain.submissions import Submission, accept
from lambdas.domain.sums import add, ledger_expires_at

BOARD = Board("arena", BoardConfig("sum", score_range=Span(-5, 100)), 1, (Layout(number=1),))
NOW_MS = 1_795_000_000_000


def test_each_window_has_a_sum_of_its_own() -> None:
    """Whoever has no entry starts at 0; the later time stands, whichever of the two is later."""
    standing = {"all": Entry("p", 90, 9_000), "d": Entry("p", 3, 1_000), "w": None}
    assert add(BOARD, Entry("p", 4, 5_000), standing) == {
        "all": Entry("p", 94, 9_000),
        "d": Entry("p", 7, 5_000),
        "w": Entry("p", 4, 5_000),
    }


@pytest.mark.parametrize(
    ("score", "windows"), [(11, {"all"}), (-9, {"d", "w"}), (101, {"all", "d", "w"})]
)
def test_a_sum_outside_the_range_names_its_window(score: int, windows: set[str]) -> None:
    """One problem a window, each on the score and with what it would become."""
    standing = {"all": Entry("p", 90, 1), "d": Entry("p", 3, 1), "w": None}
    with pytest.raises(InvalidFieldsError) as refused:
        add(BOARD, Entry("p", score, 2), standing)
    assert {one.field for one in refused.value.problems} == {"score"}
    assert {one.message.split(" in ")[1].split(";")[0] for one in refused.value.problems} == windows
    sums = {name: (entry.score if entry else 0) + score for name, entry in standing.items()}
    for name in windows:
        assert any(f"become {sums[name]} in {name};" in p.message for p in refused.value.problems)


@pytest.mark.parametrize(
    ("days", "seconds"), [(None, 172_800), (1, 172_800), (2, 172_800), (3, 259_200)]
)
def test_the_ledger_keeps_at_least_two_days(days: int | None, seconds: int) -> None:
    """48 hours, or as long as the board keeps its windows where it says how long."""
    schedule = Schedule(retention_days=days)
    assert ledger_expires_at(schedule, NOW_MS) == NOW_MS // 1_000 + seconds
    assert ledger_expires_at(schedule, NOW_MS + 1) == NOW_MS // 1_000 + seconds + 1


def test_a_sum_takes_any_score_and_no_submission_without_an_id() -> None:
    """What is added is not held to the board's range; what it makes is."""
    accepted = accept(BOARD, Submission("p", -(2**63), submission_id="x"), NOW_MS)
    assert accepted.entry.score == -(2**63)
    with pytest.raises(InvalidFieldsError) as refused:
        accept(BOARD, Submission("p", 2**63), NOW_MS)
    assert [one.field for one in refused.value.problems] == ["score", "submission_id"]
