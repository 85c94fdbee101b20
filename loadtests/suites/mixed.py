"""How many requests a second does one board bear, a hundred reads to a write?

Steps up until an objective of a step breaks (`mixed-step` in the objectives), or the steps end.
"""

from typing import TYPE_CHECKING, Final

from loadtests import objectives
from loadtests.phases import Outcome, Phase
from loadtests.run import AWS, LOCAL, RIG
from loadtests.stats import measured_by_request
from loadtests.suite import Found, Table
from loadtests.suites.crowd import Crowd
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

STEP: Final = "mixed-step"


class Mixed(Crowd):
    """Reads of every kind and some writes, at rising rates."""

    question = "At how many requests a second, a hundred reads to a write, does an objective break?"
    sizes = {
        RIG: {
            "population": 2000,
            "movers": 20,
            "reads_to_one_write": 100,
            "steps": [10, 20, 40, 80, 160],
            "step_seconds": 20,
            "warm_up_seconds": 5,
            "in_flight": 64,
        },
        LOCAL: {
            "population": 500,
            "movers": 10,
            "reads_to_one_write": 100,
            "steps": [5, 10, 20, 40],
            "step_seconds": 20,
            "warm_up_seconds": 10,
            "in_flight": 24,
        },
        AWS: {
            "population": 20000,
            "movers": 200,
            "reads_to_one_write": 100,
            "steps": [50, 100, 200, 400, 800],
            "step_seconds": 120,
            "warm_up_seconds": 60,
            "in_flight": 256,
        },
    }

    def phases(self) -> list[Phase]:
        """A warm-up at the first step's rate, then the steps; only the first has to be reached."""
        rates, in_flight = self.size("steps"), self.size("in_flight")
        steps = [
            Phase(
                label=f"{rate} a second",
                seconds=self.size("step_seconds"),
                in_flight=in_flight,
                rate=rate,
                must_reach=number == 0,
            )
            for number, rate in enumerate(rates)
        ]
        warm_up = Phase(
            label="warm-up",
            seconds=self.size("warm_up_seconds"),
            in_flight=in_flight,
            rate=rates[0],
            measured=False,
        )
        return [warm_up, *steps]

    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """A read or a write."""
        self.act_as_one_of_them(api, phase.label, number)

    def after(self, client: Client, outcome: Outcome, found: Found) -> bool:
        """Go on while steps hold."""
        del client
        if not outcome.phase.measured:
            return True
        label = outcome.phase.label
        stats = [one for one in found.stats() if one.name.partition(":")[0] == label]
        measured = measured_by_request(stats)
        failures = sum(one.failures for one in stats)
        requests = sum(one.requests for one in stats)
        measured["failure share"] = failures / requests if requests else None
        lines = objectives.judge(objectives.read(STEP, self.run.where), measured, reached=True)
        broken = [one for one in lines if one.verdict != "met"]
        holds = outcome.reached and not broken
        found.measured.setdefault("held a second", 0)
        if holds:
            found.measured["held a second"] = outcome.phase.rate
        why = outcome.why_not or ", ".join(f"{one.measure} {one.measured}" for one in broken)
        self._table(found).rows.append([label, outcome.achieved, requests, failures, why or "held"])
        if why:
            found.words.append(f"The step of {label} broke: {why}")
        return holds

    def settle(self, client: Client, found: Found) -> None:
        """Counters and ranks at the end."""
        self.look_at_the_end(client, found)

    def _table(self, found: Found) -> Table:
        if not found.tables:
            columns = ["step", "achieved", "requests", "failures", "broken by"]
            found.tables.append(Table("Steps", columns))
        return found.tables[0]
