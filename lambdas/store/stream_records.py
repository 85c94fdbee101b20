"""Stream records of the `Scores` table, read: what each does to the counters.

An image is believed only if everything derived in it agrees with what its board derives from the
entry it holds; one that was edited by hand is refused, so that it cannot move a wrong counter.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.counting import Change, Place
from lambdas.domain.entries import place
from lambdas.domain.marks import MAX_SEQUENCE
from lambdas.names import PK, RANK_PARTITION
from lambdas.store import keys
from lambdas.store.dynamo import Item, integer_of, text_of
from lambdas.store.scores import CELL, LAYOUT, entry_of, item_of

FindBoard = Callable[[str, int], Board | None]
"""A board by id that knows a layout number, if it can be found; None for a deleted board."""

_TTL_SERVICE: Final = ("Service", "dynamodb.amazonaws.com")


class UnreadableRecordError(ValueError):
    """A stream record that cannot be counted, with the reason."""


@dataclass(frozen=True)
class Ignored:
    """A readable record that counts nothing: of a deleted board, or a removal by TTL."""


def read_record(record: Mapping[str, Any], find_board: FindBoard) -> Change | Ignored:
    """Reads one record of a stream event.

    Raises:
        UnreadableRecordError: it cannot be read, or its images disagree with themselves.
        ThrottledError, UnavailableError: its board could not be looked up.
    """
    try:
        return _read(record, find_board)
    except UnreadableRecordError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableRecordError(f"{type(error).__name__}: {error}") from error


def key_of(record: Mapping[str, Any]) -> str:
    """The key of a record's item as well as it can be told, for people to look for."""
    key = _part(record, "Keys")
    value = key.get(PK) if isinstance(key, Mapping) else None
    return str(value.get("S", value) if isinstance(value, Mapping) else key)


def sequence_of(record: Mapping[str, Any]) -> str:
    """The sequence number of a record as it stands."""
    return str(_part(record, "SequenceNumber"))


def _part(record: Mapping[str, Any], name: str) -> Any:
    stream = record.get("dynamodb")
    return stream.get(name) if isinstance(stream, Mapping) else None


def _read(record: Mapping[str, Any], find_board: FindBoard) -> Change | Ignored:
    stream = record["dynamodb"]
    sequence = int(stream["SequenceNumber"])
    if not 0 <= sequence <= MAX_SEQUENCE:
        raise UnreadableRecordError("the sequence number is out of range")
    if _removed_by_ttl(record):
        return Ignored()  # TTL serves windows past their retention; their counters go too
    pk = text_of(stream["Keys"], PK)
    before = _place_of(stream.get("OldImage"), pk, find_board)
    after = _place_of(stream.get("NewImage"), pk, find_board)
    if before is None and after is None:
        return Ignored()
    created_ms = int(stream["ApproximateCreationDateTime"] * 1000)
    return Change(sequence, created_ms, before, after)


def _removed_by_ttl(record: Mapping[str, Any]) -> bool:
    identity = record.get("userIdentity") or {}
    by = (identity.get("type"), identity.get("principalId"))
    return record.get("eventName") == "REMOVE" and by == _TTL_SERVICE


def _place_of(image: Item | None, pk: str, find_board: FindBoard) -> Place | None:
    if not image:
        return None
    if text_of(image, PK) != pk:
        raise UnreadableRecordError("the image is of another key")
    key, number = keys.parse_score_pk(pk), integer_of(image, LAYOUT)
    board = find_board(key.board, number)
    if board is None or number < board.first_layout:
        return None
    hidden = text_of(image, RANK_PARTITION) == keys.hidden_partition(key.board, key.window)
    _check(image, board, key.window, number, hidden)
    return None if hidden else Place(key.board, key.window, number, text_of(image, CELL))


def _check(image: Item, board: Board, window: str, number: int, hidden: bool) -> None:
    layout = board.layout(number)
    if layout is None:
        raise UnreadableRecordError(f"the board has no layout {number}")
    derived = item_of(board, window, place(board, layout, entry_of(image)))
    if hidden:
        derived.pop(RANK_PARTITION)
    wrong = [name for name, value in derived.items() if image.get(name) != value]
    if wrong:
        raise UnreadableRecordError(f"{', '.join(wrong)} disagree with the entry")
