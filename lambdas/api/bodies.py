"""Request bodies as an HTTP API hands them over, made text, and text made JSON.

Game backends send JSON under many a content type, and the gateway hands over whatever is not
text in base64; so a body is judged by what it holds, and its content type only when it holds
no JSON.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lambdas.domain.errors import RequestError

MAX_BODY_BYTES: Final = 256 * 1024
JSON_TYPE: Final = "application/json"
_LONGEST_INTEGER: Final = 40  # digits; a longer one fits no field, and Python refuses it at 4,300
_DEEPEST: Final = 300  # levels; 512 bytes of metadata nest 255, and much deeper is no data
_METHODS_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})


class BodyTooLargeError(RequestError):
    """The body is larger than 256 KiB."""


class NotBase64Error(RequestError):
    """The body was handed over as base64 and is none."""


class NotJsonError(RequestError):
    """The body is no JSON."""


class UnsupportedMediaTypeError(RequestError):
    """The body is no JSON and does not claim to be."""


def plain_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event with its body as plain text under a JSON content type.

    What came as the body of a method that has none is not looked at.

    Raises:
        BodyTooLargeError, NotBase64Error, NotJsonError: as they say.
    """
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    has_body = event["requestContext"]["http"]["method"] in _METHODS_WITH_BODY
    body = _text(event) if has_body else None
    return {
        **event,
        "headers": {**headers, "content-type": JSON_TYPE},
        "body": body,
        "isBase64Encoded": False,
    }


def content_type(event: Mapping[str, Any]) -> str:
    """The media type that the caller named, without parameters; empty if none."""
    for name, value in (event.get("headers") or {}).items():
        if name.lower() == "content-type":
            return str(value).partition(";")[0].strip().lower()
    return ""


def claims_json(media_type: str) -> bool:
    """Whether a media type says JSON, or nothing at all."""
    return media_type in ("", JSON_TYPE, "text/json") or media_type.endswith("+json")


def parse_json(text: str) -> Any:
    """The JSON that a body holds; numbers too long for any field become infinite floats.

    Raises:
        NotJsonError: it holds none, or nests so deeply that nothing could work on it.
    """
    try:
        value = json.loads(text, parse_int=_integer)
    except RecursionError as error:
        raise NotJsonError(_TOO_DEEP) from error
    except ValueError as error:
        raise NotJsonError(f"The body is no JSON: {error}") from error
    _check_depth(value)
    return value


_TOO_DEEP: Final = f"The body nests deeper than {_DEEPEST} levels."


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise NotJsonError(_TOO_DEEP)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float("inf")


def _text(event: Mapping[str, Any]) -> str:
    body = event.get("body") or ""
    if not body:
        raise NotJsonError("The body is empty.")
    if not event.get("isBase64Encoded"):
        if len(body.encode(errors="surrogatepass")) > MAX_BODY_BYTES:
            raise BodyTooLargeError
        return str(body)
    try:
        raw = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotBase64Error from error
    if len(raw) > MAX_BODY_BYTES:
        raise BodyTooLargeError
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise NotJsonError("The body is no UTF-8 text.") from error


def to_json(value: Any) -> str:
    """An answer's text; ASCII alone, so that half a surrogate pair cannot break its encoding."""
    return json.dumps(value, separators=(",", ":"))
