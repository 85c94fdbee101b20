"""What does one rank read consume, by population, depth and layout?

A question that the histogram article left open: its follow-up was specified and never run.
"""

from typing import TYPE_CHECKING, Any

from loadtests.notes import percentile
from loadtests.populations import LOGNORMAL
from loadtests.run import AWS, LOCAL, RIG, Run
from loadtests.suite import Found, Json, Table
from loadtests.suites.readings import Readings, Still
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

_SIZES = {
    "populations": [300, 3000],
    "levels": [1, 2, 3],
    "depths": [0.0, 0.1, 0.5, 0.9, 1.0],
    "reads": 20,
    "in_flight": 4,
    "warm_up": 50,
}


class Capacity(Readings):
    """Read units of a rank, as the answer's own explanation states them."""

    question = "What does one rank read consume, by population, depth and layout?"
    sizes = {
        RIG: _SIZES,
        LOCAL: _SIZES | {"populations": [100, 500], "reads": 5},
        AWS: _SIZES | {"populations": [1000, 10000, 50000], "reads": 100, "warm_up": 200},
    }

    def __init__(self, run: Run) -> None:
        """List nobody yet."""
        super().__init__(run)
        self._listed: dict[int, list[str]] = {}

    def stills(self) -> list[Still]:
        """A board for each layout and population."""
        return [
            Still(f"levels {levels}", {"layout": {"levels": levels}}, LOGNORMAL, count)
            for levels in self.size("levels")
            for count in self.size("populations")
        ]

    def kinds(self) -> list[tuple[int, Any]]:
        """Every depth of every board."""
        places = range(len(self.stills()))
        return [(place, depth) for place in places for depth in self.size("depths")]

    def chosen(self, kind: tuple[int, Any], number: int) -> str:
        """Somebody near that depth: the first 1 % from there on, or before the end."""
        place, depth = kind
        scores = self.scores_of(place)
        if place not in self._listed:
            self._listed[place] = sorted(scores, key=lambda one: -scores[one])
        ordered = self._listed[place]
        span = max(1, len(ordered) // 100)
        first = min(int(depth * len(ordered)), len(ordered) - span)
        return ordered[first + self.rng("chosen", number).randrange(span)]

    def note(self, api: "Caller", kind: tuple[int, Any], answer: Json) -> None:
        """Units, and whether the answer was exact."""
        name = self._name(kind)
        api.notes.sample(f"read units: {name}", answer["explain"]["read_units"])
        api.notes.counts[f"exact: {name}"] += answer["kind"] == "exact"

    def settle(self, client: Client, found: Found) -> None:
        """A row for each kind, and how units grow with the population."""
        del client
        columns = ["layout", "players", "depth", "reads", "p50", "p99", "exact"]
        table = Table("Read units of a rank", columns)
        for kind in self.kinds():
            name = self._name(kind)
            samples = found.notes.samples[f"read units: {name}"]
            reads = sum(samples.values())
            middle, high = percentile(samples, 0.5), percentile(samples, 0.99)
            found.measured[f"{name}: units p50"] = middle
            found.measured[f"{name}: units p99"] = high
            exact = found.notes.counts[f"exact: {name}"] / reads if reads else None
            one = self.stills()[kind[0]]
            table.rows.append([one.label, one.size, f"{kind[1]:.0%}", reads, middle, high, exact])
        found.tables.append(table)
        for levels in self.size("levels"):
            found.measured[f"levels {levels}: growth"] = self._growth(found, levels)

    def _growth(self, found: Found, levels: int) -> float | None:
        """Median units of the middle player of the largest board, to those of the smallest."""
        ends = (min(self.size("populations")), max(self.size("populations")))
        names = [f"levels {levels}, {count:,} players, 50% deep: units p50" for count in ends]
        small, large = (found.measured.get(name) for name in names)
        return None if not small or large is None else round(large / small, 3)

    def _name(self, kind: tuple[int, Any]) -> str:
        one = self.stills()[kind[0]]
        return f"{one.label}, {one.size:,} players, {kind[1]:.0%} deep"
