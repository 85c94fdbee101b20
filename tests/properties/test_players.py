"""Player ids: what the rule allows, character by character."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lambdas.domain.errors import PlayerIdError
from lambdas.domain.players import MAX_BYTES, PATTERN, RULE, check_player_id
from tests.properties.strategies import player_ids


@given(player_ids())
def test_what_keeps_the_rule_is_returned_unchanged(player: str) -> None:
    """No normalisation, no trimming: an id is the text that was sent."""
    assert check_player_id(player) is player


@given(st.text(st.characters(), max_size=300))
@example("a" * 257)
@example("\U0010ffff" * 65)
@example("\x85")
@example("half \ud800")
def test_the_rule_alone_decides(player: str) -> None:
    """1 to 256 bytes of UTF-8 without control characters or six others, and no dots alone."""
    surrogate = any("\ud800" <= c <= "\udfff" for c in player)
    keeps = (
        not surrogate
        and 1 <= len(player.encode(errors="surrogatepass")) <= 256
        and not set(player) & set("/?%#\\")
        and not any(unicodedata.category(c) == "Cc" for c in player)
        and player not in (".", "..")
    )
    if keeps:
        assert check_player_id(player) == player
    else:
        with pytest.raises(PlayerIdError) as refused:
            check_player_id(player)
        assert str(refused.value).endswith(RULE)
        str(refused.value).encode()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=MAX_BYTES // 4))
@example("")
@example("...")
@example("..")
@example(".\n")
@example("a\u0085")
def test_the_documented_pattern_is_the_rule(player: str) -> None:
    """As far as a pattern can say it, and that is all but the length in bytes and surrogates."""
    try:
        check_player_id(player)
    except PlayerIdError:
        assert not re.search(PATTERN, player)
    else:
        assert re.search(PATTERN, player)
