"""Configs that make no sense, or differ from what stands: told field by field, and nothing made."""

import json
from typing import Any

import pytest

from tests.functional.refusals import Refused

CONFIGS = {
    "policy": ({"policy": "worst"}, "policy"),
    "order": ({"order": "DESC"}, "order"),
    "order null": ({"order": None}, "order"),
    "empty range": ({"score_range": [5, 5]}, "score_range"),
    "range upside down": ({"score_range": [5, 4]}, "score_range"),
    "range of one end": ({"score_range": [5]}, "score_range.1"),
    "range of three ends": ({"score_range": [1, 2, 3]}, "score_range"),
    "range of floats": ({"score_range": [0, 1.0]}, "score_range.1"),
    "range above 64 bits": ({"score_range": [0, 2**63]}, "score_range.1"),
    "range below 64 bits": ({"score_range": [-(2**63) - 1, 0]}, "score_range.0"),
    "range as text": ({"score_range": "01"}, "score_range"),
    "ties": ({"ties": "dense"}, "ties"),
    "no windows": ({"windows": []}, "windows"),
    "other windows": ({"windows": ["d2026-11-30"]}, "windows.0"),
    "a window twice": ({"windows": ["all", "all"]}, "windows.1"),
    "windows of another type": ({"windows": [1]}, "windows.0"),
    "a season without an end": ({"windows": [{"season": "s", "start": 0}]}, "windows.0.end"),
    "a season that ends before it starts": (
        {"windows": [{"season": "s", "start": 5, "end": 5}]},
        "windows.0.end",
    ),
    "a season with an odd name": (
        {"windows": [{"season": "S", "start": 5, "end": 6}]},
        "windows.0.season",
    ),
    "a zone nobody knows": ({"time_zone": "Europe/Atlantis"}, "time_zone"),
    "a path for a zone": ({"time_zone": "../etc/passwd"}, "time_zone"),
    "retention of no day": ({"retention_days": 0}, "retention_days"),
    "grace below 0": ({"grace_seconds": -1}, "grace_seconds"),
    "three tie-breakers": (
        {"tie_breakers": [{"name": name, "range": [0, 1]} for name in "abc"]},
        "tie_breakers",
    ),
    "a tie-breaker without a range": ({"tie_breakers": [{"name": "a"}]}, "tie_breakers.0.range"),
    "a tie-breaker upside down": (
        {"tie_breakers": [{"name": "a", "range": [1, 0]}]},
        "tie_breakers.0.range",
    ),
    "sums with tie-breakers": (
        {"policy": "sum", "tie_breakers": [{"name": "a", "range": [0, 1]}]},
        "tie_breakers",
    ),
    "top_exact 0": ({"top_exact": 0}, "top_exact"),
    "top_exact above exact_limit": ({"top_exact": 101, "exact_limit": 100}, "top_exact"),
    "exact_limit 2001": ({"exact_limit": 2_001}, "exact_limit"),
    "exact_limit of 39 digits": ({"exact_limit": 10**38}, "exact_limit"),
    "exact_limit true": ({"exact_limit": True}, "exact_limit"),
    "count_limit 0": ({"count_limit": 0}, "count_limit"),
    "count_limit as text": ({"count_limit": "75"}, "count_limit"),
    "display_name of 257": ({"display_name": "x" * 257}, "display_name"),
    "half a pair as name": ({"display_name": "\ud800"}, "display_name"),
    "description of 2001": ({"description": "x" * 2_001}, "description"),
    "unknown field": ({"window": "all"}, "window"),
    "layout null": ({"layout": None}, "layout"),
    "layout list": ({"layout": []}, "layout"),
    "unknown field of the layout": ({"layout": {"shards": 1}}, "layout.shards"),
    "buckets 100": ({"layout": {"buckets": 100}}, "layout.buckets"),
    "buckets true": ({"layout": {"buckets": True}}, "layout.buckets"),
    "levels 0": ({"layout": {"levels": 0}}, "layout.levels"),
    "levels 7": ({"layout": {"levels": 7}}, "layout.levels"),
    "counter_shards 0": ({"layout": {"counter_shards": 0}}, "layout.counter_shards"),
    "counter_shards 33": ({"layout": {"counter_shards": 33}}, "layout.counter_shards"),
    "index_shards 33": ({"layout": {"index_shards": 33}}, "layout.index_shards"),
    "index_shards 1.0": ({"layout": {"index_shards": 1.0}}, "layout.index_shards"),
    "spacing": ({"layout": {"spacing": "cubic"}}, "layout.spacing"),
    "log below zero": (
        {"score_range": [-9, 0], "layout": {"spacing": "log"}},
        "layout.spacing",
    ),
}


@pytest.mark.parametrize(("config", "field"), CONFIGS.values(), ids=CONFIGS)
def test_a_config_that_makes_no_sense_is_refused(
    api: Any, refused: Refused, config: dict[str, Any], field: str
) -> None:
    """Each field that is wrong is named, and no board is made."""
    path = "/api/admin/leaderboards/refused-new"
    problem = refused(422, "invalid_fields", "PUT", path, body=json.dumps(config))
    assert field in [error["field"] for error in problem["errors"]]
    assert api.call("GET", path)[0] == 404


def test_every_wrong_field_of_a_config_is_named(refused: Refused) -> None:
    """A config with several faults is told all of them."""
    config = {"score_range": [9, 1], "exact_limit": 0, "layout": {"levels": 9, "buckets": 1}}
    path = "/api/admin/leaderboards/refused-new"
    problem = refused(422, "invalid_fields", "PUT", path, body=json.dumps(config))
    fields = {error["field"] for error in problem["errors"]}
    assert {"score_range", "exact_limit", "layout.levels", "layout.buckets"} <= fields


@pytest.mark.parametrize("board", ["UPPER", "a" * 65, "a%23b", "a_b", "a.b", "caf%C3%A9", "%20"])
def test_a_board_id_that_breaks_the_pattern_is_refused(refused: Refused, board: str) -> None:
    """No board is made under an id that a key could not be taken apart with."""
    problem = refused(422, "invalid_fields", "PUT", f"/api/admin/leaderboards/{board}", body="{}")
    assert [error["field"] for error in problem["errors"]] == ["board"]


@pytest.mark.parametrize(
    ("config", "fields"),
    [
        ({"order": "asc"}, ["order"]),
        ({"score_range": [0, 100]}, ["score_range"]),
        ({"layout": {"levels": 3, "index_shards": 2}}, ["layout.levels", "layout.index_shards"]),
        ({"display_name": "x", "ties": "shared"}, ["ties"]),
        ({"tie_breakers": [{"name": "kills", "range": [0, 9]}]}, ["tie_breakers"]),
        ({"policy": "latest", "top_exact": 7}, ["policy"]),
    ],
)
def test_a_live_board_keeps_what_its_items_were_written_by(
    refused: Refused, shared: str, config: dict[str, Any], fields: list[str]
) -> None:
    """A change of what it cannot change is a conflict that names every field in question."""
    path = f"/api/admin/leaderboards/{shared}"
    problem = refused(409, "board_exists", "PUT", path, body=json.dumps(config))
    named = problem["detail"].partition(" stands with another ")[2].partition(". ")[0]
    assert sorted(named.split(", ")) == sorted(fields)


def test_the_same_config_again_is_no_conflict(api: Any, board: str) -> None:
    """A board sent again with its own config, spelled out or by default, stands as it is."""
    made = api.make_board(board, score_range=[-5, 9], display_name="Café \N{TROPHY}")
    path = f"/api/admin/leaderboards/{board}"
    short = {"score_range": [-5, 9], "display_name": "Café \N{TROPHY}"}
    names = set(made) - {"board", "layout", "layouts"}
    layout = {n: made["layout"][n] for n in made["layout"] if n not in ("number", "state")}
    full = {**short, **{name: made[name] for name in names}, "layout": layout}
    for config in (short, full):
        assert api.call("PUT", path, config) == (200, made)
    assert api.call("GET", path) == (200, made)
    status, answer = api.call("GET", "/api/admin/leaderboards")
    assert status == 200
    assert made in answer["boards"]
    ids = [one["board"] for one in answer["boards"]]
    assert ids == sorted(set(ids))
