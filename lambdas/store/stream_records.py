"""Stream records of the `Scores` table, read: what each does to the counters.

An image is believed only if everything derived in it agrees with what its board derives from the
entry it holds; one that was edited by hand is refused, so that it cannot move a wrong counter.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from lambdas.domain.boards import BOARD_ID_PATTERN, Board
from lambdas.domain.counting import Change, Place
from lambdas.domain.entries import place
from lambdas.domain.lives import FIRST_LAYOUT
from lambdas.names import EXPIRY_PARTITION, PK, RANK_PARTITION
from lambdas.store import keys
from lambdas.store.dynamo import Item, integer_of, text_of
from lambdas.store.score_items import CELL, LAYOUT, entry_of, is_stub, item_of

FindBoard = Callable[[str, int], Board | None]
"""A board by id that knows a layout number, if it can be found; None for a deleted board."""

_TTL_SERVICE: Final = ("Service", "dynamodb.amazonaws.com")
_IMAGES: Final = {"INSERT": (False, True), "MODIFY": (True, True), "REMOVE": (True, False)}
_SEQUENCE_PATTERN: Final = re.compile("[0-9]{1,40}")  # AWS writes 21 to 40 digits
_MAX_CREATED_MS: Final = 10**keys.TIME_DIGITS - 1


class UnreadableRecordError(ValueError):
    """A stream record that cannot be counted, with the reason."""


@dataclass(frozen=True)
class Ignored:
    """A readable record that counts nothing: of a deleted board, a hidden player, or TTL's."""


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
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise UnreadableRecordError(f"{type(error).__name__}: {error}") from error


def key_of(record: Mapping[str, Any]) -> str:
    """The key of a record's item as well as it can be told, for people to look for."""
    key = _part(record, "Keys")
    value = key.get(PK) if isinstance(key, Mapping) else None
    return str(value.get("S", value) if isinstance(value, Mapping) else key)


def sequence_of(record: Mapping[str, Any]) -> str:
    """The sequence number of a record as it stands."""
    return str(_part(record, "SequenceNumber"))


def _part(record: Any, name: str) -> Any:
    stream = record.get("dynamodb") if isinstance(record, Mapping) else None
    return stream.get(name) if isinstance(stream, Mapping) else None


def _read(record: Mapping[str, Any], find_board: FindBoard) -> Change | Ignored:
    stream = record["dynamodb"]
    sequence = _sequence(stream["SequenceNumber"])
    created_ms = _created_ms(stream["ApproximateCreationDateTime"])
    images = stream.get("OldImage"), stream.get("NewImage")
    if _IMAGES.get(record["eventName"]) != (bool(images[0]), bool(images[1])):
        raise UnreadableRecordError(f"not the images of {record['eventName']!r}")
    if _removed_by_ttl(record):
        return Ignored()  # TTL serves windows past their retention; their counters go too
    pk = text_of(stream["Keys"], PK)
    before, after = (_place_of(image, pk, find_board) for image in images)
    if before is None and after is None:
        return Ignored()
    return Change(sequence, created_ms, before, after)


def _sequence(value: Any) -> int:
    if not (isinstance(value, str) and _SEQUENCE_PATTERN.fullmatch(value)):
        raise UnreadableRecordError("the sequence number is none")
    return int(value)


def _created_ms(value: Any) -> int:
    # Checked, since one that DynamoDB refuses would take its whole node's update with it.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and isfinite(value) and 0 <= value * 1000 <= _MAX_CREATED_MS):
        raise UnreadableRecordError("the creation time is none")
    return int(value * 1000)


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
    if not re.fullmatch(BOARD_ID_PATTERN, key.board):
        raise UnreadableRecordError("the key holds no board id")
    if is_stub(image):
        return None
    if number < FIRST_LAYOUT:
        raise UnreadableRecordError(f"no board ever has a layout {number}")
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
    derived = item_of(board, window, place(board, layout, entry_of(image)), hidden=hidden)
    # Whether entries expire may have changed since; it moves no counter.
    derived.pop(EXPIRY_PARTITION, None)
    wrong = [name for name, value in derived.items() if image.get(name) != value]
    if wrong:
        raise UnreadableRecordError(f"{', '.join(wrong)} disagree with the entry")
