"""Players for the benchmarks: seeded scores over known distributions, ids of 36 bytes."""

import random
import uuid
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from lambdas.domain.boards import DEFAULT_RANGE, BoardConfig, Order
from lambdas.domain.entries import Entry

SEED: Final = 20261130
_STARTED_MS: Final = 1_764_460_800_000  # 30 November 2025, 00:00 UTC


class Distribution(NamedTuple):
    """How scores spread, and how a board of them ranks.

    Every one of them lies in the default score range, which its board keeps.
    """

    draw: Callable[[random.Random], float]
    order: Order = "desc"


DISTRIBUTIONS: Final = {
    "lognormal(8,1)": Distribution(lambda rng: rng.lognormvariate(8, 1)),
    "Elo N(1500,300)": Distribution(lambda rng: rng.gauss(1500, 300)),
    "uniform 0-9999": Distribution(lambda rng: rng.randint(0, 9_999)),
    "lap times N(92000,6000)": Distribution(lambda rng: rng.gauss(92_000, 6_000), "asc"),
}


def config_of(distribution: str) -> BoardConfig:
    """The config of a board of such scores: all defaults but the order."""
    return BoardConfig(order=DISTRIBUTIONS[distribution].order)


def players(distribution: str, count: int, seed: int = SEED) -> Iterator[Entry]:
    """The same players for the same arguments; scores are whole and inside the default range."""
    rng = random.Random(f"{distribution}/{count}/{seed}")  # noqa: S311 - a sample, not a secret
    draw = DISTRIBUTIONS[distribution].draw
    for number in range(count):
        score = min(max(int(draw(rng)), DEFAULT_RANGE.low), DEFAULT_RANGE.high)
        player = str(uuid.UUID(int=rng.getrandbits(128)))
        yield Entry(player, score, _STARTED_MS + number)
