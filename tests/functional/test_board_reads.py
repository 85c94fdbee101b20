"""What is told of a board as a whole."""

from typing import Any

from tests.functional.reads import get, problem


def test_a_board_shows_how_it_ranks_and_how_many_play(api: Any, drain: Any, board: str) -> None:
    """The public config, each window with its state and population; no layout, no limits."""
    api.make_board(board, order="asc", score_range=[-5, 500], display_name="Laps")
    assert get(api, board, "")["windows"] == [
        {
            "window": "all",
            "state": "open",
            "start": 0,
            "end": None,
            "population": 0,
            "as_of": None,
        }
    ]
    api.submit_all(board, {"a": -5, "b": 500})
    drain()
    answer = get(api, board, "")
    assert answer["windows"][0]["population"] == 2
    assert answer["windows"][0]["as_of"] > 0
    del answer["windows"]
    assert answer == {
        "board": board,
        "policy": "best",
        "order": "asc",
        "score_range": [-5, 500],
        "tie_breakers": [],
        "ties": "ordinal",
        "time_zone": "UTC",
        "dimensions": [],
        "display_name": "Laps",
        "description": None,
    }
    assert problem(api, f"{board}-b")[:2] == (404, "board_not_found")
