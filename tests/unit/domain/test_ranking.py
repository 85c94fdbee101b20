"""Ranking: the cases the design names, one by one."""

import pytest

from lambdas.domain.boards import BoardConfig
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.ranking import (
    COUNTERS_BEHIND,
    UNRANKED,
    Standing,
    approximate_rank,
    percentile_range,
    rank,
)
from lambdas.domain.walk import Node, Subject, Walk, walk

CONFIG = BoardConfig()


class Counts:
    """An index that answers with set numbers and notes what it was asked."""

    def __init__(self, ahead: int = 0, in_cell: int = 0) -> None:
        self._ahead = ahead
        self._in_cell = in_cell
        self.asked: list[tuple[str, int]] = []

    def ahead(self, limit: int) -> int:
        """Counts from the top."""
        self.asked.append(("top", limit))
        return min(self._ahead, limit)

    def ahead_in_cell(self, path: str, limit: int) -> int:
        """Counts inside a cell."""
        self.asked.append((path, limit))
        return min(self._in_cell, limit)


def walked(ahead: int, count: int, population: int | None = 10**6) -> Walk:
    """A walk that ended in a cell of so many, with so many ahead."""
    return Walk(ahead=ahead, count=count, path="0a", population=population, as_of=7)


@pytest.mark.parametrize(
    ("ahead", "count", "index", "answer", "asked"),
    [
        # within the first page: from the top, whatever the counters say
        (0, 75, Counts(ahead=42), ("exact", "index", 43, 43), [("top", 2_000)]),
        (74, 1, Counts(ahead=72), ("exact", "index", 73, 73), [("top", 2_000)]),
        # one player in the cell: nothing to count
        (75, 1, Counts(), ("exact", "counters", 76, 76), []),
        (900_000, 1, Counts(), ("exact", "counters", 900_001, 900_001), []),
        # nobody ahead of the cell: the top is the cell
        (0, 76, Counts(ahead=75), ("exact", "index", 76, 76), [("top", 2_000)]),
        (0, 5_000, Counts(ahead=4_000), ("estimated", "counters", 2_001, 5_000), [("top", 2_000)]),
        # beginning within exact_limit: inside the cell, up to what is left of it
        (1_999, 500, Counts(in_cell=0), ("exact", "counters", 2_000, 2_000), [("0a", 1)]),
        (1_999, 500, Counts(in_cell=9), ("estimated", "counters", 2_001, 2_499), [("0a", 1)]),
        (1_999, 2, Counts(in_cell=9), ("exact", "counters", 2_001, 2_001), [("0a", 2)]),
        (1_900, 101, Counts(in_cell=100), ("exact", "counters", 2_001, 2_001), [("0a", 100)]),
        (0, 2_001, Counts(ahead=2_000), ("exact", "counters", 2_001, 2_001), [("top", 2_000)]),
        (1_000, 500, Counts(in_cell=77), ("exact", "counters", 1_078, 1_078), [("0a", 500)]),
        # deeper: cells of up to count_limit
        (2_000, 50, Counts(in_cell=49), ("exact", "counters", 2_050, 2_050), [("0a", 50)]),
        (2_000, 50, Counts(in_cell=80), ("exact", "counters", 2_050, 2_050), [("0a", 50)]),
        (2_000, 51, Counts(in_cell=5), ("estimated", "counters", 2_001, 2_051), []),
    ],
)
def test_the_least_is_counted(
    ahead: int,
    count: int,
    index: Counts,
    answer: tuple[str, str, int, int],
    asked: list[tuple[str, int]],
) -> None:
    """Each rule of the design, at its edges: what is answered, and what it takes."""
    standing = rank(CONFIG, walked(ahead, count), index)
    assert (standing.kind, standing.basis, standing.first, standing.last) == answer
    assert index.asked == asked
    assert (standing.population, standing.as_of) == (10**6, 7)


def test_counters_far_behind_leave_the_population() -> None:
    """Where a count from the top passes all that the counters knew, nothing else bounds it."""
    standing = rank(CONFIG, walked(0, 10, population=50_000), Counts(ahead=2_000))
    assert (standing.kind, standing.first, standing.last) == ("estimated", 2_001, 50_000)


@pytest.mark.parametrize("population", [10, 2_000, 2_001])
def test_counters_that_bound_nothing_are_no_answer(population: int) -> None:
    """More players are ahead than were ever counted: a range would be made up."""
    with pytest.raises(UnavailableError, match=COUNTERS_BEHIND):
        rank(CONFIG, walked(0, 10, population=population), Counts(ahead=2_000))


def test_a_rank_is_never_past_the_population() -> None:
    """The index runs before the counters: whoever is there is counted in."""
    standing = rank(CONFIG, walked(0, 10, population=10), Counts(ahead=30))
    assert (standing.first, standing.population) == (31, 31)


@pytest.mark.parametrize("error", [ThrottledError, UnavailableError])
def test_an_index_that_fails_leaves_the_range(error: type[ThrottledError]) -> None:
    """What the counters said is still an answer."""

    class Failing(Counts):
        def ahead(self, limit: int) -> int:
            raise error(f"busy, not up to {limit}")

    standing = rank(CONFIG, walked(0, 10), Failing())
    assert standing == Standing("estimated", "counters", 1, 10, 10**6, 7, 0)
    standing = rank(CONFIG, walked(4, 1), Failing())
    assert standing == Standing("exact", "counters", 5, 5, 10**6, 7, 0)


def test_an_index_that_fails_over_counters_that_never_counted_is_no_answer() -> None:
    """An empty board's root says one player at rank 1 of whoever asks; that bounds nobody."""

    class Failing(Counts):
        def ahead(self, limit: int) -> int:
            raise ThrottledError(f"busy, not up to {limit}")

    never_counted = Walk(ahead=0, count=1, path="0a", population=1, as_of=None)
    with pytest.raises(ThrottledError):
        rank(CONFIG, never_counted, Failing())


def test_without_counters_and_past_the_cap_the_failure_is_raised() -> None:
    """Nothing bounds the rank then."""
    lost = Walk(failure=ThrottledError("busy"))
    assert rank(CONFIG, lost, Counts(ahead=1_999)) == Standing(
        "exact", "index", 2_000, 2_000, None, None
    )
    with pytest.raises(ThrottledError):
        rank(CONFIG, lost, Counts(ahead=2_000))


def test_percentiles() -> None:
    """The sole player is at 100 of 1; everything else is rounded outward to 0.0001."""
    for first, last, population, shown in [
        (1, 1, 1, (100.0, 100.0)),
        (1, 1, 3, (33.3333, 33.3334)),
        (14_238, 14_238, 40_000_000, (0.0355, 0.0356)),
        (1, 1, 40_000_000, (0.0, 0.0001)),
        (9_120, 9_480, 10_000, (91.2, 94.8)),
    ]:
        standing = Standing("estimated", "counters", first, last, population, None)
        assert percentile_range(standing) == shown
    just_stored = Standing("exact", "index", 1, 1, 2, None, population_slack=1)
    assert percentile_range(just_stored) == (50.0, 100.0)
    assert percentile_range(UNRANKED) is None
    assert percentile_range(Standing("exact", "index", 1, 1, None, None)) is None


def test_approximate_ranks() -> None:
    """The middle, to as many digits as the width can bear, and inside the range."""
    for first, last, shown in [
        (7, 7, 7),
        (9_120, 9_480, 9_300),
        (1, 99, 50),
        (101, 200, 150),
        (1_001, 2_037, 1_500),
        (123_456, 123_460, 123_458),
        (100_000, 1_099_999, 600_000),
    ]:
        assert approximate_rank(Standing("estimated", "counters", first, last, 10**9, 0)) == shown
    assert approximate_rank(UNRANKED) is None


def test_a_walk_stops_when_it_knows_enough() -> None:
    """One player left, or a range within the first page, needs no deeper node."""
    nodes = {"": {"09": 3, "0a": 8, "0b": 5}, "0a": {"00": 1, "01": 7}, "0a01": {"05": 2, "06": 5}}
    read: list[str] = []

    def reader(path: str) -> Node:
        read.append(path)
        return Node(nodes[path], len(path))

    for path, enough, descending, ahead, count, visited in [
        ("0a0105", 0, True, 10, 2, ["", "0a", "0a01"]),
        ("0a0105", 0, False, 4, 2, ["", "0a", "0a01"]),
        ("0a0105", 13, True, 5, 8, [""]),
        ("0a0105", 12, True, 5, 7, ["", "0a"]),
        ("0a0000", 0, True, 12, 1, ["", "0a"]),
    ]:
        read.clear()
        answer = walk(Subject(path, path), descending=descending, read=reader, enough=enough)
        assert (answer.ahead, answer.count, read) == (ahead, count, visited)
        assert answer.path == path[: 2 * len(visited)]
        assert answer.population == 16
        assert answer.as_of == 2 * (len(visited) - 1)
        assert answer.failure is None


def test_a_player_counted_nowhere_is_added() -> None:
    """To the own cell of each level and to the population."""
    walked = walk(
        Subject("0a", None), descending=True, read=lambda _: Node({"0b": 2}, None), enough=0
    )
    assert (walked.ahead, walked.count, walked.population, walked.as_of) == (2, 1, 3, None)


def test_a_player_counted_elsewhere_is_added_where_the_paths_part() -> None:
    """The population knows them already, and so do the cells that both paths share."""
    subject = Subject("0a01", "0a00")
    assert [subject.missing_at(path) for path in ("", "0a", "0a01")] == [0, 0, 1]
    nodes = {"": {"0a": 4}, "0a": {"00": 2, "01": 2}}
    walked = walk(subject, descending=True, read=lambda path: Node(nodes[path], None), enough=0)
    assert (walked.ahead, walked.count, walked.population) == (0, 3, 4)


@pytest.mark.parametrize(
    ("nodes", "first", "last"),
    [
        ({"": {"0b": 1}}, 1, 1),
        ({"": {"0b": 1, "0a": 3}}, 1, 4),  # counted ahead, in another bucket
        ({"": {"0b": 1, "0a": 3, "0c": 5}}, 6, 9),
        ({"": {"0b": 0, "0a": 3, "0c": 5}}, 6, 9),  # or not counted yet
        ({"": {"0a": 4}}, 1, 5),  # or in the new one already
    ],
)
def test_nobody_is_ahead_of_themselves(
    nodes: dict[str, dict[str, int]], first: int, last: int
) -> None:
    """A player whose score became worse is taken out of the cell that still counts them."""
    subject = Subject("0a", "0b")
    walked = walk(subject, descending=True, read=lambda path: Node(nodes[path], None), enough=0)
    assert (walked.first, walked.last) == (first, last)


@pytest.mark.parametrize(("counted_at", "population"), [(None, 2), ("00", 2), ("3r", 1)])
def test_a_submit_counted_before_its_own_answer(counted_at: str | None, population: int) -> None:
    """Whoever may be missing from the own cell is added to it, and to the population with it."""
    walked = walk(
        Subject("3r", counted_at),
        descending=True,
        read=lambda _: Node({"3r": 1}, None),
        enough=0,
    )
    assert (walked.first, walked.last, walked.population) == (1, population, population)
