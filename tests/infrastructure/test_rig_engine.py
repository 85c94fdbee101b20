"""The engine for tests starts without a system Java and leaves nothing behind."""

from pathlib import Path

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.processes import start_mark
from ops.rig import package
from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames


def test_tables_are_there_with_their_ttl(
    dynamodb_client: DynamoDBClient, table_names: TableNames
) -> None:
    """The session's engine holds the three tables, and only two of them expire items."""
    listed = dynamodb_client.list_tables()["TableNames"]
    assert {table_names.scores, table_names.counters, table_names.boards} <= set(listed)
    ttl = {
        name: dynamodb_client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        for name in listed
    }
    assert ttl[table_names.scores].get("AttributeName") == names.EXPIRES_AT
    assert ttl[table_names.counters].get("AttributeName") == names.EXPIRES_AT
    assert "AttributeName" not in ttl[table_names.boards]


def test_an_engine_stops_by_its_own_id() -> None:
    """Leaving the context ends the process, and stopping again is no error."""
    with DynamoDBLocal(heap_mb=256) as engine:
        pid = engine.pid
        assert pid is not None
        assert start_mark(pid) is not None
    assert start_mark(pid) is None
    engine.stop()


def test_a_changed_archive_is_refused(tmp_path: Path) -> None:
    """What is not byte for byte the archive we know is never unpacked."""
    archive = tmp_path / "archive.tgz"
    archive.write_bytes(b"something else")
    with pytest.raises(package.EngineUnavailableError, match="refusing to run it"):
        package._verify(archive)


def test_a_missing_npm_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without npm the message says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(package.EngineUnavailableError, match="npm is missing"):
        package.ensure_unpacked(tmp_path / "cache")
