"""The whole rig in one process: engine, functions, event source mapping and HTTP front.

It is a stage of its own, `rig`: DynamoDB Local is true at what DynamoDB does and counts, and the
mapping is ours, so windows, retries and stream shards can be had as AWS documents them. What it
cannot show: conflicts, throttles, index lag, latency.
"""

import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Final

from lambdas import names
from ops.rig.engine import REGION, DynamoDBLocal
from ops.rig.events import Context
from ops.rig.front import Front
from ops.rig.mapping import EventSourceMapping, LiveMapping, SystemClock
from ops.rig.schedule import Schedule
from ops.rig.signatures import Verifier
from ops.rig.streams import StreamReader
from ops.rig.tables import TableNames, create_tables
from ops.rig.threads import serve_in_threads

KEY_ID: Final = "test"
SECRET: Final = "test"  # noqa: S105 - the key of every local stage; it guards nothing
STREAM_SHARDS: Final = 4  # a new on-demand table has as many partitions
_COUNT_TIMEOUT_SECONDS: Final = 120
_DELIVERIES_KEPT: Final = 1_000
_SCHEDULED: Final = {names.CLOSE: 900, names.EXPIRE: 60, names.AUDIT: 240}  # and a call's seconds
_CALL_EVERY_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Rig:
    """A running rig.

    Attributes:
        engine: DynamoDB Local, with the deployment's tables.
        front: serves the API on loopback.
        mapping: carries the stream to the count function; `wait_drained` waits for it.
        handlers: the functions' modules by their names in `lambdas.names`.
    """

    engine: DynamoDBLocal
    tables: TableNames
    front: Front
    mapping: LiveMapping
    handlers: Mapping[str, ModuleType]

    def outputs(self) -> dict[str, dict[str, str]]:
        """What a deployment of this stage would put out."""
        return {
            "Tallyboard-rig": {
                names.OUTPUT_API_URL: self.front.url,
                names.OUTPUT_SCORES_TABLE: self.tables.scores,
                names.OUTPUT_COUNTERS_TABLE: self.tables.counters,
                names.OUTPUT_BOARDS_TABLE: self.tables.boards,
                names.OUTPUT_SUBMISSIONS_TABLE: self.tables.submissions,
                names.OUTPUT_ENDPOINT_URL: self.engine.endpoint_url,
            }
        }


Handler = Callable[[dict[str, Any], Any], Any]
Watch = Callable[[str, Handler], Handler]


def _unwatched(name: str, handler: Handler) -> Handler:  # noqa: ARG001 - the form of a `Watch`
    return handler


class FailureFile:
    """Stands in for the failure queue: one line of JSON a message."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def send(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Writes messages; all of them can be."""
        with self._path.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(message) + "\n" for message in messages)
        return 0


@contextmanager
def running(
    failures: Path, *, stream_shards: int = STREAM_SHARDS, watch: Watch = _unwatched
) -> Iterator[Rig]:
    """Runs a rig until the block ends; ready in a few seconds.

    The environment of this process becomes that of the functions, and their modules are imported
    into it once: one rig a process.

    Args:
        failures: where what cannot be counted is noted.
        stream_shards: how many stream shards the stream is split into.
        watch: given each function's name and handler, makes what is called in its place.
    """
    with DynamoDBLocal() as engine:
        tables = create_tables(engine.client())
        handlers = import_handlers(engine.endpoint_url, tables)
        count = handlers[names.COUNT]
        count.failures = FailureFile(failures)  # type: ignore[attr-defined]
        mapping = EventSourceMapping(
            watch(names.COUNT, count.handler),
            context=lambda: Context(timeout_seconds=_COUNT_TIMEOUT_SECONDS),
            clock=SystemClock(),
            stream_shards=stream_shards,
            on_failure=lambda message: count.failures.send([message]) and None,
            history=_DELIVERIES_KEPT,
        )
        reader = StreamReader(engine.client(), engine.streams_client(), tables.scores)
        for name in names.ROUTES:
            serve_in_threads(handlers[name].app)
        functions = {name: watch(name, handlers[name].handler) for name in names.ROUTES}
        front = Front(functions, Verifier(KEY_ID, SECRET, REGION))
        with ExitStack() as stack:
            live = stack.enter_context(LiveMapping(mapping, reader.new_records))
            for name, seconds in _SCHEDULED.items():
                stack.enter_context(_scheduled(watch(name, handlers[name].handler), seconds))
            stack.enter_context(serving(front))
            yield Rig(engine, tables, front, live, handlers)


def _scheduled(handler: Handler, timeout_seconds: float) -> Schedule:
    return Schedule(
        _CALL_EVERY_SECONDS, lambda: handler({}, Context(timeout_seconds=timeout_seconds))
    )


def import_handlers(endpoint_url: str, tables: TableNames) -> dict[str, ModuleType]:
    """The functions' modules, imported with the environment of a deployment."""
    os.environ.update(
        {
            names.ENV_STAGE: names.STAGE_RIG,
            names.ENV_SCORES_TABLE: tables.scores,
            names.ENV_COUNTERS_TABLE: tables.counters,
            names.ENV_BOARDS_TABLE: tables.boards,
            names.ENV_SUBMISSIONS_TABLE: tables.submissions,
            names.ENV_FAILURE_QUEUE_URL: "file:failures",
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint_url,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }
    )
    functions = (*names.ROUTES, names.COUNT, *names.SCHEDULED)
    return {name: importlib.import_module(f"lambdas.handlers.{name}") for name in functions}


@contextmanager
def serving(front: Front) -> Iterator[None]:
    """Serves from a thread of its own until the block ends."""
    thread = Thread(target=front.serve_forever, name="http-front", daemon=True)
    thread.start()
    try:
        yield
    finally:
        front.shutdown()
        front.server_close()
        thread.join()
