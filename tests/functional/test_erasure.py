"""Erasing a player everywhere: nothing is left of them, and nothing of anybody else is touched."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from types import ModuleType
from typing import Any
from urllib.parse import quote

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from lambdas.domain.erasures import Part, Position, Purpose, encode
from lambdas.domain.submissions import Submission
from lambdas.domain.windows import WindowKind, window_at
from lambdas.logic import board_look, erasure
from lambdas.logic.audit import audit
from lambdas.logic.erasure import Erasure
from lambdas.logic.submit import submit
from lambdas.logic.tables import window_of
from lambdas.store import ledger_items
from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo
from lambdas.store.holdings import Holdings
from lambdas.store.ledger_items import LedgerItems
from lambdas.store.meter import Meter
from lambdas.store.player_items import PlayerItems
from lambdas.store.visibility import Visibility
from ops.rig.tables import TableNames, definitions
from tests.functional.failing import THROTTLED, UNAVAILABLE, UNEXPECTED, WatchedClient
from tests.functional.lives import LAPSED_MS, AdminClock, forget
from tests.functional.test_board_changes import path_of

Item = dict[str, Any]
Scan = Callable[[], dict[str, list[Item]]]
ODD = ["it's", 'say "hi"', "\N{GRINNING FACE} two words", " ", "a&b=c+d", "é" * 128, "-dash"]
NOBODYS = {"boards": [], "next_cursor": None}


@pytest.fixture(autouse=True)
def tables(
    handlers: dict[str, ModuleType],
    dynamodb_client: DynamoDBClient,
    table_names: TableNames,
    board: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[TableNames]:
    """The tables, with one of boards that no other test's lie in: an erasure goes through all."""
    (definition,) = [one for one in definitions(table_names) if one["TableName"] == "Boards"]
    own = replace(table_names, boards=f"Boards-{board}")
    dynamodb_client.create_table(**{**definition, "TableName": own.boards})
    for handler in handlers.values():
        holder, name = handler, "settings"
        if hasattr(handler, "connection"):
            holder, name = handler.connection, "_settings"
        monkeypatch.setattr(holder, name, replace(getattr(holder, name), boards_table=own.boards))
    forget(handlers)
    yield own
    dynamodb_client.delete_table(TableName=own.boards)


@pytest.fixture
def scan(dynamodb_client: DynamoDBClient, tables: TableNames, board: str) -> Scan:
    """Every item of the boards of a test, by table, in the order of their keys."""

    def items(table: str) -> Iterator[Item]:
        pages = dynamodb_client.get_paginator("scan").paginate(
            TableName=table,
            ConsistentRead=True,
            FilterExpression="begins_with(pk, :prefix)",
            ExpressionAttributeValues={":prefix": {"S": board}},
        )
        return (item for page in pages for item in page["Items"])

    def in_order(item: Item) -> str:
        return json.dumps([item[names.PK], item.get(names.SK)])

    def scanned() -> dict[str, list[Item]]:
        by_name = {name: getattr(tables, name) for name in ("scores", "submissions", "boards")}
        return {name: sorted(items(table), key=in_order) for name, table in by_name.items()}

    return scanned


@pytest.fixture
def now() -> int:
    """The time, ms since 1970."""
    return time.time_ns() // 1_000_000


@pytest.fixture
def then(now: int) -> int:
    """A time whose day is past a retention of one day, and not yet removed."""
    return now - 49 * 3_600_000


def named(kind: WindowKind, at_ms: int) -> str:
    """The window of a kind at a time."""
    return window_at(kind, "UTC", at_ms).name


@pytest.fixture
def stored(
    api: Any,
    board: str,
    admin_clock: AdminClock,
    clock: Any,
    then: int,
    now: int,
) -> Callable[..., None]:
    """Boards of every kind, on all of which some players have something in every way there is."""

    def store(*players: str) -> None:
        # Not long ago: the engine removes what has expired by its own clock.
        set_clocks(then)
        api.make_board(f"{board}-best", windows=["all", "weekly"], layout={"index_shards": 3})
        api.make_board(f"{board}-days", windows=["daily", "monthly"], retention_days=1)
        api.make_board(f"{board}-sums", policy="sum", windows=["all", "daily"], retention_days=7)
        api.make_board(
            f"{board}-tied", policy="latest", tie_breakers=[{"name": "t", "range": [0, 9]}]
        )
        for gone in ("gone", "made-again"):
            api.make_board(
                f"{board}-{gone}", policy="sum", windows=["all", "weekly"], retention_days=7
            )
        for player in players:
            submit_everywhere(player)
        for gone in ("gone", "made-again"):
            assert api.call("DELETE", path_of(f"{board}-{gone}"))[0] == 204
        forget(api.handlers)
        admin_clock.wait(LAPSED_MS)
        api.make_board(f"{board}-made-again", windows=["all"])
        set_clocks(now)
        for player in players:
            api.submit(f"{board}-best", player, 7)
            api.submit(f"{board}-days", player, 7)
            hide(f"{board}-days", player)

    def submit_everywhere(player: str) -> None:
        for kind in ("best", "days"):
            api.submit(f"{board}-{kind}", player, 5)
        for kind in ("sums", "gone", "made-again"):
            for submission in range(3):
                api.submit(f"{board}-{kind}", player, 5, submission_id=f"m{submission}")
        api.submit(f"{board}-tied", player, 5, tie_breakers={"t": 1})

    def set_clocks(to: int) -> None:
        admin_clock.now_ms = clock(f"{datetime.fromtimestamp(to // 1_000, UTC):%Y-%m-%dT%H:%M:%S}")

    def hide(of: str, player: str) -> None:
        visibility = f"{path_of(of)}/players/{quote(player)}/visibility"
        assert api.call("PUT", visibility, {"hidden": True})[0] == 204

    return store


def path(player: str) -> str:
    """The path of a player's routes."""
    return f"/api/admin/players/{quote(player, safe='')}"


def pages(api: Any, method: str, player: str) -> Iterator[Any]:
    """The answers of calls with one cursor after the other, to the end."""
    cursor, seen = None, set[str]()
    while True:
        query = {} if cursor is None else {"cursor": cursor}
        status, answer = api.call(method, path(player), query=query)
        assert status == (202 if method == "DELETE" and answer["next_cursor"] else 200), answer
        yield answer
        cursor = answer["next_cursor"]
        if cursor is None:
            return
        assert cursor not in seen, "it comes on with each call"
        seen.add(cursor)


def looked(api: Any, method: str, player: str, board: str) -> dict[str, Any]:
    """What one round of calls told, by the boards of a test, without their common prefix."""
    boards: dict[str, Any] = {}
    for page in pages(api, method, player):
        assert page["player_id"] == player
        for one in page["boards"]:
            name = one.pop("board").removeprefix(f"{board}-")
            known = boards.setdefault(name, one | {"windows": [], "ledger_items": 0})
            known["windows"] += one["windows"]
            known["ledger_items"] += one["ledger_items"]
            known["visibility_kept"] |= one["visibility_kept"]
    return boards


def held(window: str, score: int, **marks: bool) -> dict[str, Any]:
    """A window of a report, without its time."""
    return {"window": window, "score": score, "hidden": False, "former_life": False, **marks}


def without_times(boards: dict[str, Any]) -> dict[str, Any]:
    """A report without times, which are checked to be there."""
    for one in boards.values():
        for window in one["windows"]:
            assert window.pop("achieved_at") > 1_700_000_000_000
    return boards


def on_board(*windows: Any, deleted: bool = False, ledger: int = 0, kept: bool = False) -> Any:
    """A board of a report."""
    return {
        "deleted": deleted,
        "windows": [*windows],
        "ledger_items": ledger,
        "visibility_kept": kept,
    }


@pytest.fixture
def everything(then: int, now: int) -> dict[str, Any]:
    """What is told of a player for whom all was stored."""
    weeks = {named("weekly", then): 5} | {named("weekly", now): 7}
    months = {named("monthly", then): 5} | {named("monthly", now): 7}
    former = [held("all", 15, former_life=True), held(named("weekly", then), 15, former_life=True)]
    return {
        "best": on_board(held("all", 7), *(held(*one) for one in sorted(weeks.items()))),
        "days": on_board(
            held(named("daily", then), 5, hidden=True),
            held(named("daily", now), 7, hidden=True),
            *(held(*one, hidden=True) for one in sorted(months.items())),
            kept=True,
        ),
        "gone": on_board(*former, deleted=True, ledger=3),
        "made-again": on_board(*former, ledger=3),
        "sums": on_board(held("all", 15), held(named("daily", then), 15), ledger=3),
        "tied": on_board(held("all", 5)),
    }


def of_others(scanned: dict[str, list[Item]], player: str) -> dict[str, list[Item]]:
    """The items that are not a player's."""
    return {
        table: [one for one in items if not is_of(one, player)] for table, items in scanned.items()
    }


def is_of(item: Item, player: str) -> bool:
    """Whether an item is a player's, in whatever table."""
    return bool(item[names.PK]["S"].split("#")[-1] == player)


def left_of(scanned: dict[str, list[Item]], player: str) -> list[Item]:
    """The items of a player."""
    return [one for items in scanned.values() for one in items if is_of(one, player)]


# --- What is told, and what is left ----------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 2, 8])
@pytest.mark.parametrize("budget", [10.0, 0.0])
def test_everything_of_a_player_is_told_then_erased(
    api: Any,
    board: str,
    stored: Any,
    scan: Scan,
    monkeypatch: pytest.MonkeyPatch,
    everything: dict[str, Any],
    budget: float,
    at_once: int,
) -> None:
    """Open, closed, expired and hidden windows, former lives, deleted boards, ledger and flag: in
    one call, or a step a call; others, whose ids begin or end alike, keep every item."""
    ada = f"ada-{board}"
    stored(ada, f"{ada}2", f"2{ada}")
    monkeypatch.setattr(api.handlers[names.ADMIN], "SECONDS", budget)
    monkeypatch.setattr(board_look, "WINDOWS_AT_ONCE", 2)
    monkeypatch.setattr(erasure, "BOARDS_AT_ONCE", at_once)
    monkeypatch.setattr(ledger_items, "PAGE_SIZE", 2)
    before = scan()
    assert without_times(looked(api, "GET", ada, board)) == everything
    assert scan() == before, "a look changes nothing"
    assert without_times(looked(api, "DELETE", ada, board)) == everything
    after = scan()
    assert left_of(after, ada) == []
    assert after == of_others(before, ada)
    for method in ("GET", "DELETE"):
        assert looked(api, method, ada, board) == {}
    assert scan() == after
    assert without_times(looked(api, "GET", f"{ada}2", board)) == everything


@pytest.mark.parametrize("player", ODD)
def test_any_id_that_keeps_the_rule_is_erased(
    api: Any, board: str, scan: Scan, player: str
) -> None:
    """Quotes, spaces, emoji: the very id, and no other."""
    api.make_board(board, policy="sum")
    others = [player + "x" if len(player.encode()) < 256 else "x", "other"]
    for one in (player, *others):
        api.submit(board, one, 5, submission_id="m1")
    answer = api.call("DELETE", path(player))
    assert answer[0] == 200
    (ours,) = answer[1]["boards"]
    assert (len(ours["windows"]), ours["ledger_items"]) == (1, 1)
    assert left_of(scan(), player) == []
    assert len(scan()["scores"]) == len(scan()["submissions"]) == len(others)
    assert api.call("DELETE", path(player)) == (200, {"player_id": player, **NOBODYS})


def test_counters_and_lists_follow_an_erasure(
    api: Any, drain: Callable[[], None], board: str
) -> None:
    """Counters equal a recount, a hidden player counts once or never, and ranks move up."""
    api.make_board(board, layout={"levels": 3, "index_shards": 2})
    api.submit_all(board, {f"{board}-{n:02d}": 10 * n for n in range(30)})
    drain()
    assert api.call("DELETE", path(f"{board}-29"))[0] == 200
    assert api.call("DELETE", path(f"{board}-07"))[0] == 200
    drain()
    answer = api.call("GET", f"/api/leaderboards/{board}/distribution")[1]
    assert answer["population"] == sum(one["count"] for one in answer["buckets"]) == 28
    top = api.call("GET", f"/api/leaderboards/{board}/top")[1]
    assert [one["score"] for one in top["entries"]] == [
        10 * n for n in reversed(range(29)) if n != 7
    ]
    assert api.rank(board, f"{board}-28")["rank"] == 1
    assert api.rank(board, f"{board}-29")["kind"] == "unranked"
    assert audited(api, board) == []


def audited(api: Any, board: str) -> list[Any]:
    """The cells of a board's first window that drift from a recount."""
    tables = api.handlers[names.READ].connection.tables()
    found = tables.board(board)
    return [*audit(tables, found, window_of(found, None, tables.now_ms)).drift]


def test_who_was_erased_may_come_again(api: Any, board: str) -> None:
    """A submission after an erasure is a new one, also by an id that was used before."""
    api.make_board(board, policy="sum")
    api.submit(board, f"{board}-p", 5, submission_id="m1")
    assert api.call("DELETE", path(f"{board}-p"))[0] == 200
    assert api.submit(board, f"{board}-p", 3, submission_id="m1")["windows"]["all"]["score"] == 3


# --- Refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("player", ["..", "a%b", "a#b", "a\\b", "a\nb", "x" * 257])
def test_an_id_that_breaks_the_rule_is_refused(refused: Any, method: str, player: str) -> None:
    """With 400 and the rule, and nothing is looked at."""
    body = refused(400, "invalid_player_id", method, path(player))
    assert "1 to 256 bytes" in body["detail"]


OTHERS = {
    "of another player": encode(Position("b"), "someone", Purpose.ERASE),
    "garbled": "AAAA",
    "of another part": encode(Position("b"), "ada", Purpose.ERASE)[:-6],
    "of half a character": encode(Position("b", after="\ud800"), "ada", Purpose.ERASE),
    "empty": "",
    "too long": "A" * 5_000,
    "one that only looks": encode(Position("z"), "ada", Purpose.SHOW),
}


@pytest.mark.parametrize("cursor", OTHERS.values(), ids=OTHERS.keys())
def test_a_cursor_that_is_not_ours_is_refused(refused: Any, cursor: str) -> None:
    """An erasure goes on where it stopped, and never where a mere look, or another, did."""
    refused(400, "invalid_cursor", "DELETE", path("ada"), query={"cursor": cursor})


def test_a_submission_id_that_none_can_be_is_refused(refused: Any) -> None:
    """DynamoDB would refuse such a key with an error of its own."""
    cursor = encode(Position("b", Part.LEDGER, "x" * 65), "ada", Purpose.SHOW)
    refused(400, "invalid_cursor", "GET", path("ada"), query={"cursor": cursor})


# --- Failures --------------------------------------------------------------------------------


@pytest.fixture
def small(api: Any, board: str) -> str:
    """A player with items in three windows of a board of sums and in its ledger, as a rival has."""
    api.make_board(board, policy="sum", windows=["all", "daily", "weekly"])
    for player in (f"{board}-p", f"{board}-q"):
        fill(api, board, player)
    return f"{board}-p"


def fill(api: Any, board: str, player: str) -> None:
    """Submits as one who was never there: `ITEMS` items."""
    for submission in range(3):
        api.submit(board, player, 5, submission_id=f"m{submission}")


ITEMS = 6
CALLS = 10  # boards, windows, three removals, ledger, three removals, flag
FAULTS = {
    "throttled": THROTTLED["ThrottlingException"],
    "no reply": UNAVAILABLE["ReadTimeoutError"],
    "not allowed": UNEXPECTED["AccessDeniedException"],
}


@pytest.mark.parametrize("number", range(1, CALLS + 1))
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("after", [False, True], ids=["not served", "reply lost"])
@pytest.mark.parametrize("fault", FAULTS)
def test_an_erasure_that_breaks_off_anywhere_is_completed_by_a_repeat(
    api: Any,
    board: str,
    small: str,
    scan: Scan,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    lasting: bool,
    after: bool,
    fault: str,
) -> None:
    """Whichever call fails: what is told was removed, and a repeat removes the rest."""
    monkeypatch.setattr(api.handlers[names.ADMIN], "SECONDS", 0.05)
    client.fail(
        FAULTS[fault],
        lambda call: call.number >= number if lasting else call.number == number,
        after=after,
    )
    status, answer = api.call("DELETE", path(small))
    client.restart()
    left = left_of(scan(), small)
    if status < 400:
        told = sum(len(one["windows"]) + one["ledger_items"] for one in answer["boards"])
        assert told <= ITEMS - len(left)
        assert told == ITEMS - len(left) or after
        assert answer["next_cursor"] or not left
    else:
        assert answer["code"] in ("throttled", "unavailable", "internal")
        assert len(left) == ITEMS or after or fault == "not allowed"
    assert [*pages(api, "DELETE", small)][-1]["next_cursor"] is None
    assert left_of(scan(), small) == []
    assert len(left_of(scan(), f"{board}-q")) == ITEMS


def test_an_erasure_makes_these_calls(api: Any, small: str, client: WatchedClient) -> None:
    """One scan of the boards; on each its windows, then its ledger, then its flag."""
    client.restart()
    assert api.call("DELETE", path(small))[0] == 200
    removals = ["delete_item"] * 3
    assert client.operations() == [
        "scan",
        "batch_get_item",
        *removals,
        "query",
        *removals,
        "get_item",
    ]
    assert all(one.parameters["ConsistentRead"] for one in client.calls if one.operation == "scan")


# --- Two at once -----------------------------------------------------------------------------


@pytest.fixture
def erase(dynamodb_client: DynamoDBClient, tables: TableNames, admin_clock: AdminClock) -> Any:
    """Erases a player in one call, past the handler: that serves one event at a time."""

    def erase_player(player: str) -> erasure.Looked:
        dynamo = Dynamo(dynamodb_client, Meter())
        return Erasure(
            boards=Boards(dynamo, tables.boards),
            holdings=Holdings(dynamo, tables.scores),
            ledger=LedgerItems(dynamo, tables.submissions),
            visibility=Visibility(dynamo, tables.boards),
            now_ms=admin_clock.now_ms,
            until=time.monotonic() + 60,
        ).look(player, Purpose.ERASE)

    return erase_player


def test_two_erasures_at_once_leave_nothing(small: str, scan: Scan, erase: Any) -> None:
    """Both come to the end, whoever removed what."""
    with ThreadPoolExecutor(2) as pool:
        looked = list(pool.map(erase, [small] * 2))
    assert [one.position for one in looked] == [None, None]
    assert left_of(scan(), small) == []


def test_what_is_submitted_during_an_erasure_is_erased_by_the_next(
    api: Any, board: str, small: str, scan: Scan, drain: Callable[[], None], erase: Any
) -> None:
    """Whatever a submission that met an erasure left, one more takes it, and no count is lost."""
    connection = api.handlers[names.SUBMIT].connection

    def send(number: int) -> str:
        tables = connection.tables()
        settings = connection._settings
        ledger = PlayerItems(
            tables.dynamo,
            settings.scores_table,
            settings.boards_table,
            settings.submissions_table,
        )
        submission = Submission(small, 1, submission_id=f"n{number}")
        done = submit(tables, ledger, tables.board(board), submission, rank=False)
        return str(done.windows["all"].outcome)

    with ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(send, number) for number in range(60)]
        erased = [pool.submit(erase, small) for _ in range(6)]
        assert {one.result().position for one in erased} == {None}
        assert {one.result() for one in sent} <= {"new", "added"}
    erase(small)
    assert left_of(scan(), small) == []
    assert len(left_of(scan(), f"{board}-q")) == ITEMS
    drain()
    assert audited(api, board) == []
    assert api.call("GET", f"/api/leaderboards/{board}/distribution")[1]["population"] == 1
