"""Submissions: what a game server sends, checked, and what became of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lambdas.domain.boards import INT64, Board
from lambdas.domain.entries import Entry
from lambdas.domain.errors import FieldProblem, InvalidFieldsError
from lambdas.domain.players import check_player_id
from lambdas.domain.segments import Segment, segment_problems

MAX_METADATA_BYTES: Final = 512
MAX_SUBMISSION_ID_BYTES: Final = 64
CLOCK_SKEW_MS: Final = 60_000  # a game server's clock may run this far ahead of ours


class Outcome(StrEnum):
    """What a submission did to a window."""

    NEW = "new"
    IMPROVED = "improved"
    KEPT = "kept"
    REPLACED = "replaced"
    ADDED = "added"
    DUPLICATE = "duplicate"
    CLOSED = "closed"


@dataclass(frozen=True)
class Submission:
    """One result as sent.

    Attributes:
        tie_breakers: a value for each of the board's tie-breakers, by name.
        achieved_at: ms since 1970; None lets the server's clock speak.
        score: on a board of sums what is added, which may be negative.
        submission_id: names the submission, so that a repeat is known for one; a board of sums
            takes none without.
        metadata: any JSON object of at most 512 bytes, kept with the score.
        segments: a value for any of the board's dimensions, by name.
    """

    player_id: str
    score: int
    tie_breakers: Mapping[str, int] | None = None
    achieved_at: int | None = None
    submission_id: str | None = None
    metadata: dict[str, object] | None = None
    segments: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Accepted:
    """A submission that may be written: nothing in it can be refused any more.

    Attributes:
        entry: what was achieved; on a board of sums its score is what is added.
        metadata: compact JSON, or None.
        segments: that it feeds, in the order of the board's dimensions.
    """

    entry: Entry
    submission_id: str | None
    metadata: str | None
    segments: tuple[Segment, ...] = ()


def accept(board: Board, submission: Submission, now_ms: int) -> Accepted:
    """Checks a submission against its board.

    Raises:
        PlayerIdError: the player id breaks the rule.
        InvalidFieldsError: naming every other field that is wrong.
    """
    check_player_id(submission.player_id)
    metadata = None if submission.metadata is None else _compact(submission.metadata)
    given = submission.tie_breakers or {}
    named = submission.segments or {}
    problems = [
        problem
        for problem in (
            _score_problem(board, submission.score),
            *_tie_breaker_problems(board, given),
            _time_problem(board, submission.achieved_at, now_ms),
            _id_problem(board, submission.submission_id),
            _size_problem("metadata", metadata, MAX_METADATA_BYTES),
            *segment_problems(named, board.config.dimensions),
        )
        if problem
    ]
    if problems:
        raise InvalidFieldsError(problems)
    achieved_at = now_ms if submission.achieved_at is None else submission.achieved_at
    columns = tuple(given[column.name] for column in board.config.tie_breakers)
    entry = Entry(submission.player_id, submission.score, achieved_at, columns)
    segments = tuple(
        Segment(name, named[name]) for name in board.config.dimensions if name in named
    )
    return Accepted(entry, submission.submission_id, metadata, segments)


def _compact(metadata: dict[str, object]) -> str:
    try:
        return json.dumps(metadata, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise InvalidFieldsError.of("metadata", "Holds a number that JSON cannot say.") from error
    except RecursionError as error:
        raise InvalidFieldsError.of("metadata", "Is nested too deeply.") from error


def _score_problem(board: Board, score: int) -> FieldProblem | None:
    is_sum = board.config.policy == "sum"
    low, high = INT64 if is_sum else board.config.score_range
    if low <= score <= high:
        return None
    whose = "what can be added at once" if is_sum else "the board's range"
    return FieldProblem("score", f"Must be {low} to {high}, {whose}.")


def _id_problem(board: Board, submission_id: str | None) -> FieldProblem | None:
    if submission_id is None and board.config.policy == "sum":
        return FieldProblem("submission_id", "Is missing: a board of sums tells repeats by it.")
    return _size_problem("submission_id", submission_id, MAX_SUBMISSION_ID_BYTES, 1)


def _tie_breaker_problems(board: Board, given: Mapping[str, int]) -> Iterator[FieldProblem]:
    columns = {column.name: column.range for column in board.config.tie_breakers}
    for name in given.keys() - columns.keys():
        yield FieldProblem(f"tie_breakers.{name}", "The board has no such tie-breaker.")
    for name, (low, high) in columns.items():
        if name not in given:
            yield FieldProblem(f"tie_breakers.{name}", "Is missing.")
        elif not low <= given[name] <= high:
            yield FieldProblem(f"tie_breakers.{name}", f"Must be {low} to {high}.")


def _time_problem(board: Board, achieved_at: int | None, now_ms: int) -> FieldProblem | None:
    if achieved_at is None:
        return None
    if not 0 <= achieved_at <= now_ms + CLOCK_SKEW_MS:
        return FieldProblem(
            "achieved_at", "Must be milliseconds since 1970, from 0 to one minute from now."
        )
    cutoff = board.cutoff(now_ms)
    if cutoff is not None and achieved_at <= cutoff:
        return FieldProblem("achieved_at", "Is older than this board keeps entries.")
    return None


def _size_problem(field: str, text: str | None, most: int, least: int = 0) -> FieldProblem | None:
    if text is None:
        return None
    size = len(text.encode(errors="surrogatepass"))
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        return FieldProblem(field, "Holds half of a surrogate pair, which is not text.")
    if least <= size <= most:
        return None
    return FieldProblem(field, f"Is {size} bytes; must be {least} to {most}.")
