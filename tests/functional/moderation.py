"""What a moderator does in tests, and the state of a board that every read must agree on."""

from collections.abc import Mapping
from urllib.parse import quote

from lambdas import names
from lambdas.logic.audit import audit
from ops.rig.events import Context
from tests.functional.conftest import Api
from tests.functional.reads import get


def path_of(board: str, player: str) -> str:
    """The path of a player of a board, for moderators."""
    return f"/api/admin/leaderboards/{board}/players/{quote(player, safe='')}"


def hide(api: Api, board: str, player: str, *, hidden: bool = True) -> None:
    """Hides a player, or shows one again."""
    path = f"{path_of(board, player)}/visibility"
    assert api.call("PUT", path, {"hidden": hidden}) == (204, None)


def show(api: Api, board: str, player: str) -> None:
    """Shows a player again."""
    hide(api, board, player, hidden=False)


def remove(api: Api, board: str, player: str) -> None:
    """Takes a player off a board."""
    assert api.call("DELETE", path_of(board, player)) == (204, None)


def settle(api: Api) -> int:
    """Calls the close function with time enough; how many flags it settled or removed."""
    answer = api.handlers[names.CLOSE].handler({}, Context(timeout_seconds=900))
    return int(answer["settled"])


def check(
    api: Api, board: str, scores: Mapping[str, int], window: str, absent: tuple[str, ...] = ()
) -> None:
    """Every read of a window, drained, knows just these players, and counters are as a recount."""
    ranked = sorted(scores, key=lambda player: (-scores[player], player))
    page = get(api, board, "/top", window=window)
    listed = {one["player_id"]: one["score"] for one in page["entries"]}
    assert (listed, page["population"]) == (dict(scores), len(scores))
    spread = get(api, board, "/distribution", window=window)
    assert sum(one["count"] for one in spread["buckets"]) == spread["population"] == len(scores)
    (info,) = [one for one in get(api, board, "")["windows"] if one["window"] == window]
    assert info["population"] == len(scores)
    for place, player in enumerate(ranked, start=1):
        assert get(api, board, f"/players/{quote(player)}/rank", window=window)["rank"] == place
        assert get(api, board, "/standing", window=window, rank=place)["player_id"] == player
    friends = {"player_id": [*ranked, *absent][0], "friend_ids": [*ranked, *absent]}
    path = f"/api/leaderboards/{board}/friends"
    status, found = api.call("POST", path, friends, query={"window": window})
    assert status == 200
    assert [one["player_id"] for one in found["entries"]] == ranked
    assert set(found["unranked"]) == set(absent)
    for player in absent:
        for route in ("rank", "around"):
            answer = get(api, board, f"/players/{quote(player)}/{route}", window=window)
            assert (answer["kind"], answer["rank"], answer["score"]) == ("unranked", None, None)
            assert answer.get("entries", []) == []
    tables = api.handlers[names.READ].connection.tables()
    audited = audit(tables, tables.board(board), window)
    assert (audited.population, audited.drift) == (len(scores), ())
