"""What ranks and submits cost: units counted by the real code on DynamoDB Local, then priced.

Everything is about one large board of forty million players, laid down where it is looked at
(`cost_boards.py`). Around one base, levels 2, 4 stream shards, 4 counter shards and 100 new players
a second, one or two things are varied at a time: a full grid would take hours and say no more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ops.bench import fixtures
from ops.rig.engine import DynamoDBLocal
from ops.studies import cost_exact, cost_page, cost_reads, cost_writes
from ops.studies.cost_boards import Crowd
from ops.studies.populations import synthetic
from ops.studies.study import Findings, Step

POPULATIONS: Final = (10_000, 100_000, 1_000_000, 10_000_000, 40_000_000)
CROWDED: Final = "lognormal(8,1)"  # many players a score
SPREAD: Final = "wide lognormal(12,3)"  # few
DISTRIBUTIONS: Final = ("uniform 0-9999", CROWDED, SPREAD)
TIES: Final = (1, 10, 30, 40, 50, 60, 100, 1_000)  # players a score

Rows = Iterator[dict[str, Any]]
Crowds = dict[tuple[str, int], Crowd]


@dataclass(frozen=True)
class Cost:
    """The study of cost.

    Attributes:
        submits: the most submits behind a figure.
        samples: ranks behind a figure.
        populations: of the boards, the least first; the last is the large one.
    """

    submits: int = cost_writes.MOST_SUBMITS
    samples: int = 40
    populations: tuple[int, ...] = POPULATIONS
    name: ClassVar = "cost"
    title: ClassVar = "What ranks and submits cost"
    lead: ClassVar = cost_page.LEAD
    limits: ClassVar = cost_page.LIMITS

    @property
    def steps(self) -> int:
        """One a population, a number of ties, a board to read and a kind of traffic."""
        exact = len(self.populations) * len(DISTRIBUTIONS) + len(self._tied) * len(TIES)
        return exact + len(self._read) + cost_writes.STEPS

    @property
    def _tied(self) -> tuple[int, ...]:
        return self.populations[len(self.populations) // 2], self.populations[-1]

    @property
    def _read(self) -> list[tuple[str, int]]:
        """The boards to read: both kinds of the large one, and smaller ones of few ties."""
        smaller = [(SPREAD, players) for players in self.populations[:-1:2]]
        return [(CROWDED, self.populations[-1]), (SPREAD, self.populations[-1]), *smaller]

    def run(self, seed: int, step: Step) -> Findings:
        """Computes what is exact, then counts on an engine of its own; some minutes.

        Raises:
            EngineUnavailableError: DynamoDB Local cannot be had or does not start.
        """
        crowds: Crowds = {}
        with DynamoDBLocal() as engine:  # first, for without it the rest is for nothing
            by_population = list(self._by_population(crowds, seed, step))
            by_ties = list(self._by_ties(seed, step))
            large = {name: crowds[name, self.populations[-1]] for name in (CROWDED, SPREAD)}
            client = engine.client()
            fixtures.create_tables(client)
            boards = [crowds[one] for one in self._read]
            reads = cost_reads.run(client, boards, self.samples, seed, step)
            writes = cost_writes.run(
                client, large[CROWDED], large[SPREAD], self.submits, seed, step
            )
        results = {
            "players": self.populations[-1],
            **writes,
            **reads,
            "exact_by_population": by_population,
            "exact_by_ties": by_ties,
        }
        return Findings(results, cost_page.sections(results))

    def _by_population(self, crowds: Crowds, seed: int, step: Step) -> Rows:
        for players in self.populations:
            for name in DISTRIBUTIONS:
                step(f"exact ranks, {name}, {players:,}")
                population = synthetic(name, players, seed)
                crowds[name, players] = Crowd(population)
                yield from cost_exact.shares(population)

    def _by_ties(self, seed: int, step: Step) -> Rows:
        for players in self._tied:
            for a_score in TIES:
                step(f"exact ranks, {players:,} at {a_score:,} a score")
                for row in cost_exact.shares(cost_exact.tied(players, a_score, seed)):
                    yield row | {"players_a_score": a_score}
