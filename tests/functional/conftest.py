"""The functions as a caller meets them, in process over DynamoDB Local."""

import importlib
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.rig.engine import DynamoDBLocal
from ops.rig.events import Context, http_event, json_body, route_of, stream_event
from ops.rig.streams import StreamReader
from ops.rig.tables import TableNames
from tests.functional import contract
from tests.functional.clocks import At, Clock
from tests.functional.emptying import empty
from tests.functional.failing import WatchedClient
from tests.functional.lives import AdminClock, Sweeps
from tests.functional.refusals import Refused
from tests.instants import ms

# Those that read tables through a `Connection`, with its clock and caches.
CONNECTED = (names.SUBMIT, names.READ, names.CLOSE, names.AUDIT)


class Api:
    """Calls the handlers with the events that the gateway would make."""

    def __init__(self, handlers: Mapping[str, ModuleType]) -> None:
        self.handlers = handlers

    def call(
        self, method: str, path: str, body: Any = None, *, raw: str | None = None, **event: Any
    ) -> tuple[int, Any]:
        """Sends one request; the answer's status and its body, parsed."""
        text = raw if raw is not None or body is None else json_body(body)
        answer = self.raw(http_event(method, path, body=text, **event))
        return answer["statusCode"], json.loads(answer["body"]) if answer["body"] else None

    def raw(self, event: dict[str, Any]) -> dict[str, Any]:
        """Sends one event to the function that serves it; the answer must keep the contract."""
        http = event["requestContext"]["http"]
        function, _ = route_of(http["method"], http["path"])
        answer: dict[str, Any] = self.handlers[function].handler(event, Context())
        contract.check(event, answer)
        return answer

    def make_board(self, board: str, **config: Any) -> dict[str, Any]:
        """Makes a board."""
        status, answer = self.call("PUT", f"/api/admin/leaderboards/{board}", config)
        assert status == 201, answer
        return answer

    def submit(self, board: str, player: str, score: int, **more: Any) -> dict[str, Any]:
        """Submits one result, which must be taken."""
        body = {"player_id": player, "score": score, **more}
        status, answer = self.call("POST", f"/api/leaderboards/{board}/scores", body)
        assert status == 200, answer
        return answer

    def submit_all(self, board: str, scores: Mapping[str, int], achieved_at: int = 1_000) -> None:
        """Submits many results in batches; each must be taken."""
        entries = [
            {"player_id": player, "score": score, "achieved_at": achieved_at}
            for player, score in scores.items()
        ]
        for start in range(0, len(entries), 100):
            body = {"scores": entries[start : start + 100]}
            status, answer = self.call("POST", f"/api/leaderboards/{board}/scores/batch", body)
            assert status == 200, answer
            assert {one["status"] for one in answer["results"]} == {200}, answer

    def rank(self, board: str, player: str, **query: str) -> dict[str, Any]:
        """A player's rank."""
        path = f"/api/leaderboards/{board}/players/{player}/rank"
        status, answer = self.call("GET", path, query={"explain": "true", **query})
        assert status == 200, answer
        return answer


@pytest.fixture(scope="module", autouse=True)
def emptied(
    dynamodb_client: DynamoDBClient, table_names: TableNames, reader: StreamReader
) -> Iterator[None]:
    """Empties the tables behind each file.

    What walks all boards, or scans, would otherwise pay for every file before it.
    """
    yield
    empty(dynamodb_client, table_names)
    reader.new_records()


@pytest.fixture(scope="session")
def handlers(
    dynamodb_local: DynamoDBLocal, table_names: TableNames
) -> Iterator[dict[str, ModuleType]]:
    """The handler modules, imported once with the environment of a deployment."""
    environment = {
        names.ENV_STAGE: names.STAGE_RIG,
        names.ENV_SCORES_TABLE: table_names.scores,
        names.ENV_COUNTERS_TABLE: table_names.counters,
        names.ENV_BOARDS_TABLE: table_names.boards,
        names.ENV_SUBMISSIONS_TABLE: table_names.submissions,
        names.ENV_FAILURE_QUEUE_URL: "http://127.0.0.1:9/failures",
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_local.endpoint_url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "POWERTOOLS_LOG_LEVEL": "WARNING",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        functions = (*names.ROUTES, names.COUNT, *names.SCHEDULED)
        yield {name: importlib.import_module(f"lambdas.handlers.{name}") for name in functions}


@pytest.fixture
def api(handlers: dict[str, ModuleType]) -> Api:
    """The HTTP functions."""
    return Api(handlers)


@pytest.fixture(scope="session")
def reader(dynamodb_local: DynamoDBLocal, table_names: TableNames) -> StreamReader:
    """The stream of the Scores table."""
    client, streams = dynamodb_local.client(), dynamodb_local.streams_client()
    return StreamReader(client, streams, table_names.scores)


@pytest.fixture
def drain(handlers: dict[str, ModuleType], reader: StreamReader) -> Callable[[], None]:
    """Counts all that the stream holds, and lets every cached node lapse."""

    def drain_stream() -> None:
        records = reader.new_records()
        for start in range(0, len(records), 1_000):
            batch = records[start : start + 1_000]
            event = stream_event(batch, "shardId-00000000000000000000-00000001", state={})
            handlers[names.COUNT].handler(event, Context(timeout_seconds=120))
        for name in (names.SUBMIT, names.READ):
            handlers[name].connection.forget()

    return drain_stream


@pytest.fixture
def client(
    handlers: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> Iterator[WatchedClient]:
    """The client of all the functions, watched; no cache holds anything."""
    watched = WatchedClient(handlers[names.ADMIN].client)
    for name in CONNECTED:
        monkeypatch.setattr(handlers[name].connection, "_client", watched)
        handlers[name].connection.forget()
    for name in (names.ADMIN, names.COUNT, names.EXPIRE):
        monkeypatch.setattr(handlers[name], "client", watched)
    yield watched
    for name in (names.SUBMIT, names.READ):
        handlers[name].connection.forget()


@dataclass
class MovingClock:
    """The clock of every function that asks for the time, which a test sets: ms since 1970."""

    now_ms: int

    def advance(self, **time: float) -> None:
        """Moves it on, as in `advance(hours=25)`."""
        self.now_ms += timedelta(**time) // timedelta(milliseconds=1)


@pytest.fixture
def moving_clock(handlers: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> MovingClock:
    """A clock that stands at noon of 30 November 2026, UTC, until it is moved."""
    clock = MovingClock(ms("2026-11-30T12:00:00"))
    for name in CONNECTED:
        monkeypatch.setattr(handlers[name].connection, "_now_ms", lambda: clock.now_ms)
    for name in (names.ADMIN, names.EXPIRE):
        monkeypatch.setattr(handlers[name], "now_ms", lambda: clock.now_ms)
    return clock


@pytest.fixture
def remake(
    handlers: dict[str, ModuleType], dynamodb_client: DynamoDBClient, table_names: TableNames
) -> Callable[[str], None]:
    """Makes a board anew, as if it had been deleted: its layouts are others, its items stay."""

    def remake_board(board: str) -> None:
        key = {names.PK: {"S": board}, names.SK: {"S": "config"}}
        item = dynamodb_client.get_item(TableName=table_names.boards, Key=key)["Item"]
        layouts = json.loads(item["layouts"]["S"])
        number = layouts[-1]["number"] + 1
        renumbered = {
            "layouts": {"S": json.dumps([{**layouts[-1], "number": number}])},
            "first_layout": {"N": str(number)},
            "next_layout": {"N": str(number + 1)},
        }
        dynamodb_client.put_item(TableName=table_names.boards, Item={**item, **renumbered})
        for name in (names.SUBMIT, names.READ):
            handlers[name].connection.forget()

    return remake_board


@pytest.fixture
def clock(handlers: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the clock of the functions that ask for the time."""

    def set_to(time: str) -> int:
        now = ms(time)
        for name in CONNECTED:
            connection = handlers[name].connection
            monkeypatch.setattr(connection, "_now_ms", lambda: now)
            connection.forget()
        monkeypatch.setattr(handlers[names.EXPIRE], "now_ms", lambda: now)
        return now

    return set_to


@pytest.fixture
def admin_clock(handlers: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> AdminClock:
    """The clock of the admin function and of sweeps, to be moved by hand."""
    clock = AdminClock(time.time_ns() // 1_000_000)
    monkeypatch.setattr(handlers[names.ADMIN], "now_ms", clock)
    return clock


@pytest.fixture
def at(clock: Clock, admin_clock: AdminClock) -> At:
    """Sets the clock of all the functions, the one that makes boards too."""

    def set_to(time: str) -> None:
        admin_clock.now_ms = clock(time)

    return set_to


@pytest.fixture
def noon(at: At) -> None:
    """Noon of 30 November 2026, UTC, for all the functions."""
    at("2026-11-30T12:00")


@pytest.fixture
def sweeps(
    dynamodb_local: DynamoDBLocal, table_names: TableNames, admin_clock: AdminClock
) -> Sweeps:
    """Sweeps of the tables."""
    return Sweeps(dynamodb_local.client(), table_names, admin_clock)


@pytest.fixture
def board() -> str:
    """A board id that no other test has."""
    return f"b-{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def shared() -> str:
    """A board that the refused requests of this module leave empty."""
    return "refused-requests"


@pytest.fixture
def refused(api: Any, client: WatchedClient, shared: str) -> Iterator[Refused]:
    """Sends what must be refused with a status and a code, and writes nothing."""
    assert api.call("PUT", f"/api/admin/leaderboards/{shared}", {})[0] in (200, 201)
    client.restart()

    def send(status: int, code: str, method: str, path: str, **event: Any) -> dict[str, Any]:
        answer = api.raw(http_event(method, path, **event))
        body: dict[str, Any] = json.loads(answer["body"])
        assert (answer["statusCode"], body["code"]) == (status, code), body
        assert answer["headers"]["Content-Type"] == "application/problem+json"
        assert body["detail"]
        return body

    yield send
    assert client.writes() == []
    _, top = api.call("GET", f"/api/leaderboards/{shared}/top")
    assert top["entries"] == []
