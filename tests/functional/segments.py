"""Boards with segments in tests: what their items hold, and that every read agrees with it."""

from collections.abc import Mapping
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from ops.rig.tables import TableNames
from tests.functional.conftest import Api
from tests.functional.lives import items_of
from tests.functional.reads import get

Standing = dict[str, dict[str, int]]
"""Scores by player, by window."""


def submit(api: Api, board: str, player: str, score: int, **more: Any) -> dict[str, Any]:
    """What a submission that must be taken did: outcome and score by window, without ranks."""
    path, body = f"/api/leaderboards/{board}/scores", {"player_id": player, "score": score, **more}
    status, answer = api.call("POST", path, body, query={"rank": "false"})
    assert status == 200, answer
    windows: dict[str, Any] = answer["windows"]
    return {name: (one["outcome"], one.get("score")) for name, one in windows.items()}


def stored(client: DynamoDBClient, tables: TableNames, board: str) -> Standing:
    """The scores in a board's items; whoever an item puts in a segment must stand there."""
    found: Standing = {}
    segments: dict[tuple[str, str], Mapping[str, Any]] = {}
    for item in items_of(client, tables.scores, board):
        _, window, player = item["pk"]["S"].split("#", 2)
        found.setdefault(window, {})[player] = int(item["score"]["N"])
        if "@" in window:
            assert "segments" not in item
        else:
            segments[window, player] = item.get("segments", {"M": {}})["M"]
    said = {
        (f"{window}@{dimension}:{value['S']}", player)
        for (window, player), held in segments.items()
        for dimension, value in held.items()
    }
    standing = {(window, player) for window in found for player in found[window] if "@" in window}
    assert said == standing, "an item names exactly the segments its player stands in"
    return found


def check_reads(api: Api, board: str, standing: Standing, windows: list[str]) -> None:
    """Lists, ranks and counters of windows and segments agree with the items, once counted."""
    for name in windows:
        right = sorted(standing.get(name, {}).items(), key=lambda one: (-one[1], one[0]))
        window, _, segment = name.partition("@")
        query = {"window": window, **({"segment": segment} if segment else {})}
        page = get(api, board, "/top", **query)
        assert [(one["player_id"], one["score"]) for one in page["entries"]] == right, name
        assert page["population"] == len(right), name
        spread = get(api, board, "/distribution", **query)
        assert spread["window"] == name
        assert sum(one["count"] for one in spread["buckets"]) == len(right), name
        for rank, (player, score) in enumerate(right, start=1):
            answer = get(api, board, f"/players/{player}/rank", **query)
            assert (answer["window"], answer["rank"], answer["score"]) == (name, rank, score)
