"""Values of one line, as CSV or JSON spells them, made into a submission."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from lambdas.domain.submissions import Submission
from ops.transfer.columns import ACHIEVED_AT, METADATA, PLAYER, SCORE, Columns

SHOWN_CHARACTERS: Final = 40
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_DIGITS: Final = re.compile(r"-?[0-9]+")


class RefusedLineError(Exception):
    """A line that is not taken; the message says why."""


def submission_of_cells(values: Mapping[str, str], columns: Columns) -> Submission:
    """The submission of a CSV line; an empty cell of an optional column is no value.

    Raises:
        RefusedLineError: A value is missing or cannot be read.
    """
    time, metadata = values.get(ACHIEVED_AT, "").strip(), values.get(METADATA, "").strip()
    return Submission(
        player_id=values[PLAYER],
        score=_whole(SCORE, values[SCORE]),
        tie_breakers={
            name: _whole(column, values[column]) for column, name in columns.tie_breakers.items()
        },
        achieved_at=_time(time) if time else None,
        metadata=_object(METADATA, json_value(metadata, METADATA)) if metadata else None,
    )


def submission_of_json(text: str, columns: Columns) -> Submission:
    """The submission of a line of JSON; a null of an optional field is no value.

    Raises:
        RefusedLineError: It is no object, has a field that the board has not, or lacks one.
    """
    values: dict[str, Any] = {}
    for name, value in _object("", json_value(text)).items():
        field = _field(columns, name)
        if field is not None and field in values:
            raise RefusedLineError(f"{field}: Is there twice.")
        if field is not None:
            values[field] = value
    time, metadata = values.get(ACHIEVED_AT), values.get(METADATA)
    return Submission(
        player_id=_text(values.get(PLAYER)),
        score=_integer(SCORE, values.get(SCORE)),
        tie_breakers={
            name: _integer(column, values.get(column))
            for column, name in columns.tie_breakers.items()
        },
        achieved_at=_time(time) if isinstance(time, str) else _optional_integer(ACHIEVED_AT, time),
        metadata=None if metadata is None else _object(METADATA, metadata),
    )


def json_value(text: str, field: str = "") -> Any:
    """A JSON value, every object's names unique and every number one that JSON can say.

    Raises:
        RefusedLineError: It is none.
    """
    where = f"{field}: " if field else ""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError as error:
        raise RefusedLineError(f"{where}Is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise RefusedLineError(f"{where}Is no JSON: {error.msg} (at {error.colno}).") from error
    except ValueError as error:  # ours, or a number of more digits than Python reads
        raise RefusedLineError(f"{where}Is no JSON that can be taken: {error}.") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _field(columns: Columns, name: str) -> str | None:
    try:
        return columns.field(name)
    except KeyError:
        raise RefusedLineError(f"{shown(name)}: The board has no such field.") from None


def _object(field: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise RefusedLineError(f"{field}: Must be a JSON object." if field else "Is no JSON object.")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise RefusedLineError(f"{PLAYER}: " + ("Is missing." if value is None else "Must be a text."))


def _optional_integer(field: str, value: Any) -> int | None:
    return None if value is None else _integer(field, value)


def _integer(field: str, value: Any) -> int:
    if type(value) is int:
        return value
    if value is None:
        raise RefusedLineError(f"{field}: Is missing.")
    raise RefusedLineError(_no_whole_number(field, json.dumps(value)))


def _whole(field: str, cell: str) -> int:
    text = cell.strip()
    if not text:
        raise RefusedLineError(f"{field}: Is missing.")
    if not _DIGITS.fullmatch(text):
        raise RefusedLineError(_no_whole_number(field, text))
    return _digits(field, text)


def _digits(field: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise RefusedLineError(f"{field}: {shown(text)} has too many digits.") from error


def _time(text: str) -> int:
    """Milliseconds since 1970, from their digits or from ISO 8601 with a zone."""
    if _DIGITS.fullmatch(text):
        return _digits(ACHIEVED_AT, text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise RefusedLineError(
            f"{ACHIEVED_AT}: {shown(text)} is neither milliseconds nor a time of ISO 8601."
        ) from error
    if moment.tzinfo is None:
        raise RefusedLineError(
            f"{ACHIEVED_AT}: {shown(text)} names no zone: end it with Z or an offset as +02:00."
        )
    return (moment - _EPOCH) // _MILLISECOND


def _no_whole_number(field: str, text: str) -> str:
    return f"{field}: {shown(text)} is no whole number in digits alone."


def shown(text: str) -> str:
    """A text as a reason quotes it, cut where it is long."""
    return f"'{text[:SHOWN_CHARACTERS]}{'...' if len(text) > SHOWN_CHARACTERS else ''}'"
