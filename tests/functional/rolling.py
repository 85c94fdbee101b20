"""Boards whose entries expire, for tests: their times, the job, and what must agree after it."""

from collections.abc import Mapping
from typing import Any

from lambdas import names
from lambdas.logic.audit import audit
from ops.rig.events import Context
from tests.functional.conftest import Api
from tests.functional.reads import get, ordered

TTL = 3_600
NOON = "2026-11-30T12:00"
LAST = "2026-11-30T12:59:59.999"
"""The last millisecond at which what was achieved at `NOON` stands."""
GONE = "2026-11-30T13:00"
LATER = "2026-11-30T13:30"


def expire(api: Api, timeout_seconds: float = 60) -> dict[str, int]:
    """One call of the expire function; the entries it removed, by board."""
    answer: dict[str, int] = api.handlers[names.EXPIRE].handler(
        {}, Context(timeout_seconds=timeout_seconds)
    )
    return answer


def agrees(api: Api, board: str, right: Mapping[str, int], window: str = "all") -> None:
    """Fails unless list, ranks, neighbours, distribution and a recount show these players.

    All achieved at one time, and counted.
    """
    listed = ordered(right, "desc")
    top = get(api, board, "/top", window=window)
    assert [(one["player_id"], one["score"]) for one in top["entries"]] == listed
    assert top["population"] == len(listed)
    for place, (player, _) in enumerate(listed, start=1):
        ranked = api.rank(board, player, window=window)
        assert (ranked["rank"], ranked["population"]) == (place, len(listed)), player
    if listed:
        around = get(api, board, f"/players/{listed[0][0]}/around", window=window, k=2)
        shown = [(one["player_id"], one["score"]) for one in around["entries"]]
        assert shown == listed[:5]
    found = get(api, board, "/distribution", window=window)
    assert found["population"] == sum(one["count"] for one in found["buckets"]) == len(listed)
    tables = api.handlers[names.READ].connection.tables()
    recounted = audit(tables, tables.board(board), window)
    assert (recounted.population, recounted.drift) == (len(listed), ())


def unranked(api: Api, board: str, player: str, **query: Any) -> bool:
    """Whether no read of a player's own entry finds one."""
    body = {"player_id": player, "friend_ids": []}
    status, friends = api.call("POST", f"/api/leaderboards/{board}/friends", body, query=query)
    assert status == 200, friends
    around = get(api, board, f"/players/{player}/around", **query)
    kinds = {
        api.rank(board, player, **query)["kind"],
        api.rank(board, player, consistent="true", **query)["kind"],
        around["kind"],
        "unranked" if friends["unranked"] == [player] else "ranked",
        "unranked" if around["entries"] == friends["entries"] == [] else "ranked",
    }
    assert len(kinds) == 1 or "unranked" not in kinds, kinds
    return kinds == {"unranked"}
