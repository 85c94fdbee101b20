"""Requests that must be refused: what they are made of, and what sends them."""

import json
from collections.abc import Callable
from typing import Any

GOOD = '{"player_id":"p","score":5}'
KIB_256 = 256 * 1024
Refused = Callable[..., dict[str, Any]]
"""Sends what must be refused with a status and a code; the problem that is answered."""


def submit_body(**fields: Any) -> str:
    """A submission as JSON, with some fields changed."""
    return json.dumps({"player_id": "p", "score": 5, **fields})


def nested(levels: int) -> str:
    """A list in a list in a list."""
    return "[" * levels + "]" * levels
