"""Players for the benchmarks: seeded scores over known distributions, ids of 36 bytes."""

import random
import uuid
from collections.abc import Callable, Iterator
from typing import Final

from lambdas.domain.boards import DEFAULT_RANGE
from lambdas.domain.entries import Entry

SEED: Final = 20261130
_STARTED_MS: Final = 1_764_460_800_000  # 30 November 2025, 00:00 UTC

Draw = Callable[[random.Random], float]

DISTRIBUTIONS: Final[dict[str, Draw]] = {
    "lognormal(8,1)": lambda rng: rng.lognormvariate(8, 1),
    "Elo N(1500,300)": lambda rng: rng.gauss(1500, 300),
}


def players(distribution: str, count: int, seed: int = SEED) -> Iterator[Entry]:
    """The same players for the same arguments; scores are whole and inside the default range."""
    rng = random.Random(f"{distribution}/{count}/{seed}")  # noqa: S311 - a sample, not a secret
    draw = DISTRIBUTIONS[distribution]
    for number in range(count):
        score = min(max(int(draw(rng)), DEFAULT_RANGE.low), DEFAULT_RANGE.high)
        player = str(uuid.UUID(int=rng.getrandbits(128)))
        yield Entry(player, score, _STARTED_MS + number)
