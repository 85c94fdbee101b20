"""The only place where a key of a table or index is built or taken apart.

A board id holds no `#` and a window neither, so the first separators of a key are the key's own
and the player id, which comes last, may hold anything.
"""

from typing import Final, NamedTuple

from lambdas.domain.counting import NodeKey
from lambdas.domain.entries import Entry, Record
from lambdas.domain.order import RankOrder

SEPARATOR: Final = "#"
TIME_DIGITS: Final = 13
HIDDEN: Final = "hidden"
CONFIG_SK: Final = "config"
WINDOW_SK: Final = "window#"
VISIBILITY_SK: Final = "visibility"
SEGMENT_SK: Final = "segment#"
PATROL_PK: Final = "#audit"
_LAST_CHARACTER: Final = "\U0010ffff"
# A player id has at most 64 characters of four bytes, so no id outlasts this many of the last one.
_PADDING: Final = _LAST_CHARACTER * 65


class ScoreKey(NamedTuple):
    """The partition key of a score item, taken apart."""

    board: str
    window: str
    player: str


def score_pk(board: str, window: str, player: str) -> str:
    """The partition key of a player's score item in one window."""
    return SEPARATOR.join((board, window, player))


def parse_score_pk(pk: str) -> ScoreKey:
    """The inverse of `score_pk`.

    Raises:
        ValueError: not a score item's key.
    """
    parts = pk.split(SEPARATOR, 2)
    if len(parts) != 3:
        raise ValueError(f"{pk!r} is no key of a score item")
    return ScoreKey(*parts)


def ledger_pk(board: str, player: str) -> str:
    """The partition key of a player's submissions to one board of sums; sorted by their ids."""
    return SEPARATOR.join((board, player))


def visibility_pk(board: str, player: str) -> str:
    """The partition key of a player's flag on a board, so that no board's flags share one."""
    return SEPARATOR.join((board, player))


def parse_visibility_pk(pk: str) -> tuple[str, str]:
    """The board and player of a flag's key: the inverse of `visibility_pk`.

    Raises:
        ValueError: not a flag's key.
    """
    board, separator, player = pk.partition(SEPARATOR)
    if not separator:
        raise ValueError(f"{pk!r} is no key of a flag")
    return board, player


def rank_partition(board: str, window: str, layout: int, index_shard: int) -> str:
    """The index partition that holds one index shard of a window's entries."""
    return SEPARATOR.join((board, window, str(layout), str(index_shard)))


def hidden_partition(board: str, window: str) -> str:
    """The index partition of a window's hidden players, who are in no list and no count."""
    return SEPARATOR.join((board, window, HIDDEN))


def expiry_partition(board: str, index_shard: int) -> str:
    """The expiry index's partition of one index shard: entries of all the board's windows."""
    return SEPARATOR.join((board, str(index_shard)))


def rank_key(record: Record) -> str:
    """The index sort key: better scores first, then the earlier, then the smaller player id."""
    return _rank_key(record.order_key, record.entry)


def entry_key(order: RankOrder, entry: Entry) -> str:
    """The index sort key of an entry, the same under every layout."""
    return _rank_key(order.key(entry.score, entry.tie_breakers), entry)


def _rank_key(order_key: str, entry: Entry) -> str:
    return SEPARATOR.join((order_key, f"{entry.achieved_at:0{TIME_DIGITS}d}", entry.player))


def after_score(score_key: str) -> str:
    """A key behind every entry whose order key begins with a score's, and ahead of the next's."""
    return score_key + chr(ord("9") + 1)


def parse_rank_key(key: str, order: RankOrder) -> Entry:
    """The entry that an index key spells out.

    Raises:
        ValueError: not a rank key of a board with this order.
    """
    parts = key.split(SEPARATOR, 2)
    if len(parts) != 3:
        raise ValueError(f"{key!r} is no rank key")
    order_key, achieved_at, player = parts
    if len(achieved_at) != TIME_DIGITS or not (achieved_at.isascii() and achieved_at.isdigit()):
        raise ValueError(f"{achieved_at!r} is no time of {TIME_DIGITS} digits")
    score, tie_breakers = order.values(order_key)
    return Entry(player, score, int(achieved_at), tie_breakers)


def just_before(key: str) -> str:
    """A key that follows every smaller rank key and precedes this one.

    A key condition can say `BETWEEN` or `<`, not both; this makes an upper bound of `BETWEEN`
    exclusive. It ends in characters that no player id is long enough to outlast.
    """
    last = ord(key[-1]) - 1
    if 0xD800 <= last <= 0xDFFF:  # surrogates are no characters; the one before them is
        last = 0xD7FF
    return key[:-1] + chr(last) + _PADDING


def just_after(key: str) -> str:
    """A key that precedes every greater rank key and follows this one."""
    return key + "\x01"  # smaller than whatever a player id may hold


def window_sk(window: str) -> str:
    """The sort key of a window's own item, beside its board's config."""
    return WINDOW_SK + window


def segment_sk(segment: str) -> str:
    """The sort key of the item that says a segment is known, beside its board's config."""
    return SEGMENT_SK + segment


def counter_pk(node: NodeKey) -> str:
    """The partition key of a node: all its counter shards, and nothing else, lie in it."""
    return SEPARATOR.join((node.board, node.window, str(node.layout), node.path))


def counter_sk(counter_shard: int) -> str:
    """The sort key of one counter shard."""
    return str(counter_shard)


def counter_item(node: NodeKey, counter_shard: int) -> str:
    """Both keys of a counter item as one text, for logs."""
    return f"{counter_pk(node)} {counter_sk(counter_shard)}"
