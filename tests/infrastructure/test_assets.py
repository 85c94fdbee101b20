"""What a function carries: the right machine code, our code, and the same bytes every time."""

import struct
from pathlib import Path

import pytest

from stacks import assets
from stacks.assets import AWS_TARGET, COUNT, HTTP, Asset, Target, build

EM_MACHINE = {"x86_64": 62, "aarch64": 183}  # e_machine of an ELF header
TARGETS = [AWS_TARGET, assets.host_target()]


def elf_machine(path: Path) -> int:
    """Returns the machine that a shared object was built for."""
    header = path.read_bytes()[:20]
    assert header[:4] == b"\x7fELF"
    machine: int = struct.unpack_from("<H", header, 18)[0]
    return machine


@pytest.mark.parametrize("target", TARGETS, ids=["aws", "host"])
@pytest.mark.parametrize("asset", [HTTP, COUNT], ids=["http", "count"])
def test_shared_objects_fit_the_function(asset: Asset, target: Target) -> None:
    """Machine code for another processor or Python would fail at the first import on AWS."""
    shared = sorted(build(asset, target).rglob("*.so"))
    tag = f"cpython-{target.python.replace('.', '')}-"
    for path in shared:
        assert elf_machine(path) == EM_MACHINE[target.machine]
        assert tag in path.name or "abi3" in path.name
    # pydantic's core is the one there has to be, and counting does without any.
    assert bool(shared) is (asset is HTTP)


def test_packages_are_those_a_function_imports() -> None:
    """boto3 comes with the runtime, pydantic with the HTTP functions alone."""
    http, count = build(HTTP, AWS_TARGET), build(COUNT, AWS_TARGET)
    for package in ("aws_lambda_powertools", "tzdata", "lambdas"):
        assert (http / package).is_dir()
        assert (count / package).is_dir()
    assert (http / "pydantic").is_dir()
    assert not (count / "pydantic").exists()
    assert not (count / "lambdas" / "api").exists()
    for asset in (http, count):
        assert not (asset / "boto3").exists()
        assert not (asset / "tests").exists()


def test_nothing_that_differs_between_machines_is_shipped() -> None:
    """No byte code, no script that names an interpreter, no record of either."""
    folder = build(HTTP, AWS_TARGET)
    names = {path.name for path in folder.rglob("*")}
    assert not names & {"__pycache__", "RECORD", "INSTALLER", "direct_url.json", "uv_cache.json"}
    assert not any(name.endswith(".pyc") for name in names)
    assert not (folder / "bin").exists()


def test_two_builds_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same inputs give the same files, so CDK's digest moves only with a change."""
    first = build(HTTP, AWS_TARGET)
    monkeypatch.setattr(assets, "BUILD", tmp_path)
    second = build.__wrapped__(HTTP, AWS_TARGET)
    assert first != second
    assert contents(first) == contents(second)


def contents(folder: Path) -> dict[str, bytes]:
    """Returns each file of a folder by its path in there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_openapi_document_travels_with_the_http_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the code reads it from; counting has no use for it."""
    document = tmp_path / "openapi.json"
    document.write_text('{"openapi": "3.1.0"}')
    monkeypatch.setattr(assets, "OPENAPI_SOURCE", document)
    monkeypatch.setattr(assets, "BUILD", tmp_path / "build")
    carried = build.__wrapped__(HTTP, AWS_TARGET) / assets.OPENAPI_TARGET
    assert carried.read_text() == document.read_text()
    assert not (build.__wrapped__(COUNT, AWS_TARGET) / assets.OPENAPI_TARGET).exists()


def test_a_lock_that_cannot_be_installed_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the lock and what uv said."""
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "broken.txt").write_text("tzdata==2026.6\n")
    monkeypatch.setattr(assets, "ROOT", tmp_path)
    monkeypatch.setattr(assets, "BUILD", tmp_path / "build")
    with pytest.raises(assets.AssetError, match=r"broken\.txt.*hash"):
        build.__wrapped__(Asset(lock="broken.txt"), AWS_TARGET)
