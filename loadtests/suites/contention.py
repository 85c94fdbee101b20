"""Do players who are new to one board at the same moment stand in each other's way?

The protocol of the histogram article's run: 1,000 new players to one board at each number of
submissions in flight. There all of 1,000 were taken at 8 in flight and 525 at 64.
"""

from typing import TYPE_CHECKING, Final

from lambdas import names
from loadtests.phases import Outcome, Phase
from loadtests.run import AWS, LOCAL, RIG
from loadtests.settling import held_to, known, settled
from loadtests.suite import Found, Json, Suite, Table
from loadtests.truth import Standings
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

WARM_UP: Final = "warm-up"
ASKED: Final = 100  # players whose ranks are looked at when nothing moves any more
_LEVEL_SECONDS: Final = 120.0


class Contention(Suite):
    """New players to one board, at several numbers in flight."""

    question = "Does any of 1,000 new players to one board fail, however many come at once?"
    sizes = {
        RIG: {"players": 1000, "in_flight": [8, 64, 256], "warm_up": 100},
        LOCAL: {"players": 1000, "in_flight": [8, 32], "warm_up": 100},
        AWS: {"players": 1000, "in_flight": [8, 64, 256], "warm_up": 500},
    }

    def boards(self) -> dict[str, Json]:
        """One board of three levels, so that counters go as deep as they may."""
        return {self.board: {"layout": {"levels": 3}}}

    def phases(self) -> list[Phase]:
        """A warm-up, then a phase for each number in flight."""
        levels = [
            Phase(
                label=f"{level} in flight",
                seconds=_LEVEL_SECONDS,
                in_flight=level,
                count=self.size("players"),
            )
            for level in self.size("in_flight")
        ]
        return [
            Phase(
                label=WARM_UP,
                seconds=_LEVEL_SECONDS,
                in_flight=max(self.size("in_flight")),
                count=self.size("warm_up"),
                measured=False,
            ),
            *levels,
        ]

    def calls(self) -> dict[str, float]:
        """A submit each."""
        return {names.SUBMIT: float(sum(phase.count for phase in self.phases()))}

    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """Submit one new player."""
        player, score = f"{phase.label.replace(' ', '-')}-{number:05d}", self._score(phase, number)

        def check(answer: Json) -> str | None:
            told = (answer.get("player_id"), answer.get("score"), answer.get("outcome"))
            return None if told == (player, score, "new") else f"{player} with {score}: {told}"

        submission = {"player_id": player, "score": score}
        api.notes.sent(player, score)  # until it is answered, also where the phase ends before
        api.checking(check).submit(self.board, submission, rank=False)
        api.notes.stored(player, score)
        api.notes.counts[f"{phase.label}: taken"] += 1

    def after(self, client: Client, outcome: Outcome, found: Found) -> bool:
        """Every level ends when the counters say what was taken."""
        label = outcome.phase.label
        scores = known(client, self.board, found.notes, {})
        seconds, differing = settled(client, self.board, scores)
        found.words += [f"{label}: {one}" for one in differing]
        if outcome.phase.measured:
            taken = found.notes.counts[f"{label}: taken"]
            found.measured[f"{label}: taken"] = taken
            found.measured[f"{label}: taken share"] = taken / outcome.phase.count
            found.measured[f"{label}: cells off"] = len(differing)
            found.measured[f"{label}: settled seconds"] = round(seconds, 1)
        return True

    def settle(self, client: Client, found: Found) -> None:
        """Ranks of players from everywhere on the board, now that nothing moves."""
        conflicts = [found.notes.counts[f"refused {code}"] for code in ("conflict", "409")]
        found.measured["conflicts"] = sum(conflicts)
        table = Table("New players taken", ["in flight", "sent", "taken", "cells off", "settled s"])
        for one in found.outcomes:
            if one.phase.measured:
                figures = ("taken", "cells off", "settled seconds")
                row = [found.measured[f"{one.phase.label}: {name}"] for name in figures]
                table.rows.append([one.phase.in_flight, one.phase.count, *row])
        found.tables.append(table)
        scores = known(client, self.board, found.notes, {})
        some = self.rng("asked").sample(sorted(scores), min(ASKED, len(scores)))
        held_to(client, self.board, Standings(scores), some, found)

    def _score(self, phase: Phase, number: int) -> int:
        return int(self.rng(phase.label, number).lognormvariate(8, 1))
