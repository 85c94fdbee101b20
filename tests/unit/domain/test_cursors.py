"""Cursors: what is encoded comes back for the same list, and for no other."""

from dataclasses import replace

import pytest

from lambdas.domain import cursors
from lambdas.domain.boards import Board, BoardConfig, Layout
from lambdas.domain.cursors import Cursor
from lambdas.domain.errors import InvalidCursorError

BOARD = Board("arena", BoardConfig(), 3, (Layout(number=3),))


@pytest.mark.parametrize("player", ["a", "#", "名前", "\U0010ffff" * 64, '"\n~'])
def test_a_cursor_comes_back_as_it_was(player: str) -> None:
    """Whatever the player's id, in characters that a URL takes unquoted."""
    cursor = Cursor(f"0123#0000000000001#{player}", 9, 7)
    text = cursors.encode(cursor, BOARD, "all")
    assert cursors.decode(text, BOARD, "all") == cursor
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_cursor_survives_a_new_layout() -> None:
    """The board's life binds it, not the layout that is written."""
    text = cursors.encode(Cursor("k", 1, 1), BOARD, "all")
    moved = replace(BOARD, layouts=(*BOARD.layouts, Layout(number=4)))
    assert cursors.decode(text, moved, "all").rank == 1


@pytest.mark.parametrize(
    ("board", "window", "says"),
    [
        (replace(BOARD, id="other"), "all", "another board"),
        (replace(BOARD, first_layout=4), "all", "made again"),
        (BOARD, "d2026-11-30", "another window"),
    ],
)
def test_a_cursor_of_another_list_says_which(board: Board, window: str, says: str) -> None:
    """The caller learns what it mixed up."""
    text = cursors.encode(Cursor("k", 1, 1), BOARD, "all")
    with pytest.raises(InvalidCursorError, match=says):
        cursors.decode(text, board, window)
