"""A client generated from the document serves a caller who knows nothing else of the API."""

import re
from pathlib import Path

import pytest

from ops.client import Client
from ops.processes import wait_until
from tests.contract.generated import Generated, generate
from tests.functional import contract

SCORES = {f"player {number:02d}": 1_000 - number for number in range(25)}
BOARD = "generated"


@pytest.fixture(scope="module")
def filled(generated: Generated) -> Generated:
    """A client of a board that holds `SCORES`, all counted."""
    models = generated.models
    body = models.ConfigBody(layout=models.LayoutBody(levels=3), score_range=[0, 9_999])
    made = generated.call("put_board", BOARD, body=body)
    assert (made.board, made.score_range, made.layout.levels) == (BOARD, [0, 9_999], 3)
    entries = [models.SubmissionBody(player_id=p, score=s) for p, s in SCORES.items()]
    batch = generated.call("post_batch", BOARD, body=models.BatchBody(scores=entries))
    assert [(one.player_id, one.score, one.outcome.value, one.status) for one in batch.results] == [
        (player, score, "new", 200) for player, score in SCORES.items()
    ]
    assert wait_until(
        lambda: generated.call("get_distribution", BOARD).population == len(SCORES), seconds=20
    )
    return generated


def test_nothing_is_dropped(generated: Generated, tmp_path: Path) -> None:
    """The generator warns of nothing and makes every operation of the document."""
    assert "warning" not in generate(tmp_path).lower()
    ids = {
        re.sub("([A-Z])", r"_\1", one["operationId"]).lower()
        for path in contract.document()["paths"].values()
        for one in path.values()
    }
    assert generated.operations == ids


def test_submitting(filled: Generated) -> None:
    """A submit's answer tells outcome, rank and the window; a bad one is a typed problem."""
    models = filled.models
    body = models.SubmissionBody(player_id="new one", score=5_000, metadata=None)
    answer = filled.call("post_score", "generated-submits", body=body)
    assert (answer.code, answer.status) == ("board_not_found", 404)
    filled.call("put_board", "generated-submits", body=models.ConfigBody())
    answer = filled.call("post_score", "generated-submits", body=body)
    assert (answer.player_id, answer.outcome.value, answer.rank) == ("new one", "new", 1)
    assert answer.windows["all"].rank_range == [1, 1]
    assert answer.windows["all"].kind.value == "exact"
    skipped = filled.call("post_score", "generated-submits", body=body, rank=False)
    assert (skipped.rank, type(skipped.windows["all"]).__name__) == (None, "WindowAnswer")
    wrong = models.SubmissionBody(player_id="a/b", score=-1)
    batch = filled.call("post_batch", "generated-submits", body=models.BatchBody(scores=[wrong]))
    assert [(type(one).__name__, one.code) for one in batch.results] == [
        ("Problem", "invalid_player_id")
    ]
    problem = filled.call(
        "post_score", "generated-submits", body=models.SubmissionBody(player_id="p", score=-1)
    )
    assert [error.field for error in problem.errors] == ["score"]


def test_ranks(filled: Generated) -> None:
    """Ranks of players and of scores come back exact, with their ranges and percentiles."""
    rank = filled.call("get_rank", BOARD, "player 04", explain=True, consistent=True)
    assert (rank.kind.value, rank.rank, rank.rank_range, rank.score) == ("exact", 5, [5, 5], 996)
    assert rank.population == len(SCORES)
    low, high = rank.percentile_range
    assert low <= 20 <= high
    assert rank.explain.read_units > 0
    unranked = filled.call("get_rank", BOARD, "nobody")
    assert (unranked.kind.value, unranked.rank, unranked.rank_range) == ("unranked", None, None)
    ranks = filled.call("post_ranks", BOARD, body=filled.models.RanksBody(scores=[9_999, 996, 0]))
    assert [(one.score, one.rank) for one in ranks.ranks] == [(9_999, 1), (996, 6), (0, 26)]


def test_the_list_to_its_end(filled: Generated) -> None:
    """Page by page with the cursor each player comes once, in order, and then it says so."""
    listed, cursor, pages = [], None, 0
    while pages == 0 or cursor is not None:
        page = filled.call("get_top", BOARD, limit=10, cursor=cursor)
        listed += [(entry.rank, entry.player_id, entry.score) for entry in page.entries]
        cursor, pages = page.next_cursor, pages + 1
    assert pages == 3
    assert listed == [(n, p, s) for n, (p, s) in enumerate(SCORES.items(), start=1)]
    started = filled.call("get_top", BOARD, limit=1, start_rank=7)
    assert [entry.player_id for entry in started.entries] == ["player 06"]
    garbled = filled.call("get_top", BOARD, cursor="garbled")
    assert (garbled.status, garbled.code) == (400, "invalid_cursor")


def test_neighbours_and_friends(filled: Generated) -> None:
    """The entries around a player, and players among themselves."""
    around = filled.call("get_around", BOARD, "player 10", k=2)
    assert [(entry.offset, entry.player_id) for entry in around.entries] == [
        (offset, f"player {10 + offset:02d}") for offset in range(-2, 3)
    ]
    body = filled.models.FriendsBody(player_id="player 20", friend_ids=["player 03", "nobody"])
    friends = filled.call("post_friends", BOARD, body=body)
    assert [(entry.rank, entry.player_id) for entry in friends.entries] == [
        (1, "player 03"),
        (2, "player 20"),
    ]
    assert friends.unranked == ["nobody"]


def test_the_board_as_a_whole(filled: Generated, client: Client) -> None:
    """Standing, distribution and the board itself, as players and as its owner see it."""
    standing = filled.call("get_standing", BOARD, rank=3)
    assert (standing.kind.value, standing.score, standing.player_id) == ("exact", 998, "player 02")
    share = filled.call("get_standing", BOARD, percentile=20.0)
    assert (share.rank, share.score) == (5, 996)
    distribution = filled.call("get_distribution", BOARD)
    assert sum(bucket.count for bucket in distribution.buckets) == len(SCORES)
    assert [one.percentile for one in distribution.quantiles] == [1, 5, 25, 50, 75, 95, 99]
    info = filled.call("get_board_info", BOARD)
    assert [(one.window, one.population) for one in info.windows] == [("all", len(SCORES))]
    assert info.score_range == [0, 9_999]
    assert filled.call("get_board", BOARD).to_dict() == client.board(BOARD)
    boards = filled.call("list_boards").boards
    assert BOARD in {board.board for board in boards}
