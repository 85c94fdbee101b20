"""Boards and requests for the tests of reads, and the list that every read must agree with."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.functional.conftest import Api

KINDS = [
    {"order": order, "ties": ties, "layout": {"levels": levels, "index_shards": shards}}
    for order in ("desc", "asc")
    for ties in ("ordinal", "shared")
    for levels, shards in ((1, 1), (2, 4), (3, 1))
]
"""Configs of every order and kind of ties, with one and several index shards and levels 1 to 3."""


def named(config: Mapping[str, Any]) -> str:
    """A config as the name of a test."""
    layout = config["layout"]
    shape = f"{layout['levels']}-levels-{layout['index_shards']}-shards"
    return f"{config['order']}-{config['ties']}-{shape}"


def ordered(scores: Mapping[str, int], order: str) -> list[tuple[str, int]]:
    """Players and scores as a board ranks them, all achieved at one time."""
    sign = -1 if order == "desc" else 1
    return sorted(scores.items(), key=lambda one: (sign * one[1], one[0].encode()))


def ranks_in(right: Sequence[tuple[str, int]], ties: str) -> list[int]:
    """The ranks of a whole list: places, or the place of the first one with the same score."""
    if ties == "ordinal":
        return list(range(1, len(right) + 1))
    first: dict[int, int] = {}
    return [first.setdefault(score, place) for place, (_, score) in enumerate(right, start=1)]


def get(api: Api, board: str, route: str, **query: Any) -> Any:
    """A read that must be answered."""
    wanted = {name: str(value) for name, value in query.items()}
    status, answer = api.call("GET", f"/api/leaderboards/{board}{route}", query=wanted)
    assert status == 200, answer
    return answer


def post(api: Api, board: str, route: str, body: Any) -> Any:
    """A read with a body that must be answered."""
    status, answer = api.call("POST", f"/api/leaderboards/{board}{route}", body)
    assert status == 200, answer
    return answer


def problem(api: Api, path: str, **query: Any) -> tuple[int, str, str]:
    """The status, code and detail of a read that must be refused."""
    wanted = {name: str(value) for name, value in query.items()}
    status, answer = api.call("GET", f"/api/leaderboards/{path}", query=wanted)
    return status, answer["code"], answer["detail"]


def walk_pages(api: Api, board: str, limit: int) -> list[dict[str, Any]]:
    """Every entry of a board, page after page to the list's end."""
    page = get(api, board, "/top", limit=limit)
    entries: list[dict[str, Any]] = page["entries"]
    while page["next_cursor"] is not None:
        assert len(page["entries"]) == limit
        page = get(api, board, "/top", limit=limit, cursor=page["next_cursor"])
        assert page["entries"]
        entries.extend(page["entries"])
    return entries
