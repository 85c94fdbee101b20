"""The environment is made from pinned files, and what is missing is named in one line."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("bootstrap", "runtime", "count", "dev", "ministack")
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)


def pins(path: Path) -> dict[str, str]:
    """Returns the versions that a requirements file pins, names spelled alike."""
    return {
        name.lower().replace("_", "-"): version
        for name, version in PINNED.findall(path.read_text())
    }


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_what_was_asked_for(name: str) -> None:
    """Every pin of the source stands in the lock, with hashes and without an address."""
    source, lock = ROOT / "requirements" / f"{name}.in", ROOT / "requirements" / f"{name}.txt"
    assert pins(source).items() <= pins(lock).items()
    text = lock.read_text()
    assert "://" not in text
    assert "index-url" not in text
    packages = re.split(r"\n(?=\w)", text)[1:]
    assert packages
    assert all("--hash=sha256:" in package for package in packages)


@pytest.mark.parametrize("name", ["count", "dev"])
def test_one_version_of_a_package_everywhere(name: str) -> None:
    """What is tested is what is shipped."""
    runtime, other = (pins(ROOT / "requirements" / f"{each}.txt") for each in ("runtime", name))
    shared = runtime.keys() & other.keys()
    assert "aws-lambda-powertools" in shared
    assert all(runtime[package] == other[package] for package in shared)


def test_the_cdk_command_line_is_pinned() -> None:
    """An exact version with a digest, and no address of a registry."""
    lock = (ROOT / "package-lock.json").read_text()
    assert '"integrity": "sha512-' in lock
    assert '"resolved"' not in lock
    assert re.search(r'"aws-cdk": "\d+\.\d+\.\d+"', (ROOT / "package.json").read_text())


def prerequisites(tools: dict[str, str], folder: Path) -> str:
    """Runs the check with nothing but some tools, and returns what it says."""
    for name in ("bash", "awk"):
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, script in tools.items():
        (folder / name).write_text(f"#!/bin/bash\n{script}\n")
        (folder / name).chmod(0o755)
    make = str(shutil.which("make"))
    result = subprocess.run(
        [make, "prerequisites"],
        cwd=ROOT,
        env={"PATH": str(folder), "HOME": os.environ.get("HOME", "/")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == (0 if not result.stdout else 2)
    return result.stdout.strip()


GOOD_PYTHON = f'exec "{sys.executable}" "$@"'
OLD_PYTHON = '[ "$1" = -V ] && echo Python 3.10.1; exit 1'
GOOD_NODE = "exit 0"
OLD_NODE = '[ "$1" = --version ] && echo v18.20.1; exit 1'


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ({}, "Python 3.11 or newer is missing"),
        ({"python3": OLD_PYTHON}, "python3 is Python 3.10.1"),
        ({"python3": GOOD_PYTHON}, "Node 20 or newer is missing"),
        ({"python3": GOOD_PYTHON, "node": OLD_NODE}, "this is v18.20.1"),
        ({"python3": GOOD_PYTHON, "node": GOOD_NODE}, "npm is missing"),
    ],
)
def test_what_is_missing_is_named_in_one_line(
    tools: dict[str, str], said: str, tmp_path: Path
) -> None:
    """Nobody has to read a trace to learn what to install."""
    answer = prerequisites(tools, tmp_path)
    assert said in answer
    assert len(answer.splitlines()) == 1


def test_all_there_says_nothing(tmp_path: Path) -> None:
    """With everything in place the check is silent."""
    tools = {"python3": GOOD_PYTHON, "node": GOOD_NODE, "npm": "exit 0"}
    assert prerequisites(tools, tmp_path) == ""
