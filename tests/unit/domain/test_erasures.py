"""Cursors of a look for a player's items: they come back as they were, and for that look alone."""

import pytest

from lambdas.domain.cursors import packed
from lambdas.domain.erasures import START, Part, Position, Purpose, decode, encode
from lambdas.domain.errors import InvalidCursorError

POSITIONS = [
    START,
    Position("arena"),
    Position("arena", Part.WINDOWS, "s:autumn"),
    Position("a" * 64, Part.LEDGER, "名" * 21),
    Position("arena", Part.FLAG),
]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("player", ["a", "名前", "\U0010ffff" * 64, 'it\'s "me"'])
def test_a_cursor_comes_back_as_it_was(position: Position, purpose: Purpose, player: str) -> None:
    """Wherever the look was, and whatever the id, in characters that a URL takes unquoted."""
    text = encode(position, player, purpose)
    assert decode(text, player, purpose) == position
    assert text.replace("-", "").replace("_", "").isalnum()
    assert text.isascii()


def test_a_cursor_of_another_look_says_which() -> None:
    """The caller learns what it mixed up."""
    text = encode(START, "ada", Purpose.SHOW)
    with pytest.raises(InvalidCursorError, match="another player"):
        decode(text, "Ada", Purpose.SHOW)
    with pytest.raises(InvalidCursorError, match="another request"):
        decode(text, "ada", Purpose.ERASE)


@pytest.mark.parametrize(
    "held",
    [
        [],
        ["show", "ada", "b", "windows"],
        ["show", "ada", "b", "windows", "", ""],
        ["show", "ada", "b", "windows", 1],
        ["look", "ada", "b", "windows", ""],
        ["show", "ada", "b", "nodes", ""],
        ["show", "ada", "b", "windows", "\ud800"],
        ["show", "ada", "b", "ledger", "é" * 33],
    ],
)
def test_what_no_look_ended_with_is_garbled(held: list[str | int]) -> None:
    """Parts too few or too many, of another type, or of no value they can have."""
    with pytest.raises(InvalidCursorError, match="garbled"):
        decode(packed(held), "ada", Purpose.SHOW)
