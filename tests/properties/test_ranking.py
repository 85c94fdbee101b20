"""Ranks: exact ones are the place in a sort, ranges hold it, and none claims more than it knows."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.entries import Entry
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.ranking import COUNTERS_BEHIND, Standing, approximate_rank, percentile_range
from lambdas.domain.walk import Subject
from tests.properties.simulated import (
    AS_OF,
    Game,
    Index,
    exact_nodes,
    games,
    rank_in,
    reader,
    walk_to,
    wrong_nodes,
)
from tests.properties.strategies import scores


def check_form(standing: Standing) -> None:
    """Checks what holds for every answer, however wrong the counters are."""
    assert standing.first is not None
    assert standing.last is not None
    assert 1 <= standing.first <= standing.last
    assert standing.population is None or standing.last <= standing.population
    assert (standing.kind == "exact") <= (standing.first == standing.last)
    assert standing.basis in (("index", "counters") if standing.kind == "exact" else ("counters",))
    middle = approximate_rank(standing)
    assert middle is not None
    assert standing.first <= middle <= standing.last


def holds(standing: Standing, place: int) -> bool:
    """Whether an answer holds the true place."""
    assert standing.first is not None
    assert standing.last is not None
    return standing.first <= place <= standing.last


@given(games())
def test_with_exact_counters_every_answer_is_true(game: Game) -> None:
    """Exact ranks equal the sort, ranges hold the rank, and the best ranks are all exact."""
    config, read = game.board.config, reader(exact_nodes(game))
    for entry in game.entries:
        place = game.rank_of(entry)
        index = Index(game, entry)
        walked, standing = rank_in(game, entry, read, index, game.path(entry))
        check_form(standing)
        assert holds(standing, place)
        assert standing.population == len(game.entries)
        assert (standing.kind == "exact") == (standing.first == standing.last)
        assert index.counted <= config.exact_limit
        if place <= config.exact_limit:
            assert standing.kind == "exact"
        if walked.last <= config.top_exact:
            assert standing.basis == "index"  # a rank of the first page agrees with the list
        if walked.first > config.exact_limit:
            assert index.counted <= config.count_limit  # no count is thrown away
            few = walked.count <= config.count_limit
            assert (standing.kind == "exact") >= few
            assert (standing.kind == "exact") == few or game.board.shares_ranks
        share = Fraction(place, len(game.entries)) * 100
        low, high = percentile_range(standing) or (101, -1)
        assert Decimal(str(low)) <= share <= Decimal(str(high))


@given(games())
def test_with_exact_counters_a_better_score_has_a_better_answer(game: Game) -> None:
    """Down the sorted board neither end of the answers ever goes back up."""
    read = reader(exact_nodes(game))
    answers = [
        rank_in(game, entry, read, Index(game, entry), game.path(entry))[1]
        for entry in game.entries
    ]
    for better, worse in pairwise(answers):
        assert (better.first, better.last) <= (worse.first, worse.last)
        assert better.last <= worse.last


@given(st.data(), games())
def test_with_wrong_counters_answers_stay_in_form_and_order(
    data: st.DataObject, game: Game
) -> None:
    """Whatever the nodes say, an answer comes, and a better score has no worse one.

    Of one basis, that is: a range that counting from the top showed to lie past all that the
    counters knew rests on both, and reaches to the last player. Only where more are ahead than
    were ever counted is there none.
    """
    read = reader(data.draw(wrong_nodes(game)))
    best: dict[str, tuple[int, int]] = {}
    for entry in game.entries:
        index = Index(game, entry)
        try:
            walked, standing = rank_in(game, entry, read, index, game.path(entry))
        except UnavailableError as error:
            if error.code != COUNTERS_BEHIND or index.counted < game.board.config.exact_limit:
                raise
            continue
        check_form(standing)
        assert index.counted <= game.board.config.exact_limit
        if standing.first > walked.last and standing.kind == "estimated":
            assert standing.first == game.board.config.exact_limit + 1
            continue
        first, last = best.get(standing.basis, (0, 0))
        assert standing.first >= first
        assert standing.last >= last
        best[standing.basis] = standing.first, standing.last


@given(st.data(), games())
def test_ranges_nest_however_far_the_walk_goes(data: st.DataObject, game: Game) -> None:
    """Each node narrows the range, right or wrong, and population is the root's."""
    read = reader(data.draw(wrong_nodes(game)))
    entry = data.draw(st.sampled_from(game.entries))
    path = game.path(entry)
    counted_at = data.draw(st.sampled_from((None, path, game.path(game.entries[-1]))))
    outer = walk_to(game, Subject(path[:CODE_LENGTH], counted_at), read, enough=0)
    for end in range(CODE_LENGTH, len(path) + 1, CODE_LENGTH):
        walked = walk_to(game, Subject(path[:end], counted_at), read, enough=0)
        assert outer.first <= walked.first <= walked.last <= outer.last
        assert walked.population == outer.population
        assert walked.last <= walked.population
        assert walked.path == path[: len(walked.path)]
        assert walked.path == path[:end] or walked.count == 1
        assert len(walked.nodes) * CODE_LENGTH == len(walked.path)
        assert walked.as_of == AS_OF + len(walked.path) - CODE_LENGTH
        outer = walked


@given(st.data(), games())
def test_a_walk_that_fails_stands_where_it_came(data: st.DataObject, game: Game) -> None:
    """When a node cannot be read, those above it answer; without the root, the index does."""
    entry = data.draw(st.sampled_from(game.entries))
    place, path, nodes = game.rank_of(entry), game.path(entry), exact_nodes(game)
    for depth in range(1, len(path) // CODE_LENGTH + 1):
        for away in (False, True):
            index = Index(game, entry, away=away)
            read = reader(nodes, fails_at=depth)
            walked, standing = rank_in(game, entry, read, index, path)
            check_form(standing)
            assert holds(standing, place)
            assert len(walked.path) <= depth * CODE_LENGTH
            assert standing.population == len(game.entries)
            assert index.counted <= game.board.config.exact_limit
            if not away and place <= game.board.config.exact_limit:
                assert standing.kind == "exact"


@given(st.data(), games())
def test_without_counters_the_index_answers_or_nobody(data: st.DataObject, game: Game) -> None:
    """A capped count from the top answers the best ranks; deeper the failure is raised."""
    entry = data.draw(st.sampled_from(game.entries))
    place, read = game.rank_of(entry), reader({}, fails_at=0)
    index = Index(game, entry)
    if place <= game.board.config.exact_limit:
        walked, standing = rank_in(game, entry, read, index, game.path(entry))
        assert (standing.kind, standing.basis) == ("exact", "index")
        assert standing.first == standing.last == place
        assert standing.population is None
        assert standing.as_of is None
        assert percentile_range(standing) is None
        assert walked.nodes == []
    else:
        with pytest.raises(ThrottledError):
            rank_in(game, entry, read, index, game.path(entry))
    assert index.counted <= game.board.config.exact_limit


@given(st.data(), games())
def test_a_submits_own_answer_is_true_before_and_after_counting(
    data: st.DataObject, game: Game
) -> None:
    """Whichever nodes the stream has reached, the answer to a submit holds the true rank.

    Population is right while the submit is not counted, and at most one too many where it was
    counted before the root was read: the answer cannot tell, and is wide enough for both.
    """
    old = data.draw(st.one_of(st.none(), st.sampled_from(game.entries)))
    score = data.draw(scores(game.board.config.score_range))
    others = [entry for entry in game.entries if entry is not old]
    new = Entry(old.player if old else "new", score, data.draw(st.integers(0, 3)))
    if old and game.standing(new) >= game.standing(old) and data.draw(st.booleans()):
        new = old  # an equal or a worse one is kept; the latest and a sum may be worse
    after = game.with_entries([*others, new])
    counts, counts_after = exact_nodes(game), exact_nodes(after)
    counted_at = None if old is None else game.path(old)
    reached = {
        path: data.draw(st.booleans(), label=f"{path or 'root'} counted")
        for path in sorted(counts.keys() | counts_after.keys())
        if game.path(new).startswith(path)
    }
    nodes = {
        path: (counts_after if is_reached else counts).get(path, {})
        for path, is_reached in reached.items()
    }
    shown = data.draw(st.sampled_from((game, after)))  # the index may or may not have moved yet
    index = Index(shown, new)
    _, standing = rank_in(after, new, reader(nodes), index, counted_at)
    check_form(standing)
    assert holds(standing, after.rank_of(new))
    assert standing.population is not None
    too_many = standing.population - len(after.entries)
    assert too_many == 0 or (too_many == 1 and reached[""])


@given(st.data(), st.integers(1, 10**9))
def test_percentiles_are_rounded_outward(data: st.DataObject, population: int) -> None:
    """The shares that are shown hold the true ones, as decimals of four digits."""
    first = data.draw(st.integers(1, population))
    last = data.draw(st.integers(first, population))
    standing = Standing("estimated", "counters", first, last, population, None)
    low, high = percentile_range(standing) or (101, -1)
    shown_low, shown_high = Decimal(str(low)), Decimal(str(high))
    smallest, largest = Fraction(first * 100, population), Fraction(last * 100, population)
    step = Fraction(1, 10_000)
    assert 0 <= smallest - Fraction(shown_low) < step
    assert 0 <= Fraction(shown_high) - largest < step
    assert 0 <= low <= high <= 100


@given(st.integers(1, 10**12), st.integers(0, 10**12))
def test_an_approximate_rank_is_near_the_middle(first: int, more: int) -> None:
    """It lies in the range, within a twentieth of its width of the middle."""
    standing = Standing("estimated", "counters", first, first + more, None, None)
    middle = approximate_rank(standing)
    assert middle is not None
    assert first <= middle <= first + more
    assert abs(middle - first - more / 2) <= max(1, (more + 1) / 20 + 1)
