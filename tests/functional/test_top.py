"""The list, page by page: cursors, ranks on later pages, and lists that start at a rank."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas import names
from ops.rig.tables import TableNames
from tests.functional.reads import KINDS, get, named, ordered, problem, ranks_in, walk_pages

SCORES = {f"p{i:03d}": (i * 37) % 23 * 1_000 for i in range(130)}


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_pages_walked_to_the_end_list_everyone_once(
    api: Any, drain: Any, board: str, config: Any
) -> None:
    """Ranks are the list's own, whatever the size of a page, through ties."""
    api.make_board(board, **config)
    api.submit_all(board, SCORES)
    drain()
    right = ordered(SCORES, config["order"])
    for limit in (1, 7, 65, 130, 1_000):
        entries = walk_pages(api, board, limit)
        assert [(one["player_id"], one["score"]) for one in entries] == right
        assert [one["rank"] for one in entries] == ranks_in(right, config["ties"])


@pytest.mark.parametrize("config", KINDS, ids=named)
def test_a_list_starts_at_any_rank(api: Any, drain: Any, board: str, config: Any) -> None:
    """From the first page, past it, at the last player and one beyond."""
    api.make_board(board, **config, top_exact=10, count_limit=5)
    api.submit_all(board, SCORES)
    drain()
    right = ordered(SCORES, config["order"])
    ranks = ranks_in(right, config["ties"])
    for rank in (1, 2, 10, 11, 57, 129, 130, 131, 2**63 - 1):
        page = get(api, board, "/top", limit=4, start_rank=rank)
        listed = [(one["player_id"], one["score"]) for one in page["entries"]]
        assert listed == right[rank - 1 : rank + 3]
        assert [one["rank"] for one in page["entries"]] == ranks[rank - 1 : rank + 3]
        assert (page["next_cursor"] is None) == (rank + 4 > 130)
        assert page["population"] == 130
    page = get(api, board, "/top", limit=4, start_rank=100)
    page = get(api, board, "/top", limit=4, cursor=page["next_cursor"])
    assert [one["rank"] for one in page["entries"]] == ranks[103:107]


def test_a_rank_too_deep_in_one_cell_names_the_ranks_to_start_at(
    api: Any, drain: Any, board: str
) -> None:
    """Where counters cannot tell players apart a list is refused, never begun at a guess."""
    api.make_board(board, exact_limit=20, top_exact=5, count_limit=5, layout={"levels": 1})
    api.submit_all(board, {f"p{i:02d}": 1_000 for i in range(40)} | {"best": 5_000})
    drain()
    assert get(api, board, "/top", start_rank=22)["entries"][0]["rank"] == 22
    status, code, detail = problem(api, f"{board}/top", start_rank=23)
    assert (status, code) == (422, "invalid_fields")
    assert "up to rank 22 here, or from rank 42 on" in detail


def test_an_empty_board_and_a_board_of_one(api: Any, drain: Any, board: str) -> None:
    """No entry and one entry are both a whole list."""
    api.make_board(board)
    for query in ({}, {"start_rank": 1}, {"start_rank": 500}):
        page = get(api, board, "/top", **query)
        assert (page["entries"], page["next_cursor"], page["population"]) == ([], None, 0)
    api.submit_all(board, {"sole": 0})
    drain()
    page = get(api, board, "/top", limit=1)
    assert ([one["player_id"] for one in page["entries"]], page["next_cursor"]) == (["sole"], None)
    assert page["population"] == 1


def test_a_cursor_of_another_list_is_refused_by_name(
    api: Any, drain: Any, board: str, dynamodb_client: DynamoDBClient, table_names: TableNames
) -> None:
    """Garbled, of another board and of a former life: 400 each, and the detail says which."""
    for one in (board, f"{board}-b"):
        api.make_board(one)
        api.submit_all(one, {"a": 1, "b": 2})
    drain()
    cursor = get(api, board, "/top", limit=1)["next_cursor"]
    assert problem(api, f"{board}-b/top", cursor=cursor)[:2] == (400, "invalid_cursor")
    assert "another board" in problem(api, f"{board}-b/top", cursor=cursor)[2]
    held = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    elsewhere = [*held[:2], "w2026-W01", *held[3:]]
    assert "another window" in problem(api, f"{board}/top", cursor=pack(elsewhere))[2]
    for wrong in (
        "",
        "x",
        "%%%",
        cursor[:-5],
        "é",
        "e30",
        pack([*held[:3], "9#9#a", 1, 1]),
        pack([*held[:4], 1, 0]),
        pack([*held[:4], 1, 2]),
        pack([*held[:4], 1, True]),
        pack([*held[:4], 1]),
        pack([*held[:3], held[3].replace("#", "#x", 1), 1, 1]),
        "A" * 5_000,
    ):
        status, code, detail = problem(api, f"{board}/top", cursor=wrong)
        assert (status, code) == (400, "invalid_cursor"), wrong
        assert "garbled" in detail
    dynamodb_client.update_item(
        TableName=table_names.boards,
        Key={names.PK: {"S": board}, names.SK: {"S": "config"}},
        UpdateExpression="SET first_layout = :two",
        ExpressionAttributeValues={":two": {"N": "2"}},
    )
    api.handlers[names.READ].connection.forget()
    assert "made again" in problem(api, f"{board}/top", cursor=cursor)[2]


def test_a_cursor_and_a_start_rank_do_not_go_together(api: Any, board: str) -> None:
    """Two places to start at are one too many."""
    api.make_board(board)
    assert problem(api, f"{board}/top", cursor="x", start_rank=1)[:2] == (422, "invalid_fields")
    for rank in (0, -1, "1.0", "x", 2**63):
        assert problem(api, f"{board}/top", start_rank=rank)[:2] == (422, "invalid_fields")


def pack(held: list[Any]) -> str:
    """A cursor that holds what a test says."""
    return urlsafe_b64encode(json.dumps(held).encode()).decode().rstrip("=")
