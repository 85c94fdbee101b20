"""Boards that stand still while their ranks are read: what capacity and width have in common."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from loadtests.phases import Phase
from loadtests.populations import POPULATIONS, players
from loadtests.run import Run
from loadtests.settling import settled
from loadtests.suite import Json, Submission, Suite
from loadtests.truth import Standings, wrong_rank
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller


class Still(NamedTuple):
    """A board that stands still.

    Attributes:
        label: for people.
        config: of the board.
        population: the name of the population.
        size: how many of it.
    """

    label: str
    config: Json
    population: str
    size: int


class Readings(Suite):
    """Reads one player's rank after the other, on several boards.

    Sizes: `reads` (of each kind), `in_flight`, `warm_up`.
    """

    def __init__(self, run: Run) -> None:
        """Know nobody yet: boards are many, and a process may not need them all."""
        super().__init__(run)
        self._known: dict[int, dict[str, int]] = {}
        self._standings: dict[int, Standings] = {}

    def stills(self) -> list[Still]:
        """The boards."""
        raise NotImplementedError

    def kinds(self) -> list[tuple[int, Any]]:
        """The kinds of reads: which board, and what else is asked of it."""
        raise NotImplementedError

    def chosen(self, kind: tuple[int, Any], number: int) -> str:
        """The player that a read of a kind is of."""
        raise NotImplementedError

    def note(self, api: "Caller", kind: tuple[int, Any], answer: Json) -> None:
        """Note what an answer, found right, says."""
        raise NotImplementedError

    def boards(self) -> dict[str, Json]:
        """One each."""
        return {self.id_of(place): one.config for place, one in enumerate(self.stills())}

    def id_of(self, place: int) -> str:
        """The id of a board."""
        return f"{self.board}-{place}"

    def scores_of(self, place: int) -> dict[str, int]:
        """The players of a board; the same for the same arguments."""
        if place not in self._known:
            one = self.stills()[place]
            rng = self.rng(one.population, one.size)
            self._known[place] = players(one.population, rng, one.size)
        return self._known[place]

    def standings_of(self, place: int) -> Standings:
        """The standings of a board."""
        if place not in self._standings:
            order = POPULATIONS[self.stills()[place].population].order
            self._standings[place] = Standings(self.scores_of(place), order)
        return self._standings[place]

    def players(self) -> Iterable[tuple[str, Submission]]:
        """Everybody, board by board."""
        for place in range(len(self.stills())):
            for player, score in self.scores_of(place).items():
                yield self.id_of(place), {"player_id": player, "score": score}

    def ready(self, client: Client) -> None:
        """Counters hold everybody."""
        for place in range(len(self.stills())):
            _, differing = settled(client, self.id_of(place), self.scores_of(place))
            if differing:
                raise ValueError(f"{self.id_of(place)} did not settle: {differing[0]}")

    def phases(self) -> list[Phase]:
        """A warm-up, then every kind of read, one after the other in turn."""
        in_flight, count = self.size("in_flight"), len(self.kinds()) * self.size("reads")
        warm_up = Phase(
            label="warm-up",
            seconds=120,
            in_flight=in_flight,
            count=self.size("warm_up"),
            measured=False,
        )
        reads = Phase(
            label="reads", seconds=1800, in_flight=in_flight, count=count, holds_in_flight=False
        )
        return [warm_up, reads]

    def calls(self) -> dict[str, float]:
        """Ranks alone."""
        return {"rank": float(sum(phase.count for phase in self.phases()))}

    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """One rank, explained."""
        kinds = self.kinds()
        kind = kinds[number % len(kinds)]
        player = self.chosen(kind, number)
        answer = api.checking(lambda got: self._wrong(got, kind[0], player)).rank(
            self.id_of(kind[0]), player, explain=True
        )
        if phase.measured:
            self.note(api, kind, answer)

    def _wrong(self, answer: Json, place: int, player: str) -> str | None:
        if "explain" not in answer:
            return f"{player}: no explanation"
        return wrong_rank(answer, self.standings_of(place), player)
