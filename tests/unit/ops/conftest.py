"""Fixtures: the stand-in for the API, running, and a state folder that leads to it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ops.api_stub import STACKS, ApiStub, Seen, signature_matches, write_outputs


@pytest.fixture
def api() -> Iterator[ApiStub]:
    """A running stub on a free port of loopback."""
    stub = ApiStub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = f"http://{self.headers['Host']}{self.path}"
            correct = signature_matches(self.command, url, dict(self.headers.items()), body)
            decoded = json.loads(body) if body else None
            stub.seen.append(Seen(self.command, self.path, self.headers["Host"], decoded, correct))
            status, answer = stub.answers.pop(0) if stub.answers else (200, {})
            self.reply(status, answer)

        do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815 - the server looks these up

        def reply(self, status: int, answer: Any) -> None:
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def home(api: ApiStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder in which stage `local` is the stub."""
    monkeypatch.setenv("TALLY_HOME", str(tmp_path))
    monkeypatch.delenv("TALLY_STAGE", raising=False)
    write_outputs(tmp_path, {**STACKS, "Tallyboard-local-ServiceStack": {"ApiUrl": api.url}})
    return tmp_path
