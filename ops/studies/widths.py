"""How wide the range around a rank is, by buckets and levels, and how many ranks are exact.

The histogram article asks whether 128 buckets is the right number and how wide its estimates are
over several distributions; this computes both, and what deeper levels and ties make of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from lambdas.domain.boards import DEFAULT_RANGE
from lambdas.domain.cells import BUCKET_CHOICES, Spacing, Span, cells_of
from ops.studies import widths_page
from ops.studies.cells import cells_by_level
from ops.studies.populations import REAL, SYNTHETIC, TEN_MILE, Population, real, synthetic
from ops.studies.range_widths import ties, widths
from ops.studies.study import Findings, Step

LEVELS: Final = 4
PLAYERS: Final = (10**4, 10**5, 10**6, 10**7)
_HEADLINE: Final = 10**6
_BUCKETS: Final = 128

Rows = list[dict[str, Any]]


class Own(NamedTuple):
    """A score range that fits a population closer than the default one."""

    population: str
    span: Span


OWN_RANGES: Final = (
    Own("uniform 0-9999", Span(0, 9_999)),
    Own("Elo N(1500,300)", Span(0, 4_000)),
    Own("lap times N(92000,6000)", Span(50_000, 150_000)),
    Own(TEN_MILE, Span(2_000, 12_000)),
)


@dataclass(frozen=True)
class Widths:
    """The study of range widths, over boards of so many players."""

    players: Sequence[int] = PLAYERS
    name: ClassVar = "widths"
    title: ClassVar = "How wide a rank's range is"
    lead: ClassVar = widths_page.LEAD
    limits: ClassVar = widths_page.LIMITS

    @property
    def steps(self) -> int:
        """One for each population."""
        return len(self.players) * len(SYNTHETIC) + len(REAL) + len(OWN_RANGES)

    @property
    def shown(self) -> int:
        """The number of players that the page's tables are about."""
        return _HEADLINE if _HEADLINE in self.players else max(self.players)

    def run(self, seed: int, step: Step) -> Findings:
        """Computes every width; 10 million players take some ten seconds a distribution."""
        found: Rows = []
        floors: Rows = []
        for population in self._populations(seed, step):
            found += list(_rows(population))
            floors.append(_named(population) | ties(population)._asdict())
        own = [row for one in OWN_RANGES for row in self._in_own_range(one, seed, step)]
        results = {"widths": found, "ties": floors, "own_ranges": own}
        return Findings(results, widths_page.sections(results, self.shown, _BUCKETS))

    def _populations(self, seed: int, step: Step) -> Iterator[Population]:
        for name in SYNTHETIC:
            for players in self.players:
                step(f"{name}, {players:,}")
                yield synthetic(name, players, seed)
        for name in REAL:
            step(name)
            yield real(name)

    def _in_own_range(self, own: Own, seed: int, step: Step) -> Iterator[dict[str, Any]]:
        step(f"{own.population}, a range of its own")
        name = own.population
        population = synthetic(name, self.shown, seed) if name in SYNTHETIC else real(name)
        tried: list[tuple[Span, Spacing]] = [
            (DEFAULT_RANGE, "log"),
            (own.span, "log"),
            (own.span, "linear"),
        ]
        for span, spacing in tried:
            yield from (row | {"range": [*span]} for row in _rows(population, span, spacing))


def _rows(
    population: Population, span: Span = DEFAULT_RANGE, spacing: Spacing = "log"
) -> Iterator[dict[str, Any]]:
    for buckets in BUCKET_CHOICES if span == DEFAULT_RANGE else (_BUCKETS,):
        cells = cells_of(span, buckets, spacing, LEVELS)
        for levels, found in enumerate(cells_by_level(cells, population.scores), start=1):
            layout = {"buckets": buckets, "spacing": spacing, "levels": levels}
            yield _named(population) | layout | widths(population, found)._asdict()


def _named(population: Population) -> dict[str, Any]:
    return {"distribution": population.name, "players": population.players}
