"""Submitting: what becomes of a result, what it consumes, and which rank it is told."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

import lambdas
from ops.rig.tables import TableNames
from tests.functional.failing import READS, UNAVAILABLE, WatchedClient

INT64 = (-(2**63), 2**63 - 1)
Span = tuple[int, int]


@pytest.fixture
def item(
    dynamodb_client: DynamoDBClient, table_names: TableNames
) -> Callable[[str, str], dict[str, Any]]:
    """Reads a player's score item as it is stored."""

    def read(board: str, player: str) -> dict[str, Any]:
        key = {"pk": {"S": f"{board}#all#{player}"}}
        return dict(dynamodb_client.get_item(TableName=table_names.scores, Key=key).get("Item", {}))

    return read


def batch(api: Any, board: str, scores: list[Any], **query: str) -> list[dict[str, Any]]:
    """Submits a batch, which must be answered as a batch."""
    path = f"/api/leaderboards/{board}/scores/batch"
    status, answer = api.call("POST", path, {"scores": scores}, query=query)
    assert status == 200, answer
    results: list[dict[str, Any]] = answer["results"]
    assert len(results) == len(scores)
    return results


def top_of(api: Any, board: str, limit: int = 100) -> list[tuple[str, int]]:
    """The list's players and scores."""
    query = {"limit": str(limit)}
    status, answer = api.call("GET", f"/api/leaderboards/{board}/top", query=query)
    assert status == 200, answer
    entries = answer["entries"]
    assert [entry["rank"] for entry in entries] == list(range(1, len(entries) + 1))
    return [(entry["player_id"], entry["score"]) for entry in entries]


# --- Outcomes --------------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "scores"), [("desc", (10, 20, 5)), ("asc", (20, 10, 35))])
def test_the_best_score_stands(api: Any, board: str, order: str, scores: Any) -> None:
    """A first score is new, a better one improves, a worse one leaves the best standing."""
    api.make_board(board, order=order)
    first, better, worse = scores
    answers = [api.submit(board, "p", score) for score in (first, better, worse)]
    assert [answer["outcome"] for answer in answers] == ["new", "improved", "kept"]
    assert [answer["score"] for answer in answers] == [first, better, better]
    assert [answer["windows"]["all"]["outcome"] for answer in answers] == [
        answer["outcome"] for answer in answers
    ]
    assert top_of(api, board) == [("p", better)]


@pytest.mark.parametrize("achieved_at", [1, 5_000, 9_000])
def test_an_equal_score_changes_nothing(
    api: Any, board: str, item: Callable[[str, str], dict[str, Any]], achieved_at: int
) -> None:
    """Whenever an equal score was achieved, the item stays as it is, to the last attribute."""
    api.make_board(board)
    api.submit(board, "p", 10, achieved_at=5_000, submission_id="first", metadata={"run": 1})
    before = item(board, "p")
    again = {"achieved_at": achieved_at, "submission_id": "other", "metadata": {"run": 2}}
    assert api.submit(board, "p", 10, **again)["outcome"] == "kept"
    assert item(board, "p") == before


def test_a_better_record_replaces_the_whole_record(
    api: Any, board: str, item: Callable[[str, str], dict[str, Any]]
) -> None:
    """Metadata and submission id of a record that was beaten do not stay behind."""
    api.make_board(board)
    api.submit(board, "p", 10, submission_id="first", metadata={"car": "café"})
    stored = item(board, "p")
    assert stored["metadata"] == {"S": '{"car":"café"}'}
    assert stored["submission_id"] == {"S": "first"}
    api.submit(board, "p", 9, metadata={"car": "van"})
    assert item(board, "p") == stored
    api.submit(board, "p", 11)
    assert not item(board, "p").keys() & {"metadata", "submission_id"}


@pytest.mark.parametrize("more", [{"submission_id": "one"}, {"achieved_at": 7_000}])
@pytest.mark.parametrize("error", UNAVAILABLE.values(), ids=UNAVAILABLE)
def test_a_repeat_after_a_lost_reply_gets_the_outcome_it_would_have_got(
    api: Any, board: str, client: WatchedClient, error: Exception, more: dict[str, Any]
) -> None:
    """A write that happened though its reply was lost answers new or improved when sent again."""
    api.make_board(board)
    path, body = f"/api/leaderboards/{board}/scores", {"player_id": "p", **more}
    for score, outcome in ((10, "new"), (20, "improved")):
        if "submission_id" in more:
            body["submission_id"] = f"id-{score}"
        client.fail(error, lambda call: call.operation == "update_item", after=True)
        assert api.call("POST", path, {**body, "score": score})[0] == 503
        client.restart()
        for _ in range(2):
            assert api.submit(board, score=score, **{"player": "p", **more, **_id(body)})[
                "outcome"
            ] == (outcome)
    assert api.submit(board, "p", 20, submission_id="another")["outcome"] == "kept"


def _id(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in ("submission_id",) if name in body}


def test_a_repeat_of_a_beaten_submission_is_kept(api: Any, board: str) -> None:
    """Once a better score stands, a repeat of the old one cannot claim to be new."""
    api.make_board(board)
    api.submit(board, "p", 10, submission_id="one")
    api.submit(board, "p", 20, submission_id="two")
    assert api.submit(board, "p", 10, submission_id="one")["outcome"] == "kept"
    assert api.submit(board, "p", 20, submission_id="two")["outcome"] == "improved"


# --- Order and numbers -----------------------------------------------------------------------


@pytest.mark.parametrize("index_shards", [1, 3])
def test_ties_go_to_the_earlier_then_to_the_smaller_id(
    api: Any, drain: Callable[[], None], board: str, index_shards: int
) -> None:
    """Equal scores rank by time, equal times by player id in the order of its UTF-8 bytes."""
    api.make_board(board, layout={"index_shards": index_shards, "levels": 3})
    late = ["\N{GRINNING FACE}", "日本", "é", "zz", "z", "a", "B", "1", " x"]
    sent = [("early", 1_000), *((player, 2_000) for player in late), ("last", 2_001)]
    scores = [{"player_id": player, "score": 7, "achieved_at": at} for player, at in sent]
    assert {result["status"] for result in batch(api, board, scores)} == {200}
    truth = ["early", *sorted(late, key=str.encode), "last"]
    for counted in (False, True):
        assert [player for player, _ in top_of(api, board)] == truth
        assert [api.rank(board, player)["rank"] for player in truth] == [*range(1, 12)]
        if not counted:
            drain()


@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize(
    ("span", "spacing"),
    [
        (INT64, "log"),
        (INT64, "linear"),
        ((-100, -1), "linear"),
        ((-5_000, 5_000), "log"),
        ((0, 1), "log"),
        ((2**63 - 2, 2**63 - 1), "log"),
        ((-(2**63), -(2**63) + 1), "linear"),
        ((2**53, 2**63 - 1), "log"),
    ],
)
def test_every_64_bit_score_is_exact_in_and_out(
    api: Any, drain: Callable[[], None], board: str, span: Span, spacing: str, order: str
) -> None:
    """The ends of a range, their neighbours and what a float would round stay what they were."""
    low, high = span
    api.make_board(
        board, score_range=list(span), order=order, layout={"spacing": spacing, "levels": 6}
    )
    wanted = {low, low + 1, high - 1, high, 0, -1, 1, 2**53 + 1, -(2**53) - 1, (low + high) // 2}
    scores = sorted((s for s in wanted if low <= s <= high), reverse=order == "desc")
    for score in scores:
        assert api.submit(board, f"p{score}", score, achieved_at=1)["score"] == score
    drain()
    assert top_of(api, board) == [(f"p{score}", score) for score in scores]
    for rank, score in enumerate(scores, start=1):
        answer = api.rank(board, f"p{score}")
        assert (answer["rank"], answer["score"]) == (rank, score)
        assert answer["population"] == len(scores)


# --- Limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "taken"),
    [
        ("achieved_at", 0, True),
        ("achieved_at", -1, False),
        ("metadata", {}, True),
        ("metadata", {"a": "x" * 504}, True),
        ("metadata", {"a": "x" * 505}, False),
        ("metadata", {"a": "é" * 252}, True),
        ("metadata", {"a": "é" * 253}, False),
        ("submission_id", "x" * 64, True),
        ("submission_id", "x" * 65, False),
        ("submission_id", "é" * 33, False),
        ("submission_id", "", False),
    ],
)
def test_the_limits_of_a_field(api: Any, board: str, field: str, value: Any, taken: bool) -> None:
    """The last value inside a limit is taken, the first one outside is refused by name."""
    api.make_board(board)
    body = {"player_id": "p", "score": 1, field: value}
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores", body)
    assert status == (200 if taken else 422)
    if not taken:
        assert [error["field"] for error in answer["errors"]] == [field]
    assert len(top_of(api, board)) == taken


@pytest.mark.parametrize(("ahead_ms", "status"), [(58_000, 200), (61_000, 422)])
def test_a_clock_may_run_a_minute_ahead(api: Any, board: str, ahead_ms: int, status: int) -> None:
    """A time up to a minute from now is taken; one past it is refused."""
    api.make_board(board)
    achieved_at = time.time_ns() // 1_000_000 + ahead_ms
    body = {"player_id": "p", "score": 1, "achieved_at": achieved_at}
    assert api.call("POST", f"/api/leaderboards/{board}/scores", body)[0] == status


def test_the_servers_clock_speaks_where_the_caller_gives_no_time(api: Any, board: str) -> None:
    """Without `achieved_at` a result was achieved when it arrived."""
    api.make_board(board)
    before = time.time_ns() // 1_000_000
    api.submit(board, "p", 1)
    after = time.time_ns() // 1_000_000
    _, answer = api.call("GET", f"/api/leaderboards/{board}/top")
    assert before <= answer["entries"][0]["achieved_at"] <= after


# --- The rank in the answer ------------------------------------------------------------------


def test_the_answer_ranks_the_score_before_anything_is_counted(api: Any, board: str) -> None:
    """On a board whose stream nobody has read, a submit is told its true place."""
    api.make_board(board)
    scores = {f"p{i:03d}": (i * 37) % 101 for i in range(101)}
    best: list[int] = []
    for player, score in scores.items():
        answer = api.submit(board, player, score)
        best.append(score)
        assert (
            answer["rank"]
            == answer["windows"]["all"]["rank"]
            == 1 + sum(other > score for other in best)
        )
        assert answer["windows"]["all"]["population"] >= answer["rank"]


@pytest.mark.parametrize(
    "config",
    [
        {"layout": {"levels": 1}, "exact_limit": 20, "top_exact": 5, "count_limit": 3},
        {"layout": {"levels": 2}, "exact_limit": 20, "top_exact": 5, "count_limit": 3},
        {"layout": {"levels": 3, "index_shards": 2}, "order": "asc"},
        {"layout": {"spacing": "linear", "levels": 1}, "exact_limit": 90, "top_exact": 50},
    ],
    ids=["levels-1", "levels-2", "levels-3-asc", "linear"],
)
def test_the_rank_of_a_submit_holds_the_truth(
    api: Any, drain: Callable[[], None], board: str, config: dict[str, Any]
) -> None:
    """New or improved, the range in the answer holds the true place, though it is uncounted."""
    api.make_board(board, score_range=[0, 9_999], **config)
    scores = {f"p{i:03d}": (i * 7919) % 5_000 + 1_000 for i in range(150)}
    api.submit_all(board, scores)
    descending = config.get("order", "desc") == "desc"
    steps = [("new-1", 5_990), ("p000", 5_500 if descending else 900), ("new-2", 1_001)]
    steps += [("p007", 5_431 if descending else 1_000), ("new-3", 3_333), ("new-3", 3_334)]
    for player, score in steps:
        drain()
        answer = api.submit(board, player, score, achieved_at=1_000)
        if answer["outcome"] != "kept":
            scores[player] = score
        truth = sorted(scores, key=lambda p: (-scores[p] if descending else scores[p], p))
        place = truth.index(player) + 1
        ranked = answer["windows"]["all"]
        low, high = ranked["rank_range"]
        assert low <= place <= high, ranked
        assert low <= ranked["approximate_rank"] <= high <= ranked["population"]
        assert ranked["kind"] != "exact" or ranked["rank"] == place


def test_ranks_can_be_skipped(api: Any, board: str, client: WatchedClient) -> None:
    """With `rank=false` nothing but the player's flag and the write is asked of DynamoDB."""
    api.make_board(board)
    api.submit(board, "warm", 1)
    client.restart()
    path = f"/api/leaderboards/{board}/scores"
    _, answer = api.call("POST", path, {"player_id": "p", "score": 5}, query={"rank": "false"})
    assert answer == {
        "player_id": "p",
        "score": 5,
        "outcome": "new",
        "rank": None,
        "windows": {"all": {"score": 5, "outcome": "new"}},
    }
    assert client.operations() == ["get_item", "update_item"]


# --- Cost ------------------------------------------------------------------------------------


def test_what_a_submit_consumes(
    api: Any, board: str, client: WatchedClient, table_names: TableNames
) -> None:
    """By the engine's own count: 2 write units for a new player with the index, 1 if kept."""
    api.make_board(board)
    consumed = []
    for score, outcome in ((10, "new"), (20, "improved"), (5, "kept")):
        client.restart()
        player = "11d8d3a6-39c5-4f8e-9b4f-0f4f8a9be0b5"
        assert api.submit(board, player, score, metadata={"v": 1})["outcome"] == outcome
        (write,) = client.writes()
        assert write.parameters["TableName"] == table_names.scores
        assert write.parameters["ReturnConsumedCapacity"] == "INDEXES"
        consumed.append(write.answer and write.answer["ConsumedCapacity"]["CapacityUnits"])
    assert consumed == [2, 3, None]


def test_a_kept_submit_consumes_one_unit(
    dynamodb_client: DynamoDBClient, api: Any, board: str, client: WatchedClient
) -> None:
    """A condition that fails costs the one unit of the item, and nothing in the index.

    DynamoDB reports no capacity for a failed condition, so what is looked at is that the write
    changed neither item nor index entry.
    """
    api.make_board(board)
    api.submit(board, "p", 10, achieved_at=5)
    client.restart()
    assert api.submit(board, "p", 10, achieved_at=6)["outcome"] == "kept"
    assert len(client.writes()) == 1
    entries = dynamodb_client.query(
        TableName="Scores",
        IndexName="byRank",
        KeyConditionExpression="rank_partition = :p",
        ExpressionAttributeValues={":p": {"S": f"{board}#all#1#0"}},
    )["Items"]
    assert [entry["rank_key"]["S"].split("#")[1:] for entry in entries] == [["0000000000005", "p"]]


def test_no_transaction_and_one_write_a_submit(
    api: Any, drain: Callable[[], None], board: str, client: WatchedClient
) -> None:
    """Submits are single conditional updates; sums and segments alone make transactions."""
    api.make_board(board)
    client.restart()
    for score in (1, 2, 2, 1):
        before = len(client.writes())
        api.submit(board, "p", score)
        (write,) = client.writes()[before:]
        assert write.operation == "update_item"
        assert "ConditionExpression" in write.parameters
    before = len(client.writes())
    batch(api, board, [{"player_id": f"p{i}", "score": i} for i in range(10)])
    assert [call.operation for call in client.writes()[before:]] == ["update_item"] * 10
    drain()
    api.rank(board, "p1")
    top_of(api, board)
    assert set(client.operations()) <= {"update_item", *READS}
    sources = Path(lambdas.__file__).parent.rglob("*.py")
    found = {path.name for path in sources if "transact_write" in path.read_text()}
    assert found == {"holdings.py", "player_items.py", "meter.py"}


# --- Batches ---------------------------------------------------------------------------------


def test_a_batch_is_answered_in_its_order(api: Any, board: str) -> None:
    """Each result stands where its entry stood, a player's own entries done one after another."""
    api.make_board(board)
    scores = [{"player_id": f"p{i % 7}", "score": i, "achieved_at": 1} for i in range(100)]
    results = batch(api, board, scores)
    assert [(one["player_id"], one["score"]) for one in results] == [
        (entry["player_id"], entry["score"]) for entry in scores
    ]
    assert [one["outcome"] for one in results] == ["new"] * 7 + ["improved"] * 93
    assert [one["rank"] for one in results] == [None] * 100
    assert top_of(api, board) == [(f"p{i % 7}", i) for i in range(99, 92, -1)]


def test_a_player_twice_in_a_batch(api: Any, board: str) -> None:
    """The second of a player's entries meets the first; the very same entry is a repeat of it."""
    api.make_board(board)
    scores = [("a", 5, 1), ("b", 1, 1), ("a", 3, 1), ("b", 2, 1), ("b", 2, 2), ("b", 2, 1)]
    results = batch(
        api, board, [{"player_id": p, "score": s, "achieved_at": at} for p, s, at in scores]
    )
    outcomes = ["new", "new", "kept", "improved", "kept", "improved"]
    assert [one["outcome"] for one in results] == outcomes
    assert top_of(api, board) == [("a", 5), ("b", 2)]


def test_a_batch_can_be_ranked(api: Any, board: str) -> None:
    """With `rank=true` each result carries the rank it would get alone."""
    api.make_board(board)
    results = batch(api, board, [{"player_id": "a", "score": 5}], rank="true")
    assert results[0]["rank"] == 1
    assert results[0]["windows"]["all"]["kind"] == "exact"


BAD_ENTRIES: list[tuple[Any, int, str, str]] = [
    (None, 422, "invalid_fields", "body"),
    (5, 422, "invalid_fields", "body"),
    ("x", 422, "invalid_fields", "body"),
    ([], 422, "invalid_fields", "body"),
    (True, 422, "invalid_fields", "body"),
    ({}, 422, "invalid_fields", "player_id"),
    ({"player_id": "p"}, 422, "invalid_fields", "score"),
    ({"player_id": "p", "score": True}, 422, "invalid_fields", "score"),
    ({"player_id": "p", "score": 1.0}, 422, "invalid_fields", "score"),
    ({"player_id": "p", "score": 2**63}, 422, "invalid_fields", "score"),
    ({"player_id": "p", "score": -1}, 422, "invalid_fields", "score"),
    ({"player_id": "p", "score": 1, "x": 1}, 422, "invalid_fields", "x"),
    ({"player_id": "p", "score": 1, "achieved_at": -1}, 422, "invalid_fields", "achieved_at"),
    ({"player_id": "p", "score": 1, "metadata": [1]}, 422, "invalid_fields", "metadata"),
    ({"player_id": 5, "score": 1}, 422, "invalid_fields", "player_id"),
    ({"player_id": "a/b", "score": 1}, 400, "invalid_player_id", ""),
    ({"player_id": "", "score": 1}, 400, "invalid_player_id", ""),
]


def test_bad_entries_do_not_spoil_the_rest(api: Any, board: str) -> None:
    """Between any two bad entries a good one is taken, and each bad one says what is wrong."""
    api.make_board(board)
    good = [{"player_id": f"good{i}", "score": 5, "achieved_at": 1} for i in range(17)]
    mixed = [
        entry for pair in zip((bad[0] for bad in BAD_ENTRIES), good, strict=True) for entry in pair
    ]
    results = batch(api, board, mixed)
    assert {one["status"] for one in results[1::2]} == {200}
    for (entry, status, code, field), problem in zip(BAD_ENTRIES, results[::2], strict=True):
        assert (problem["status"], problem["code"]) == (status, code), entry
        assert [error["field"] for error in problem["errors"]][:1] == ([field] if field else [])
    assert {player for player, _ in top_of(api, board)} == {entry["player_id"] for entry in good}


@pytest.mark.parametrize("count", [0, 101])
def test_a_batch_holds_1_to_100_entries(api: Any, board: str, count: int) -> None:
    """An empty batch and one of 101 are refused whole."""
    api.make_board(board)
    body = {"scores": [{"player_id": f"p{i}", "score": i} for i in range(count)]}
    status, answer = api.call("POST", f"/api/leaderboards/{board}/scores/batch", body)
    assert (status, answer["errors"][0]["field"]) == (422, "scores")
    assert top_of(api, board) == []


def test_metadata_is_kept_as_json(
    api: Any, board: str, item: Callable[[str, str], dict[str, Any]]
) -> None:
    """What is stored reads back as the very object that was sent, large integers included."""
    api.make_board(board)
    metadata = {"n": 2**63 + 1, "list": [1, None, {"é": "\N{GRINNING FACE}"}], "f": 0.1}
    api.submit(board, "p", 1, metadata=metadata)
    assert json.loads(item(board, "p")["metadata"]["S"]) == metadata
