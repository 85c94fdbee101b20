"""The ranks that scores would have, whether anyone holds them or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from lambdas.domain import ranking
from lambdas.domain.boards import Board, BoardConfig
from lambdas.domain.errors import FieldProblem, InvalidFieldsError
from lambdas.domain.ranking import Standing
from lambdas.logic.tables import Tables
from lambdas.logic.views import AheadOf, View, view_of
from lambdas.store import keys


@dataclass(frozen=True)
class RanksOfScores:
    """The ranks of scores, by score, and the window as it was read."""

    standings: dict[int, Standing]
    view: View


def ranks_of_scores(
    tables: Tables, board: Board, window: str, scores: Sequence[int]
) -> RanksOfScores:
    """The rank a player would have who achieved each score now.

    That is behind all who hold it; or the rank they share, where nothing but the score ranks.

    All of them together count at most `exact_limit` entries, in the order of `scores`; what is
    left when that is spent is a range by the counters.

    Cost: half a read unit for each node that is not cached, at most one a level and score, and
    what is counted.

    Raises:
        InvalidFieldsError: naming every score outside the board's range.
        ThrottledError, UnavailableError: DynamoDB answered too little to say anything.
    """
    _check(board, scores)
    view = view_of(tables, board, window)
    left = board.config.exact_limit
    found: dict[int, Standing] = {}
    for score in dict.fromkeys(scores):
        found[score] = _rank(view, score, _within(board.config, left))
        left = board.config.exact_limit - view.index.passed
    nested = _nested(found, best_first=sorted(found, key=board.order.key))
    return RanksOfScores(nested, view)


def _nested(found: dict[int, Standing], *, best_first: Sequence[int]) -> dict[int, Standing]:
    """The ranks with their ranges narrowed by each other: a better score ranks no worse.

    Only what the counters say is compared: a count from the top sees another moment.
    """
    scores = [score for score in best_first if found[score].basis == "counters"]
    firsts = accumulate((found[score].first or 1 for score in scores), max)
    backwards = accumulate((found[score].last or 1 for score in reversed(scores)), min)
    lasts = reversed(list(backwards))
    narrowed = {
        score: replace(
            found[score], first=first, last=last, kind="exact" if first == last else "estimated"
        )
        for score, first, last in zip(scores, firsts, lasts, strict=True)
        if first <= last
    }
    return found | narrowed


def _rank(view: View, score: int, config: BoardConfig) -> Standing:
    order_key = view.board.order.key(score)
    walked = view.walk(view.cells.path(score), None, enough=config.top_exact)
    if view.board.ties_by_score:
        key = order_key
        ahead_in_cell = 0 if view.is_best_of(walked.path, score) else None
    else:
        key = keys.after_score(order_key)
        ahead_in_cell = walked.count - 1 if view.is_worst_of(walked.path, score) else None
    return ranking.rank_of_newcomer(config, walked, AheadOf(view, key), ahead_in_cell=ahead_in_cell)


def _within(config: BoardConfig, left: int) -> BoardConfig:
    """A config whose every limit is at most the entries that may still be counted."""
    return replace(
        config,
        exact_limit=min(config.exact_limit, left),
        top_exact=min(config.top_exact, left),
        count_limit=min(config.count_limit, left),
    )


def _check(board: Board, scores: Sequence[int]) -> None:
    low, high = board.config.score_range
    problems = [
        FieldProblem(f"scores.{place}", f"Must be {low} to {high}.")
        for place, score in enumerate(scores)
        if not low <= score <= high
    ]
    if problems:
        raise InvalidFieldsError(problems)
