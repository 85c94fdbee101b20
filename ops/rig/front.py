"""The rig's HTTP front: what an HTTP API does between a client and the functions.

It checks signatures, matches routes, makes events of payload format 2.0 and runs the handlers in
this process, one thread a request. What it refuses itself it words as the gateway does. Request
limits, access logs and throttling of the gateway are not there.
"""

import base64
import re
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from lambdas.names import DOCS_ROUTES
from ops.rig.events import Context, http_event, route_of
from ops.rig.signatures import Verifier

Function = Callable[[dict[str, Any], Context], dict[str, Any]]

_BAD_REQUEST: Final = '{"message":"Bad Request"}'
FORBIDDEN: Final = '{"message":"Forbidden"}'
INTERNAL: Final = '{"message":"Internal Server Error"}'
MAX_REQUEST_BYTES: Final = 10 * 1024 * 1024  # the payload an HTTP API takes
_TOO_LARGE: Final = '{"message":"Request Entity Too Large"}'
_OPEN_ROUTES: Final = frozenset(f"{method} {path}" for method, path in DOCS_ROUTES)
# An HTTP API hands text over as it is and anything else in base64.
_TEXT_TYPES: Final = ("text/", "application/json", "application/javascript", "application/xml")


class Front(ThreadingHTTPServer):
    """Serves the functions on a port of loopback, free unless one is named."""

    daemon_threads = True
    request_queue_size = 1024  # hundreds of clients may connect at once

    def __init__(
        self, functions: Mapping[str, Function], verifier: Verifier, port: int = 0
    ) -> None:
        """Binds the port; `serve_forever` serves.

        Args:
            functions: the handler of each HTTP function by its name in `lambdas.names`.
            verifier: whose signatures are accepted.
        """
        super().__init__(("127.0.0.1", port), _Request)
        self.functions = functions
        self.verifier = verifier

    @property
    def url(self) -> str:
        """The API's endpoint."""
        return f"http://127.0.0.1:{self.server_port}"


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Front

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_REQUEST_BYTES:
            self.close_connection = True
            return self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _TOO_LARGE)
        body = self.rfile.read(length)
        path, query = _path_and_query(self.path)
        if "%25" in path:
            return self._answer(HTTPStatus.BAD_REQUEST, _BAD_REQUEST)
        function, route_key = route_of(self.command, path)
        if route_key not in _OPEN_ROUTES and not self._is_signed(body):
            return self._answer(HTTPStatus.FORBIDDEN, FORBIDDEN)
        event = self._event(path, query, body)
        try:
            answer = self.server.functions[function](event, Context(timeout_seconds=10))
        except Exception:  # noqa: BLE001 - whatever a function raises, the gateway says this
            traceback.print_exc()
            return self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, INTERNAL)
        return self._answer(answer["statusCode"], answer.get("body") or "", answer["headers"])

    def _is_signed(self, body: bytes) -> bool:
        headers = {name.lower(): value for name, value in self.headers.items()}
        url = f"http://{headers.get('host', '')}{self.path}"
        return self.server.verifier.accepts(self.command, url, headers, body, datetime.now(UTC))

    def _event(self, path: str, query: str, body: bytes) -> dict[str, Any]:
        content_type = self.headers.get("Content-Type") or "application/json"
        text, is_base64 = _handed_over(content_type, body)
        return http_event(
            self.command,
            path,
            body=text,
            query=dict(parse_qsl(query, keep_blank_values=True)),
            headers=dict(self.headers.items()),
            is_base64=is_base64,
        )

    def _answer(self, status: int, body: str, headers: Mapping[str, str] | None = None) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in (headers or {"Content-Type": "application/json"}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keeps quiet: the functions log their own calls."""

    # The methods that an HTTP API hands over; those of no route of ours arrive under $default.
    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve  # noqa: N815 - the base's names
    do_HEAD = do_OPTIONS = _serve  # noqa: N815


def _path_and_query(target: str) -> tuple[str, str]:
    """A request target as an HTTP API sees it: the path is cut at an encoded question mark."""
    parts = urlsplit(target)
    return re.split("%3f", parts.path, maxsplit=1, flags=re.IGNORECASE)[0], parts.query


def _handed_over(content_type: str, body: bytes) -> tuple[str | None, bool]:
    if not body:
        return None, False
    if content_type.lower().startswith(_TEXT_TYPES):
        try:
            return body.decode(), False
        except UnicodeDecodeError:
            pass
    return base64.b64encode(body).decode(), True
