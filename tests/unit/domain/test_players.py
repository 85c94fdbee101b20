"""Player ids: each way to break the rule is named."""

import pytest

from lambdas.domain.errors import PlayerIdError
from lambdas.domain.players import check_player_id


@pytest.mark.parametrize(
    "player",
    ["a", "...", "O'Brien & Sons!", "+", "a:b@c", " ", "Zoë", "🏆", "\u200b", "x" * 256, "é" * 128],
)
def test_ordinary_ids(player: str) -> None:
    """Quotes, spaces, signs and emoji are ordinary; 256 bytes fit."""
    assert check_player_id(player) == player


@pytest.mark.parametrize(
    ("player", "fault"),
    [
        ("", "is empty"),
        (".", "is '.'"),
        ("..", "is '..'"),
        ("x" * 257, "is 257 bytes long"),
        ("é" * 129, "is 258 bytes long"),
        ("\ud83c", "half of a surrogate pair"),
        *((f"a{c}b", f"holds {c!r}") for c in "/?%#\\"),
        *((f"a{chr(c)}b", f"U+{c:04X}") for c in (0, 9, 10, 13, 31, 127, 128, 133, 159)),
    ],
)
def test_broken_ids_are_told_why(player: str, fault: str) -> None:
    """The message names the fault before the rule."""
    with pytest.raises(PlayerIdError) as refused:
        check_player_id(player)
    assert fault in str(refused.value)
