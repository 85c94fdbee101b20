"""Reads while DynamoDB throttles or does not answer: less is told, and nothing is made up.

Each test fails the n-th call of a route, alone or with all that follow, for every n it makes.
"""

from collections.abc import Callable
from typing import Any

import pytest

from lambdas import names
from lambdas.logic import friends
from tests.functional.failing import THROTTLED, UNAVAILABLE, WatchedClient

LIMITS = {"layout": {"levels": 3}, "top_exact": 5, "exact_limit": 20, "count_limit": 3}
SCORES = {f"p{i:02d}": 4_000 + i // 2 for i in range(60)}
RIGHT = sorted(SCORES, key=lambda player: (-SCORES[player], player))
PASSING = {429: THROTTLED["ThrottlingException"], 503: UNAVAILABLE["503"]}
Answer = dict[str, Any]


def is_part(answer: Answer) -> None:
    """The entries are a part of the list, and their ranks, if any, are their places."""
    places = [RIGHT.index(one["player_id"]) + 1 for one in answer["entries"]]
    assert places == list(range(places[0], places[0] + len(places)))
    for place, one in zip(places, answer["entries"], strict=True):
        assert one["rank"] in (place, None)


def is_standing(answer: Answer) -> None:
    """The score at the rank is within the answer."""
    low, high = answer["score_range"]
    assert low <= SCORES[RIGHT[answer["rank"] - 1]] <= high
    assert answer["player_id"] in (RIGHT[answer["rank"] - 1], None)


def is_ranks(answer: Answer) -> None:
    """The truth is within each range."""
    for one in answer["ranks"]:
        rank = 1 + sum(score >= one["score"] for score in SCORES.values())
        assert one["rank_range"][0] <= rank <= one["rank_range"][1]


def is_distribution(answer: Answer) -> None:
    """Quantiles contain their scores."""
    for one in answer["quantiles"]:
        low, high = one["score_range"]
        assert low <= SCORES[RIGHT[one["rank"] - 1]] <= high


def is_board(answer: Answer) -> None:
    """The population is right, or not known."""
    assert answer["windows"][0]["population"] in (60, None)


def is_ranked(answer: Answer) -> None:
    """Both friends are there."""
    assert [one["player_id"] for one in answer["entries"]] == ["p40", "p02"]


READS: dict[str, tuple[str, str, Any, Callable[[Answer], None]]] = {
    "top": ("GET", "/top", {"limit": "4"}, is_part),
    "top-start": ("GET", "/top", {"limit": "4", "start_rank": "31"}, is_part),
    "around": ("GET", "/players/p20/around", {"k": "3"}, is_part),
    "around-the-first": ("GET", "/players/p58/around", {"k": "3"}, is_part),
    "standing": ("GET", "/standing", {"rank": "40"}, is_standing),
    "standing-near": ("GET", "/standing", {"rank": "15"}, is_standing),
    "standing-first": ("GET", "/standing", {"rank": "1"}, is_standing),
    "percentile": ("GET", "/standing", {"percentile": "50"}, is_standing),
    "distribution": ("GET", "/distribution", {}, is_distribution),
    "board": ("GET", "", {}, is_board),
    "friends": ("POST", "/friends", {"player_id": "p40", "friend_ids": ["p02"]}, is_ranked),
    "ranks": ("POST", "/ranks", {"scores": [4_000, 4_012, 4_029, 5]}, is_ranks),
}


@pytest.fixture
def counted(api: Any, drain: Callable[[], None], board: str) -> str:
    """A counted board of 60 players with small limits and three levels."""
    api.make_board(board, score_range=[0, 9_999], **LIMITS)
    api.submit_all(board, SCORES)
    drain()
    return board


@pytest.mark.parametrize("status", PASSING)
@pytest.mark.parametrize("read", READS)
def test_a_read_tells_the_truth_or_says_when_to_ask_again(
    api: Any,
    counted: str,
    client: WatchedClient,
    monkeypatch: pytest.MonkeyPatch,
    read: str,
    status: int,
) -> None:
    """Whichever call fails, the answer is right and maybe wider, or 429 or 503."""
    monkeypatch.setattr(friends, "_PATIENCE_SECONDS", 0.0)
    method, route, asked, check = READS[read]
    sent: dict[str, Any] = {"query": asked} if method == "GET" else {"body": asked}
    connection = api.handlers[names.READ].connection
    connection.forget()
    client.restart()
    whole = api.call(method, f"/api/leaderboards/{counted}{route}", **sent)
    assert whole[0] == 200
    check(whole[1])
    for nth in range(1, len(client.calls) + 1):
        for alone in (True, False):
            connection.forget()
            client.fail(
                PASSING[status],
                lambda call, n=nth, a=alone: call.number == n or (call.number > n and not a),
            )
            given, answer = api.call(method, f"/api/leaderboards/{counted}{route}", **sent)
            assert given in (200, status), answer
            if given == 200:
                check(answer)


def test_lists_and_first_ranks_do_without_counters(
    api: Any, counted: str, client: WatchedClient
) -> None:
    """The index alone answers them while no counter can be read; a deep rank has to wait."""
    connection = api.handlers[names.READ].connection
    counters = connection._settings.counters_table
    for route, query, status in (
        ("/top", {}, 200),
        ("/top", {"start_rank": "4"}, 200),
        ("/top", {"start_rank": "40"}, 429),
        ("/standing", {"rank": "1"}, 200),
        ("/standing", {"rank": "20"}, 200),
        ("/standing", {"rank": "21"}, 429),
        ("/players/p58/around", {"k": "2"}, 200),
        ("", {}, 200),
    ):
        connection.forget()
        client.fail(PASSING[429], lambda call: call.parameters.get("TableName") == counters)
        given, answer = api.call("GET", f"/api/leaderboards/{counted}{route}", query=query)
        assert given == status, (route, query)
        if route and status == 200:
            assert answer["population"] is None
