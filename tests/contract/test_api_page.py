"""The page at /api/docs as a person meets it: rendered by a real browser, from the rig."""

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from ops.client import Client
from tests.functional import contract

BROWSER: Final = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--window-size=1280,2400", "--virtual-time-budget=8000"),
    # Nothing but the rig can be reached: the page brings all that it needs.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    *("--enable-logging=stderr", "--log-level=0"),
)


class Page(HTMLParser):
    """What Swagger UI has drawn: operations, and the boxes in which it reports errors."""

    def __init__(self, dom: str) -> None:
        super().__init__()
        self.operations: set[tuple[str, str]] = set()
        self.errors: list[str] = []
        self.text = ""
        self._method = ""
        self._element = ""
        self.feed(dom)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes operations by the paths they carry, and error boxes."""
        found = dict(attrs)
        classes = (found.get("class") or "").split()
        self._element = tag
        if "opblock" in classes:
            self._method = next(one for one in classes if one.startswith("opblock-"))
        if found.get("data-path"):
            method = self._method.removeprefix("opblock-")
            self.operations.add((method, str(found["data-path"])))
        self.errors += [name for name in classes if "error" in name.lower()]

    def handle_data(self, data: str) -> None:
        """Keeps what can be read on the page; scripts and styles are no text."""
        if self._element not in ("script", "style"):
            self.text += data


@pytest.mark.skipif(
    BROWSER is None, reason="no chromium or google-chrome here, and `make browser` installed none"
)
def test_the_page_shows_every_operation(client: Client, tmp_path: Path) -> None:
    """In a browser each operation is listed, no error box is shown and no script fails."""
    url, picture = f"{client.outputs.api_url}/api/docs", tmp_path / "docs.png"
    done = browse(tmp_path, "--dump-dom", url)
    page = Page(done.stdout)
    assert page.operations == {
        (method, path)
        for path, operations in contract.document()["paths"].items()
        for method in operations
    }
    assert page.errors == []
    for wanted in ("Tallyboard", "OAS 3.1", "Schemas"):
        assert wanted in page.text
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    assert not [line for line in console if "Uncaught" in line or "Failed to" in line]
    browse(tmp_path, f"--screenshot={picture}", url)
    assert picture.read_bytes().startswith(b"\x89PNG")


def browse(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs the browser once, with a profile and a home of its own."""
    command = [str(BROWSER), *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=True
    )
