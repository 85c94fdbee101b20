"""What a refusal says about the client itself: its key, its policy, or its clock."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import requests

from ops.client import Client

SKEWED_SECONDS: Final = 60
_PATIENCE_SECONDS: Final = 10


def fault_of(message: str | None, date: str | None, now: datetime | None = None) -> str:
    """A 403 in words.

    Args:
        message: Of the gateway.
        date: The answer's `Date` header.
        now: The client's time.
    """
    said = f"the gateway refused the client (403: {message or 'Forbidden'})"
    if date is None:
        return said
    behind = (parsedate_to_datetime(date) - (now or datetime.now(UTC))).total_seconds()
    if abs(behind) < SKEWED_SECONDS:
        return f"{said}: look at its credentials and its policy"
    side = "behind" if behind > 0 else "ahead of"
    return f"{said}: its clock is {abs(behind):,.0f} s {side} the stage's"


def date_of(client: Client) -> str | None:
    """The stage's own date, from the headers of any answer; None if nothing answers."""
    with requests.Session() as session:
        session.trust_env = not client.outputs.is_local
        try:
            answer = session.send(client.signed("GET", "/"), timeout=_PATIENCE_SECONDS)
        except requests.RequestException:
            return None
        return answer.headers.get("Date")
