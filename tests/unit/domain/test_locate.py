"""Finding the cell of a rank: what the walk does with counters that are whole, and behind."""

import pytest

from lambdas.domain.cells import Span, cells_of
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.locate import Located, locate
from lambdas.domain.walk import Node

CELLS = cells_of(Span(0, 99_999), 64, "linear", 2)
COUNTS = {"": {"00": 3, "05": 4, "1r": 2}, "00": {"00": 1, "2a": 2}, "05": {"01": 1, "02": 2}}


def find(rank: int, *, descending: bool = False, enough: int = 0, lost: str = "-") -> Located:
    """Walks the counts above; the node at `lost` cannot be read."""

    def read(path: str) -> Node:
        if path == lost:
            raise ThrottledError("slow")
        return Node(COUNTS.get(path, {}), 100 + len(path))

    return locate(rank, CELLS, descending=descending, read=read, enough=enough)


@pytest.mark.parametrize(
    ("rank", "path", "ahead", "count"),
    [(1, "0000", 0, 1), (2, "002a", 1, 2), (3, "002a", 1, 2), (4, "0501", 3, 1), (6, "0502", 4, 2)],
)
def test_the_cell_of_a_rank_is_found(rank: int, path: str, ahead: int, count: int) -> None:
    """Best first: low codes on an ascending board, down to the last level."""
    found = find(rank)
    assert (found.path, found.ahead, found.count, found.population) == (path, ahead, count, 9)
    assert (found.as_of, found.failure) == (102, None)


def test_a_descending_board_begins_at_the_other_end() -> None:
    """High codes are better there."""
    found = find(4, descending=True)
    assert (found.path, found.ahead, found.count) == ("0502", 2, 2)


def test_the_walk_ends_at_a_cell_of_few() -> None:
    """A cell that can be counted in the index is not walked into."""
    found = find(2, enough=3)
    assert (found.path, found.ahead, found.count, len(found.nodes)) == ("00", 0, 3, 1)


def test_a_rank_beyond_everyone_is_in_no_cell() -> None:
    """The population says that nobody is there."""
    assert (find(10).path, find(10).population) == ("", 9)


def test_a_node_behind_or_lost_ends_the_walk_above_it() -> None:
    """What its parent said still holds, and the failure is told."""
    behind, lost = find(7), find(2, lost="00")
    assert (behind.path, behind.ahead, behind.count) == ("05", 3, 4)
    assert isinstance(behind.failure, UnavailableError)
    assert (lost.path, lost.ahead, lost.count) == ("00", 0, 3)
    assert isinstance(lost.failure, ThrottledError)


def test_a_lost_root_is_raised() -> None:
    """Without it nothing is known."""
    with pytest.raises(ThrottledError):
        find(1, lost="")
