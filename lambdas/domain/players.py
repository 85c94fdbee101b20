"""Which player ids can be stored *and read again through a URL*.

An HTTP API cuts a path at an encoded `?`, refuses an encoded `%` and decodes twice, so an id
holding one of a few characters could be stored and never be read. Those are refused on submit;
everything else, quotes, spaces and emoji included, is an ordinary id.
"""

import unicodedata
from typing import Final

from lambdas.domain.errors import PlayerIdError

MAX_BYTES: Final = 256
_FORBIDDEN: Final = frozenset("/?%#\\")
RULE: Final = (
    "A player id is 1 to 256 bytes of UTF-8 without control characters and without "
    "/ ? % # or a backslash, and is neither . nor .."
)

# The rule as a regular expression, save the bytes: what a JSON schema can say of it.
PATTERN: Final = r"^(?!\.{1,2}$)[^/?%#\\\u0000-\u001f\u007f-\u009f]+$"


def check_player_id(player: str) -> str:
    """Returns the id unchanged when it keeps the rule.

    Raises:
        PlayerIdError: naming what is wrong, with the whole rule.
    """
    fault = _fault(player)
    if fault:
        raise PlayerIdError(f"{fault} {RULE}")
    return player


def _fault(player: str) -> str | None:
    if not player:
        return "The player id is empty."
    if player in (".", ".."):
        return f"The player id is {player!r}."
    try:
        size = len(player.encode())
    except UnicodeEncodeError:
        return "The player id holds half of a surrogate pair, which is not text."
    if size > MAX_BYTES:
        return f"The player id is {size} bytes long."
    for character in player:
        if character in _FORBIDDEN:
            return f"The player id holds {character!r}."
        if unicodedata.category(character) == "Cc":
            return f"The player id holds the control character U+{ord(character):04X}."
    return None
