"""Holding the contention model against the two points that the histogram article measured.

One parameter is fitted, the hold: how long a transaction keeps its counter item, in round trips.
It is what makes 475 of 1,000 submits fail with 64 in flight. The point with 8 in flight, where
none failed, is fitted to nothing: it tells which rules are possible at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

from ops.studies.contention_model import Rules, simulate

SUBMITS: Final = 1_000
FITTED_AT: Final = 64
FITTED_FAILED: Final = 475
CHECKED_AT: Final = 8  # with none failed
PREDICTED_AT: Final = (16, 32, 128)
# Rules are ruled out if fewer than one run in twenty shows no failure with 8 in flight.
LEAST_WITHOUT_FAILURE: Final = 0.05
_SHORTEST, _LONGEST = 1e-4, 1.0
_HALVINGS: Final = 12  # the hold is then known to 0.3 %

GIVEN_UP: Final = "refused, given up"
RETRIED: Final = "refused, tried again"
WAITS: Final = "waits in line"

# The rules to fit, their hold still open.
CANDIDATES: Final = (
    Rules(0.0),
    *(
        Rules(0.0, attempts=attempts, back_off=back_off)
        for back_off in (0.05, 0.1, 0.2)
        for attempts in (2, 3, 4, 5, 6)
    ),
    *(Rules(0.0, patience=patience) for patience in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)),
)


@dataclass(frozen=True)
class Fit:
    """Rules with the hold that fits, and what they come to.

    Attributes:
        failed: submits of 1,000 that failed in each run, by how many were in flight.
    """

    rules: Rules
    failed: dict[int, list[int]]

    @property
    def way(self) -> str:
        """What happens to a transaction that finds the item held."""
        if self.rules.patience:
            return WAITS
        return RETRIED if self.rules.attempts > 1 else GIVEN_UP

    @property
    def without_failure(self) -> float:
        """The share of runs with 8 in flight in which no submit failed."""
        checked = self.failed[CHECKED_AT]
        return sum(not failed for failed in checked) / len(checked)

    @property
    def is_possible(self) -> bool:
        """Whether the article's run with 8 in flight could have come of it."""
        return self.without_failure >= LEAST_WITHOUT_FAILURE

    def mean(self, in_flight: int) -> float:
        """The mean of the runs."""
        return mean(self.failed[in_flight])


def fit(rules: Rules, runs: int, seed: int) -> Fit:
    """Finds the hold, by halving, and runs the fitted model on seeds of its own."""
    shortest, longest = _SHORTEST, _LONGEST
    for _ in range(_HALVINGS):
        middle = sqrt(shortest * longest)
        tried = replace(rules, hold=middle)
        if mean(failures(tried, FITTED_AT, runs, f"{seed}/fit")) < FITTED_FAILED:
            shortest = middle
        else:
            longest = middle
    fitted = replace(rules, hold=sqrt(shortest * longest))
    points = sorted((CHECKED_AT, FITTED_AT, *PREDICTED_AT))
    # How often a run shows no failure needs more runs than a mean does.
    many = {CHECKED_AT: 5 * runs}
    return Fit(
        fitted,
        {n: failures(fitted, n, many.get(n, runs), f"{seed}/check") for n in points},
    )


def failures(
    rules: Rules, in_flight: int, runs: int, seed: str, items: int | None = 1
) -> list[int]:
    """How many of 1,000 submits fail, run by run."""
    return [
        simulate(
            rules, in_flight=in_flight, items=items, submits=SUBMITS, seed=f"{seed}/{run}"
        ).failed
        for run in range(runs)
    ]


def mean(values: Sequence[float]) -> float:
    """The mean of some values."""
    return sum(values) / len(values)


def likeliest(fits: Sequence[Fit], way: str) -> Fit:
    """Of one way, the rules whose runs with 8 in flight fail least."""
    return min((one for one in fits if one.way == way), key=lambda one: one.mean(CHECKED_AT))


def least_patient(fits: Sequence[Fit]) -> Fit:
    """Of the rules that wait, the possible ones that wait least; the most patient if none is."""
    waiting = [one for one in fits if one.way == WAITS]
    return next((one for one in waiting if one.is_possible), waiting[-1])
