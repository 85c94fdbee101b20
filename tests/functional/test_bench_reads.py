"""What the benchmarks of the read side compare: samples of our reads, and the article's way."""

from dataclasses import replace

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.cells import CODE_LENGTH
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.bench import fixtures, populations, questions
from ops.bench.article_way import CAP, ArticleWay
from ops.bench.fixtures import Fixture
from ops.bench.sampling import Question, Reading, sample

PLAYERS = CAP + 300


@pytest.fixture(scope="module")
def loaded(dynamodb_client: DynamoDBClient) -> Fixture:
    """A board of somewhat more players than the article's way counts."""
    fixtures.create_tables(dynamodb_client)
    board = fixtures.make_board("bench-reads", levels=3)
    players = populations.players("lognormal(8,1)", PLAYERS)
    return fixtures.load(dynamodb_client, board, players)


@pytest.fixture(scope="module")
def samples(dynamodb_client: DynamoDBClient, loaded: Fixture) -> dict[str, list[Reading]]:
    """Some readings of every question, by what they were."""
    found: dict[str, list[Reading]] = {}
    for question in questions.QUESTIONS:
        for reading in sample(dynamodb_client, loaded, replace(question, samples=5)):
            found.setdefault(reading.read, []).append(reading)
    return found


def test_a_sample_starts_with_the_root_and_nothing_else(
    samples: dict[str, list[Reading]],
) -> None:
    """The first page reads no node, and no reading profits from the one before it."""
    assert [one.requests for one in samples[questions.TOP]] == [1] * 5
    assert {one.requests for one in samples[questions.FRIENDS]} == {2}
    assert {one.units for one in samples[questions.FRIENDS]} == {75.5}
    assert all(one.units >= 0.5 for one in samples[questions.RANK])


def test_the_same_sample_is_drawn_each_time(
    dynamodb_client: DynamoDBClient, loaded: Fixture
) -> None:
    """Whoever runs it."""
    asked = [
        sample(dynamodb_client, loaded, Question(questions.QUESTIONS[0].ask, samples=5))
        for _ in range(2)
    ]
    assert asked[0] == asked[1]


def test_the_articles_way_is_exact_below_its_cap_and_holds_the_rank_past_it(
    dynamodb_client: DynamoDBClient, loaded: Fixture
) -> None:
    """Against the sort; past the cap the answer is the player's whole bucket."""
    board = loaded.board
    way = ArticleWay(Dynamo(dynamodb_client, Meter()), board)
    way.store_histogram(loaded)
    ranked = sorted(loaded.entries, key=lambda entry: keys.entry_key(board.order, entry))
    for rank in (1, 2, 1_000, CAP):
        assert way.rank(ranked[rank - 1].player) == {"kind": "exact", "rank": rank}
    cells = board.cells(board.written_layout)
    buckets = [cells.path(entry.score)[:CODE_LENGTH] for entry in ranked]
    for rank in (CAP + 1, PLAYERS):
        own = buckets[rank - 1]
        first = buckets.index(own) + 1
        answer = way.rank(ranked[rank - 1].player)
        assert answer["kind"] == "estimated"
        assert answer["rank_range"] == (first, first + buckets.count(own) - 1)
    assert way.rank("nobody") == {"kind": "unranked"}
