"""How wide is a range, where a range is all that the counters know?

The article's decision record asks for the median and p99 over several distributions before any
display policy; it had one number from one fixture. Nothing is counted here beyond the first rank,
so that boards of a run's size show what counters alone say at any size.
"""

from typing import TYPE_CHECKING, Any

from loadtests.notes import percentile
from loadtests.populations import POPULATIONS
from loadtests.run import AWS, LOCAL, RIG
from loadtests.suite import Found, Json, Table
from loadtests.suites.readings import Readings, Still
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

_SIZES = {
    "population": 1000,
    "levels": [1, 2],
    "distributions": list(POPULATIONS),
    "reads": 100,
    "in_flight": 8,
    "warm_up": 50,
}


class Width(Readings):
    """The width of rank ranges, as a share of the board."""

    question = "How wide are rank ranges, median and p99, over distributions and real data?"
    sizes = {
        RIG: _SIZES,
        LOCAL: _SIZES | {"population": 200, "reads": 10},
        AWS: _SIZES | {"population": 5000, "reads": 500, "in_flight": 16, "warm_up": 200},
    }

    def stills(self) -> list[Still]:
        """A board for each distribution and layout, that counts as little as it may."""
        return [
            Still(
                f"{name}, levels {levels}",
                {
                    "order": POPULATIONS[name].order,
                    "top_exact": 1,
                    "exact_limit": 1,
                    "count_limit": 1,
                    "layout": {"levels": levels},
                },
                name,
                self.size("population"),
            )
            for name in self.size("distributions")
            for levels in self.size("levels")
        ]

    def kinds(self) -> list[tuple[int, Any]]:
        """One a board."""
        return [(place, None) for place in range(len(self.stills()))]

    def chosen(self, kind: tuple[int, Any], number: int) -> str:
        """Anybody."""
        return self.rng("chosen", number).choice(list(self.scores_of(kind[0])))

    def note(self, api: "Caller", kind: tuple[int, Any], answer: Json) -> None:
        """The share of the board that the range takes, a single rank included."""
        first, last = answer["rank_range"]
        share = (last - first + 1) / answer["population"]
        label = self.stills()[kind[0]].label
        api.notes.sample(f"width: {label}", share)
        api.notes.counts[f"exact: {label}"] += answer["kind"] == "exact"

    def settle(self, client: Client, found: Found) -> None:
        """A row a board."""
        del client
        table = Table(
            "Width of rank ranges, % of the board", ["board", "reads", "p50", "p99", "exact"]
        )
        for one in self.stills():
            samples = found.notes.samples[f"width: {one.label}"]
            reads = sum(samples.values())
            middle, high = percentile(samples, 0.5), percentile(samples, 0.99)
            found.measured[f"{one.label}: width p50"] = middle
            found.measured[f"{one.label}: width p99"] = high
            exact = found.notes.counts[f"exact: {one.label}"] / reads if reads else None
            percents = [None if value is None else 100 * value for value in (middle, high)]
            table.rows.append([one.label, reads, *percents, exact])
        found.tables.append(table)
