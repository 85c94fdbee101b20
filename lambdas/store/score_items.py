"""Score items as they are stored: their attributes, and the entry and record they hold."""

from collections.abc import Mapping
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry, Record, place
from lambdas.domain.errors import UnavailableError
from lambdas.domain.segments import Segment
from lambdas.domain.submissions import Accepted
from lambdas.domain.windows import Window
from lambdas.names import (
    ACHIEVED_AT,
    EXPIRES_AT,
    EXPIRY_PARTITION,
    PK,
    RANK_KEY,
    RANK_PARTITION,
)
from lambdas.store import keys
from lambdas.store.dynamo import Item, integer_of, number, string, text_of

SCORE: Final = "score"
ORDER_KEY: Final = "order_key"
LAYOUT: Final = "layout"
CELL: Final = "cell"
TIE_BREAKERS: Final = "tie_breakers"
METADATA: Final = "metadata"
SUBMISSION_ID: Final = "submission_id"
# The layout of the record that the last write replaced, 0 for none: what tells a repeated call
# whether its first try made the entry or improved it.
REPLACED_LAYOUT: Final = "replaced_layout"
# On a board whose entries expire: how long the replaced record had still to stand, ms; at 0 or
# below it had expired, and what took its place was new.
REPLACED_LEFT: Final = "replaced_left_ms"
# Which segments of its window the player is in, by dimension; on boards that have dimensions.
SEGMENTS: Final = "segments"
# Of what an expired item leaves to say which segments it led to: older than any layout there is.
NO_LAYOUT: Final = 0
_OPTIONAL: Final = (METADATA, SUBMISSION_ID, EXPIRES_AT, EXPIRY_PARTITION, REPLACED_LEFT)


def check_config_of(item: Item, board: Board) -> None:
    """Refuses to act on an item by a config that is older than what wrote it.

    Raises:
        UnavailableError: the item is under a layout that the config knows nothing of; try again.
    """
    if integer_of(item, LAYOUT) > board.layouts[-1].number:
        raise UnavailableError("StaleConfig")


def is_of_former_life(item: Item, board: Board) -> bool:
    """Whether an item is of a board of this id that was deleted; such a one counts as absent."""
    return integer_of(item, LAYOUT) < board.first_layout


def is_stub(item: Item) -> bool:
    """Whether an item is what an expired one left to say which segments it led to."""
    return integer_of(item, LAYOUT) == NO_LAYOUT and RANK_PARTITION not in item


def has_expired(item: Item, cutoff: int | None) -> bool:
    """Whether an item's entry has expired by a board's cutoff; such a one counts as absent."""
    return cutoff is not None and integer_of(item, ACHIEVED_AT) <= cutoff


def replaced_expired(item: Item) -> bool:
    """Whether what the last write replaced, if anything, had expired."""
    return REPLACED_LEFT in item and integer_of(item, REPLACED_LEFT) <= 0


def entry_of(item: Item) -> Entry:
    """The entry that a score item holds.

    Raises:
        ValueError: an attribute is missing or of another type.
    """
    player = keys.parse_score_pk(text_of(item, PK)).player
    tie_breakers = tuple(int(one["N"]) for one in item.get(TIE_BREAKERS, {"L": []})["L"])
    return Entry(player, integer_of(item, SCORE), integer_of(item, ACHIEVED_AT), tie_breakers)


def segments_of(item: Item) -> dict[str, str]:
    """The segments of its window that a score item's player is in: a value a dimension.

    The value of a dimension may be one of a former life, or that of an item that has gone.
    """
    held: Mapping[str, Mapping[str, str]] = item.get(SEGMENTS, {}).get("M", {})
    return {dimension: value["S"] for dimension, value in held.items()}


def segment_windows_of(item: Item) -> list[str]:
    """The names of the windows, segments of its own, in which a score item's player may stand."""
    window = keys.parse_score_pk(text_of(item, PK)).window
    return [Segment(*one).name_in(window) for one in segments_of(item).items()]


def segments_attribute(segments: Mapping[str, str]) -> dict[str, Any]:
    """The inverse of `segments_of`, for one attribute."""
    return {"M": {dimension: string(value) for dimension, value in segments.items()}}


def partition_of(item: Item, board: Board, *, hidden: bool) -> str:
    """The index partition that an item of this life of the board belongs in.

    Raises:
        UnavailableError: the item is under a layout that the config knows nothing of; try again.
        ValueError: an attribute is missing or of another type.
    """
    layout = board.layout(integer_of(item, LAYOUT))
    if layout is None:
        raise UnavailableError("StaleConfig")
    record = place(board, layout, entry_of(item))
    window = keys.parse_score_pk(text_of(item, PK)).window
    return text_of(item_of(board, window, record, hidden=hidden), RANK_PARTITION)


def item_of(board: Board, window: str, record: Record, *, hidden: bool = False) -> dict[str, Any]:
    """A record as the attributes of a score item, its key included."""
    entry = record.entry
    partition = keys.rank_partition(board.id, window, record.layout, record.index_shard)
    if hidden:
        partition = keys.hidden_partition(board.id, window)
    columns = {TIE_BREAKERS: {"L": [number(one) for one in entry.tie_breakers]}}
    expiry = {EXPIRY_PARTITION: string(keys.expiry_partition(board.id, record.index_shard))}
    return {
        PK: string(keys.score_pk(board.id, window, entry.player)),
        SCORE: number(entry.score),
        **(columns if entry.tie_breakers else {}),
        ORDER_KEY: string(record.order_key),
        ACHIEVED_AT: number(entry.achieved_at),
        LAYOUT: number(record.layout),
        CELL: string(record.cell),
        RANK_PARTITION: string(partition),
        RANK_KEY: string(keys.rank_key(record)),
        **(expiry if board.config.entry_ttl_seconds is not None else {}),
    }


def update_of(
    table: str,
    board: Board,
    window: Window,
    record: Record,
    accepted: Accepted,
    cutoff: int | None,
    *,
    hidden: bool,
    segments: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The update that makes a score item hold a record, whole, without any condition.

    Every attribute of a record has a name and, where it is set, a value of the same name for a
    condition to use: `#score`, `:score`; where entries expire, `:cutoff` is what it says. The
    item's segments stay as they are unless some are given: who does not know them must not lose
    them.
    """
    attributes = item_of(board, window.name, record, hidden=hidden)
    key = {PK: attributes.pop(PK)}
    for name, value in (
        (METADATA, accepted.metadata),
        (SUBMISSION_ID, accepted.submission_id),
    ):
        if value is not None:
            attributes[name] = string(value)
    if segments is not None:
        attributes[SEGMENTS] = segments_attribute(segments)
    if (expires_at := board.schedule.expires_at(window)) is not None:
        attributes[EXPIRES_AT] = number(expires_at)
    sets = [f"#{name} = :{name}" for name in attributes]
    sets.append(f"#{REPLACED_LAYOUT} = if_not_exists(#{LAYOUT}, :none)")
    values = {f":{name}": value for name, value in attributes.items()} | {":none": number(0)}
    kept = set(attributes)
    if cutoff is not None:
        sets.append(f"#{REPLACED_LEFT} = if_not_exists(#{ACHIEVED_AT}, :cutoff) - :cutoff")
        values[":cutoff"] = number(cutoff)
        kept.add(REPLACED_LEFT)
    removes = [f"#{name}" for name in _OPTIONAL if name not in kept]
    return {
        "TableName": table,
        "Key": key,
        "UpdateExpression": f"SET {', '.join(sets)}"
        + (f" REMOVE {', '.join(removes)}" if removes else ""),
        "ExpressionAttributeNames": {
            f"#{name}": name for name in (*attributes, *_OPTIONAL, REPLACED_LAYOUT)
        },
        "ExpressionAttributeValues": values,
    }
