"""Does anything drift, leak or slow down over an hour?"""

from typing import TYPE_CHECKING

from loadtests.phases import Phase
from loadtests.run import AWS, LOCAL, RIG
from loadtests.suite import Found
from loadtests.suites.crowd import Crowd
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

_SIZES = {
    "population": 1000,
    "movers": 200,
    "reads_to_one_write": 4,
    "rate": 15,
    "seconds": 600,
    "warm_up_seconds": 10,
    "in_flight": 32,
}


class Soak(Crowd):
    """Reads and many writes at one rate for long; the drift at the end must be zero."""

    question = "Do counters still equal the truth after a long run, and is it as fast as it began?"
    sizes = {
        RIG: _SIZES,
        LOCAL: _SIZES | {"population": 300, "movers": 50, "rate": 5, "in_flight": 16},
        AWS: _SIZES
        | {
            "population": 20000,
            "movers": 2000,
            "rate": 50,
            "seconds": 3600,
            "warm_up_seconds": 60,
            "in_flight": 64,
        },
    }

    def phases(self) -> list[Phase]:
        """A warm-up, then two halves, so that they can be compared."""
        rate, in_flight = self.size("rate"), self.size("in_flight")
        half = self.size("seconds") / 2
        warm_up = self.size("warm_up_seconds")
        return [
            Phase(label="warm-up", seconds=warm_up, in_flight=in_flight, rate=rate, measured=False),
            Phase(label="first half", seconds=half, in_flight=in_flight, rate=rate),
            Phase(label="second half", seconds=half, in_flight=in_flight, rate=rate),
        ]

    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """A read or a write."""
        self.act_as_one_of_them(api, phase.label, number)

    def settle(self, client: Client, found: Found) -> None:
        """Zero drift, and no request that failed."""
        self.look_at_the_end(client, found)
        stats = found.stats()
        requests = sum(one.requests for one in stats)
        failures = sum(one.failures for one in stats)
        found.measured["failure share"] = failures / requests if requests else None
