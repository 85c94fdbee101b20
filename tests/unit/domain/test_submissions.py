"""Submissions: what may be written, and what is refused with every field that is wrong."""

import dataclasses
import json
from typing import Any

import pytest

from lambdas.domain.boards import Board, BoardConfig, Layout
from lambdas.domain.cells import Span
from lambdas.domain.entries import Entry
from lambdas.domain.errors import InvalidFieldsError, PlayerIdError
from lambdas.domain.submissions import CLOCK_SKEW_MS, MAX_METADATA_BYTES, Submission, accept

NOW_MS = 1_795_000_000_000
BOARD = Board("arena", BoardConfig(score_range=Span(-5, 1_000)), 1, (Layout(number=1),))
PLAIN = Submission("ada", 7)


def wrong_fields(**changes: Any) -> list[str]:
    """The fields that a submission is refused for."""
    with pytest.raises(InvalidFieldsError) as refused:
        accept(BOARD, dataclasses.replace(PLAIN, **changes), NOW_MS)
    return [problem.field for problem in refused.value.problems]


def nested(depth: int) -> dict[str, object]:
    """An object in an object, so many deep."""
    metadata: dict[str, object] = {}
    for _ in range(depth):
        metadata = {"": metadata}
    return metadata


def test_a_plain_submission_is_taken_at_the_servers_time() -> None:
    """Where no time is given, the server's clock speaks."""
    accepted = accept(BOARD, PLAIN, NOW_MS)
    assert accepted.entry == Entry("ada", 7, NOW_MS)
    assert accepted.submission_id is None
    assert accepted.metadata is None


@pytest.mark.parametrize("score", [-5, 0, 1_000])
def test_scores_of_the_range_are_taken(score: int) -> None:
    """Both ends of the range are inside it."""
    assert accept(BOARD, Submission("ada", score), NOW_MS).entry.score == score


@pytest.mark.parametrize("score", [-6, 1_001, 2**63, -(2**63) - 1, 10**400])
def test_scores_outside_the_range_are_refused(score: int) -> None:
    """The first score past either end is outside."""
    assert wrong_fields(score=score) == ["score"]


@pytest.mark.parametrize("time", [0, 1, NOW_MS, NOW_MS + CLOCK_SKEW_MS])
def test_times_up_to_a_minute_from_now_are_taken(time: int) -> None:
    """A game server's clock may run a minute ahead; 0 is a time like any other."""
    assert CLOCK_SKEW_MS == 60_000
    assert accept(BOARD, Submission("ada", 7, achieved_at=time), NOW_MS).entry.achieved_at == time


@pytest.mark.parametrize("time", [-1, NOW_MS + CLOCK_SKEW_MS + 1, 10**13])
def test_other_times_are_refused(time: int) -> None:
    """Before 1970 and further ahead than a minute is no time of a result."""
    assert wrong_fields(achieved_at=time) == ["achieved_at"]


def test_what_a_board_keeps_no_longer_is_refused() -> None:
    """An entry of the very age that it keeps none of; one a millisecond younger is taken."""
    board = dataclasses.replace(BOARD, config=BoardConfig(entry_ttl_seconds=60))
    for time, message in ((NOW_MS - 60_000, "older than this board"), (-1, "milliseconds since")):
        with pytest.raises(InvalidFieldsError, match=f"achieved_at: .*{message}"):
            accept(board, Submission("ada", 7, achieved_at=time), NOW_MS)
    accepted = accept(board, Submission("ada", 7, achieved_at=NOW_MS - 59_999), NOW_MS)
    assert accepted.entry.achieved_at == NOW_MS - 59_999


@pytest.mark.parametrize("name", ["x", "x" * 64, "\U0001f3c6" * 16, " "])
def test_submission_ids_of_up_to_64_bytes_are_taken(name: str) -> None:
    """Any text of 1 to 64 bytes of UTF-8 names a submission."""
    accepted = accept(BOARD, Submission("ada", 7, submission_id=name), NOW_MS)
    assert accepted.submission_id == name


@pytest.mark.parametrize("name", ["", "x" * 65, "\U0001f3c6" * 17, "half \ud83c"])
def test_other_submission_ids_are_refused(name: str) -> None:
    """An empty one, one of 65 bytes, and what is not text."""
    assert wrong_fields(submission_id=name) == ["submission_id"]


def test_metadata_is_kept_compact_and_unescaped() -> None:
    """What is stored is the same JSON, without spaces and with its characters as they are."""
    metadata = {"ghost": "Zoë 🏆", "laps": [1, 2.5, None, True]}
    kept = accept(BOARD, Submission("ada", 7, metadata=metadata), NOW_MS).metadata
    assert kept == '{"ghost":"Zoë 🏆","laps":[1,2.5,null,true]}'
    assert json.loads(kept) == metadata


def test_metadata_is_measured_in_bytes() -> None:
    """512 bytes of compact JSON are taken, one more is refused."""
    frame = len('{"a":""}')
    fits = {"a": "é" * ((MAX_METADATA_BYTES - frame) // 2)}
    accepted = accept(BOARD, Submission("ada", 7, metadata=fits), NOW_MS)
    assert accepted.metadata is not None
    assert len(accepted.metadata.encode()) == MAX_METADATA_BYTES == 512
    assert wrong_fields(metadata={"a": fits["a"] + "x"}) == ["metadata"]
    assert accept(BOARD, Submission("ada", 7, metadata={}), NOW_MS).metadata == "{}"


@pytest.mark.parametrize(
    "metadata",
    [{"a": float("nan")}, {"a": float("inf")}, {"a": "half \ud83c"}, {"half \udfff": 1}],
)
def test_metadata_that_is_no_json_is_refused(metadata: dict[str, object]) -> None:
    """No number that JSON cannot say, no half of a surrogate pair."""
    assert wrong_fields(metadata=metadata) == ["metadata"]


@pytest.mark.parametrize("depth", [500, 5_000, 200_000])
def test_metadata_nested_without_end_is_refused(depth: int) -> None:
    """However deep a caller nests it, metadata is too long and not a failure of ours."""
    assert wrong_fields(metadata=nested(depth)) == ["metadata"]


def test_every_wrong_field_is_named_at_once() -> None:
    """One answer tells all that has to be mended."""
    fields = wrong_fields(
        score=-6, achieved_at=-1, submission_id="", metadata={"a": "x" * MAX_METADATA_BYTES}
    )
    assert fields == ["score", "achieved_at", "submission_id", "metadata"]


def test_a_player_id_that_breaks_the_rule_is_refused_first() -> None:
    """It is another kind of mistake, with an answer of its own."""
    with pytest.raises(PlayerIdError):
        accept(BOARD, Submission("a/b", -6), NOW_MS)
