"""Builds what the functions run, without Docker: pinned packages and our own code in one folder.

Packages are installed for the function's platform and Python from a lock with hashes; wheels only,
so nothing is compiled here. A build is kept under `build/` by a digest of all that went in: the
same inputs are built once, and the same folder comes out on every machine, so that CDK's own
digest changes only when a function does. boto3 comes with the Lambda runtime.
"""

import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BUILD: Final = ROOT / "build"
OPENAPI_SOURCE: Final = ROOT / "docs" / "openapi.json"
OPENAPI_TARGET: Final = Path("lambdas", "api", "openapi.json")
# Whatever changes below without changing an input: raise it, and everything is built anew.
_RECIPE: Final = "1"
# Scripts name the interpreter they were installed with, and a RECORD lists them: neither is read
# at run time, and both would make the folder differ from machine to machine.
_NOT_SHIPPED: Final = ("bin", "__pycache__", ".lock", "*.dist-info/RECORD", "*.dist-info/INSTALLER")


class AssetError(Exception):
    """An asset could not be built; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a function runs on.

    Attributes:
        python: The version of Python, as `3.13`.
        machine: `aarch64` or `x86_64`.
        uv_platform: The platform to install for, None for the one this runs on.
    """

    python: str
    machine: str
    uv_platform: str | None


AWS_TARGET: Final = Target(python="3.13", machine="aarch64", uv_platform="aarch64-manylinux2014")


def host_target() -> Target:
    """Returns this very interpreter and machine: what the local emulator runs functions on.

    Both environments come from one `python3`, so the emulator's is the one that runs this.
    """
    machine = "aarch64" if platform.machine().lower() in {"arm64", "aarch64"} else "x86_64"
    major, minor = sys.version_info[:2]
    return Target(python=f"{major}.{minor}", machine=machine, uv_platform=None)


@dataclass(frozen=True, kw_only=True)
class Asset:
    """One kind of deployment package.

    Attributes:
        lock: The compiled requirements, under `requirements/`.
        left_out: Parts of `lambdas/` that its functions never import.
        openapi: Whether it carries the OpenAPI document, if that has been generated.
    """

    lock: str
    left_out: tuple[str, ...] = ()
    openapi: bool = False


HTTP: Final = Asset(lock="runtime.txt", openapi=True)
# Of functions without HTTP: no pydantic, so that start and zip stay small.
COUNT: Final = Asset(lock="count.txt", left_out=("api",))


@functools.cache  # one synthesis uses one build, whatever is edited meanwhile
def build(asset: Asset, target: Target) -> Path:
    """Returns the folder of an asset, built if its inputs are new (seconds) or found (instant).

    Raises:
        AssetError: The packages could not be installed.
    """
    packages = _packages(asset, target)
    files = dict(_code(asset))
    digest = hashlib.sha256(packages.name.encode())
    for name, source in files.items():
        digest.update(f"\0{name}\0".encode() + source.read_bytes())
    home = BUILD / "assets" / digest.hexdigest()[:24]
    if home.is_dir():
        return home
    with _scratch() as scratch:
        shutil.copytree(packages, scratch / "asset", copy_function=os.link)
        for name, source in files.items():
            path = scratch / "asset" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, path)
        return _move_into_place(scratch / "asset", home)


def _code(asset: Asset) -> Iterator[tuple[str, Path]]:
    """Yields the name inside the asset and the source of each of our own files, in order."""
    for source in sorted((ROOT / "lambdas").rglob("*")):
        name = source.relative_to(ROOT)
        wanted = source.suffix == ".py" or source.name == "py.typed"
        if wanted and source.is_file() and name.parts[1] not in asset.left_out:
            yield name.as_posix(), source
    if asset.openapi and OPENAPI_SOURCE.is_file():
        yield OPENAPI_TARGET.as_posix(), OPENAPI_SOURCE


def _packages(asset: Asset, target: Target) -> Path:
    """Returns the folder with the installed packages of a lock, which code changes leave alone."""
    lock = ROOT / "requirements" / asset.lock
    inputs = (_RECIPE, lock.read_text(encoding="utf-8"), repr(target))
    home = BUILD / "packages" / hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:24]
    if home.is_dir():
        return home
    with _scratch() as scratch:
        _install(lock, target, scratch / "packages")
        return _move_into_place(scratch / "packages", home)


def _install(lock: Path, target: Target, folder: Path) -> None:
    command = [
        *(str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet"),
        *("--target", str(folder), "--python", sys.executable, "--python-version", target.python),
        *("--only-binary", ":all:", "--require-hashes", "--no-compile-bytecode"),
        *("--link-mode", "copy", "-r", str(lock)),
    ]
    if target.uv_platform:
        command += ["--python-platform", target.uv_platform]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssetError(f"{lock.name} for {target}: {result.stderr.strip()}")
    for pattern in _NOT_SHIPPED:
        for found in folder.glob(pattern):
            shutil.rmtree(found) if found.is_dir() else found.unlink()


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder beside the builds, so that a finished one can be renamed into place."""
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        yield Path(name)


def _move_into_place(built: Path, home: Path) -> Path:
    home.parent.mkdir(exist_ok=True)
    try:
        built.rename(home)
    except OSError:
        # Another process built the same in the meantime; anything else is an error.
        if not home.is_dir():
            raise
    return home
