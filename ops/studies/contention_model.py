"""A model of submits that update a shared counter item in their transaction.

So many submits are in flight, each the next of a fixed number once one has ended. A submit takes a
round trip (API, function, the way to DynamoDB and back), in the middle of which its transaction
reaches one counter item, one of `items` at random. The item is held from then until the
transaction is done. Another one that comes meanwhile waits in line if it is allowed to, and is
refused if it would wait longer than that (DynamoDB itself refuses at once). What is refused is
tried again after a back-off, as often as it may be, or fails.

All times are in round trips. They are drawn from a gamma distribution, so that nothing runs in
step; back-offs are uniform from 0 up to a limit that doubles.
"""

import heapq
import random
from dataclasses import dataclass
from typing import Final, NamedTuple

SHAPE: Final = 4.0  # of the gamma: a standard deviation of half the mean


@dataclass(frozen=True)
class Rules:
    """What happens at a counter item.

    Attributes:
        hold: how long a transaction holds it, on average.
        patience: how long one may wait for it, in holds; 0 is DynamoDB's documented way.
        attempts: how often a submit tries before it fails.
        back_off: the limit of the first back-off; the next one is twice as long.
        call: how long a refused call takes, on average, besides the back-off.
    """

    hold: float
    patience: float = 0.0
    attempts: int = 1
    back_off: float = 0.1
    call: float = 0.1


class Outcome(NamedTuple):
    """What became of the submits.

    Attributes:
        failed: how many failed.
        attempts: how many transactions were tried.
        round_trips: how long all took, in round trips.
    """

    failed: int
    attempts: int
    round_trips: float


class _Attempt(NamedTuple):
    at: float
    submit: int
    item: int
    number: int


def simulate(
    rules: Rules, *, in_flight: int, items: int | None, submits: int, seed: str
) -> Outcome:
    """Runs the model; the same arguments give the same outcome.

    Args:
        items: counter items that a submit may fall on; None for none shared, where each submit
            writes an item of its own.
    """
    rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
    free: dict[int, float] = {}
    failed = attempts = sent = 0
    last = 0.0
    coming: list[_Attempt] = []

    def send(now: float) -> None:
        nonlocal sent
        if sent < submits:
            item = sent if items is None else rng.randrange(items)
            heapq.heappush(coming, _Attempt(now + _drawn(rng, 1.0), sent, item, 1))
            sent += 1

    for _ in range(in_flight):
        send(0.0)
    while coming:
        one = heapq.heappop(coming)
        attempts += 1
        start = max(one.at, free.get(one.item, 0.0))
        ended = one.at
        if start - one.at <= rules.patience * rules.hold:
            ended = free[one.item] = start + _drawn(rng, rules.hold)
        elif one.number < rules.attempts:
            wait = _drawn(rng, rules.call) + rng.uniform(0, rules.back_off * 2 ** (one.number - 1))
            again = _Attempt(one.at + wait, one.submit, one.item, one.number + 1)
            heapq.heappush(coming, again)
            continue
        else:
            failed += 1
        last = max(last, ended)
        send(ended)
    return Outcome(failed, attempts, last)


def _drawn(rng: random.Random, mean: float) -> float:
    return rng.gammavariate(SHAPE, mean / SHAPE)
