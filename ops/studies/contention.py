"""Where counters in a submit's transaction break, how far counter shards help, and what does not.

The histogram article's counters are attributes of one item that every submit's transaction
updates; its authors measured two points. This fits a model to them (`contention_fit.py`), predicts
the points between, spreads the counters over more items, and runs the streamed design beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Final

from ops.studies import contention_page
from ops.studies.contention_fit import (
    CANDIDATES,
    CHECKED_AT,
    FITTED_AT,
    FITTED_FAILED,
    RETRIED,
    SUBMITS,
    Fit,
    fit,
    least_patient,
    likeliest,
    mean,
)
from ops.studies.contention_model import Rules, simulate
from ops.studies.study import Findings, Step

RUNS: Final = 20
IN_FLIGHT: Final = (1, 2, 4, 8, 16, 32, 64, 128)
COUNTER_SHARDS: Final = (1, 2, 4, 8, 16, 32, 64)
STREAMED: Final = "streamed"


@dataclass(frozen=True)
class Contention:
    """The study of contention.

    Attributes:
        runs: how many runs of 1,000 submits each figure is the mean of.
        candidates: the rules that are fitted, of every way at least one.
    """

    runs: int = RUNS
    candidates: Sequence[Rules] = CANDIDATES
    name: ClassVar = "contention"
    title: ClassVar = "Counters in a transaction, and in the stream"
    lead: ClassVar = contention_page.LEAD
    limits: ClassVar = contention_page.LIMITS

    @property
    def steps(self) -> int:
        """One for each candidate, and one for each number of counter shards of each way."""
        return len(self.candidates) + 3 * len(COUNTER_SHARDS) + 1

    def run(self, seed: int, step: Step) -> Findings:
        """Fits the model and runs it; some minutes with twenty runs."""
        fits = []
        for rules in self.candidates:
            step(_words(rules))
            fits.append(fit(rules, self.runs, seed))
        spread = list(self._spread(fits, seed, step))
        results = {
            "measured": {str(CHECKED_AT): 0, str(FITTED_AT): FITTED_FAILED, "of": SUBMITS},
            "fits": [_row(one) for one in fits],
            "counter_shards": spread,
        }
        return Findings(results, contention_page.sections(fits, spread))

    def _spread(self, fits: list[Fit], seed: int, step: Step) -> Iterator[dict[str, Any]]:
        retried = likeliest(fits, RETRIED).rules
        ways = {
            contention_page.ONCE: replace(retried, attempts=1),
            contention_page.AGAIN: retried,
            contention_page.LINE: least_patient(fits).rules,
        }
        for way, rules in ways.items():
            for shards in COUNTER_SHARDS:
                step(f"{way}, {shards} counter shards")
                yield from self._by_load(rules, shards, seed, {"way": way})
        step(STREAMED)
        # No transaction: a conditional write of the player's own item, which nothing refuses.
        yield from self._by_load(ways[contention_page.ONCE], None, seed, {"way": STREAMED})

    def _by_load(
        self, rules: Rules, items: int | None, seed: int, named: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        for in_flight in IN_FLIGHT:
            outcomes = [
                simulate(
                    rules,
                    in_flight=in_flight,
                    items=items,
                    submits=SUBMITS,
                    seed=f"{seed}/{items}/{in_flight}/{run}",
                )
                for run in range(self.runs)
            ]
            yield named | {
                "counter_shards": items,
                "in_flight": in_flight,
                "failed_percent": round(100 * mean([one.failed for one in outcomes]) / SUBMITS, 3),
                "attempts_a_submit": round(mean([one.attempts for one in outcomes]) / SUBMITS, 3),
                "stored_a_round_trip": round(
                    mean([(SUBMITS - one.failed) / one.round_trips for one in outcomes]), 2
                ),
            }


def _row(one: Fit) -> dict[str, Any]:
    return {
        "way": one.way,
        **asdict(one.rules),
        "without_failure_at_8": one.without_failure,
        "is_possible": one.is_possible,
        "residual_at_64": round(one.mean(FITTED_AT) - FITTED_FAILED, 2),
        "failed_of_1000": {str(n): failed for n, failed in one.failed.items()},
    }


def _words(rules: Rules) -> str:
    if rules.patience:
        return f"fitting: waits for {rules.patience:g} holds"
    return f"fitting: {rules.attempts} attempts, back-off {rules.back_off:g}"
