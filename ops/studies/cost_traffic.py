"""Shapes of traffic: what is submitted, by whom, and what the real submit makes of it."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from lambdas.domain.boards import DEFAULT_RANGE, Board
from lambdas.domain.entries import Entry
from lambdas.domain.submissions import Submission, accept
from lambdas.domain.windows import ALL_TIME
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from lambdas.store.scores import Scores
from ops.bench.fixtures import TABLES
from ops.studies.cost_boards import STARTED_MS, Crowd

NEW: Final = "new players"
NEW_WIDE: Final = "new players, scores spread wide"
NEW_ALIKE: Final = "new players, all with one score"
BETTER: Final = "players who improve"
MIX: Final = "a game's mix"
KEPT: Final = "worse results and repeats"
REFUSED_UNITS: Final = 1  # by AWS's rule: the engine's refusal does not say what it consumed
_LATER_MS: Final = STARTED_MS + 10**9
_THREADS: Final = 4


class Submit(NamedTuple):
    """A submission, and what its player holds before it."""

    entry: Entry
    standing: Entry | None


class Move(NamedTuple):
    """The scores a record in the stream goes from and to."""

    before: int | None
    after: int


class Played(NamedTuple):
    """What submits did.

    Attributes:
        moves: for each submit its stream record; None for one that wrote nothing.
        item_units: write units of the score items a submit, `REFUSED_UNITS` for a refused one.
        index_units: write units of the rank index a submit.
    """

    moves: Sequence[Move | None]
    item_units: float
    index_units: float


def new_players(crowd: Crowd, rng: Random, submits: int) -> Iterator[Submit]:
    """Players who are not on the board, with scores that spread as its own do."""
    for _ in range(submits):
        yield _new(rng, crowd.entry(rng.randrange(crowd.players)).score)


def alike(crowd: Crowd, rng: Random, submits: int) -> Iterator[Submit]:
    """New players who all hold the score of the board's middle player: one hot cell."""
    score = crowd.entry(crowd.players // 2).score
    return (_new(rng, score) for _ in range(submits))


def improving(crowd: Crowd, rng: Random, submits: int) -> Iterator[Submit]:
    """Players of the board who beat their score by a tenth on average."""
    for at in rng.sample(range(crowd.players), submits):
        yield _better(rng, crowd.entry(at))


def kept(crowd: Crowd, rng: Random, submits: int) -> Iterator[Submit]:
    """Players of the board who fall short of their score, and every other time repeat a submit."""
    for number, at in enumerate(rng.sample(range(crowd.players), submits)):
        yield _kept(crowd.entry(at), is_repeat=number % 2 == 1)


def mix(crowd: Crowd, rng: Random, submits: int) -> Iterator[Submit]:
    """Of ten submits one is of a new player, three improve, five fall short, one is a repeat."""
    for number, at in enumerate(rng.sample(range(crowd.players), submits)):
        standing, kind = crowd.entry(at), number % 10
        if kind == 0:
            yield _new(rng, standing.score)
        elif kind <= 3:
            yield _better(rng, standing)
        else:
            yield _kept(standing, is_repeat=kind == 9)


SHAPES: Final[dict[str, Callable[[Crowd, Random, int], Iterator[Submit]]]] = {
    NEW: new_players,
    NEW_WIDE: new_players,  # of another crowd
    NEW_ALIKE: alike,
    BETTER: improving,
    MIX: mix,
    KEPT: kept,
}


def play(client: DynamoDBClient, board: Board, submits: Sequence[Submit]) -> Played:
    """Sends submits through the real store; the engine counts, and tells what was written."""
    with ThreadPoolExecutor(_THREADS) as pool:
        standing = (one.standing for one in submits if one.standing)
        list(pool.map(lambda entry: _submit(client, board, entry), standing))
        meters = list(pool.map(lambda one: _submit(client, board, one.entry), submits))
    written = [meter.write_units > 0 for meter in meters]
    refused = written.count(False)
    units = sum(meter.write_units for meter in meters) + refused * REFUSED_UNITS
    moves = [_move(one) if wrote else None for one, wrote in zip(submits, written, strict=True)]
    in_index = sum(meter.index_write_units for meter in meters)
    return Played(moves, units / len(submits), in_index / len(submits))


def _submit(client: DynamoDBClient, board: Board, entry: Entry) -> Meter:
    meter = Meter()
    submission = Submission(entry.player, entry.score, achieved_at=entry.achieved_at)
    accepted = accept(board, submission, entry.achieved_at)
    scores = Scores(Dynamo(client, meter), TABLES.scores)
    scores.submit(board, ALL_TIME, accepted, entry.achieved_at, hidden=False)
    return meter


def _move(submit: Submit) -> Move:
    return Move(submit.standing.score if submit.standing else None, submit.entry.score)


def _new(rng: Random, score: int) -> Submit:
    return Submit(Entry(str(uuid.UUID(int=rng.getrandbits(128))), score, _LATER_MS), None)


def _better(rng: Random, standing: Entry) -> Submit:
    more = 1 + int(standing.score * rng.expovariate(10))
    score = min(standing.score + more, DEFAULT_RANGE.high)
    return Submit(replace(standing, score=score, achieved_at=_LATER_MS), standing)


def _kept(standing: Entry, *, is_repeat: bool) -> Submit:
    if is_repeat:
        return Submit(standing, standing)
    return Submit(replace(standing, score=standing.score // 2, achieved_at=_LATER_MS), standing)
