"""Lambda events as AWS makes them: payload format 2.0 of an HTTP API, and stream batches."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

from lambdas.names import DEFAULT_ROUTE, DOCS_ROUTES, READ, ROUTES


@dataclass(frozen=True)
class Context:
    """A Lambda context: what the functions read of one.

    Attributes:
        timeout_seconds: counted from when the context is made.
    """

    function_name: str = "rig"
    aws_request_id: str = "00000000-0000-0000-0000-000000000000"
    memory_limit_in_mb: int = 1024
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:000000000000:function:rig"
    timeout_seconds: float = 60.0
    _started: float = field(default_factory=time.monotonic)

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function would be stopped."""
        return int((self.timeout_seconds - (time.monotonic() - self._started)) * 1000)


def http_event(
    method: str,
    path: str,
    *,
    body: str | None = None,
    query: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    is_base64: bool = False,
) -> dict[str, Any]:
    """One request as the gateway hands it over: the path decoded, the route key matched."""
    function, route_key = route_of(method, path)
    return {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": unquote(path),
        "rawQueryString": urlencode(query or {}),
        "headers": {name.lower(): value for name, value in (headers or {}).items()},
        "queryStringParameters": dict(query or {}) or None,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "rig",
            "http": {"method": method, "path": unquote(path), "sourceIp": "127.0.0.1"},
            "requestId": f"rig-{function}",
            "stage": "$default",
        },
        "body": body,
        "isBase64Encoded": is_base64,
    }


def route_of(method: str, path: str) -> tuple[str, str]:
    """The function that serves a request, and the gateway's route key for it."""
    served = [(function, route) for function, routes in ROUTES.items() for route in routes]
    served += [(READ, route) for route in DOCS_ROUTES]
    for function, (route_method, route_path) in served:
        if method == route_method and _matches(route_path, path):
            return function, f"{route_method} {route_path}"
    return READ, DEFAULT_ROUTE


def stream_event(
    records: Sequence[Mapping[str, Any]], stream_shard: str | None, **extra: Any
) -> dict[str, Any]:
    """A batch as an event source mapping with a tumbling window hands it over.

    Without a stream shard it is what a mapping without a window, or an emulator, sends.
    """
    event: dict[str, Any] = {"Records": list(records), **extra}
    return event if stream_shard is None else {**event, "shardId": stream_shard}


def json_body(value: Any) -> str:
    """A request's body."""
    return json.dumps(value, ensure_ascii=False)


def _matches(pattern: str, path: str) -> bool:
    wanted, given = pattern.split("/"), path.split("/")
    return len(wanted) == len(given) and all(
        one == other or (one.startswith("{") and other != "")
        for one, other in zip(wanted, given, strict=True)
    )
