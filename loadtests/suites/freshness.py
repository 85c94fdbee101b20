"""How long after a submit do readers see it: listed, counted, and ranked for good?

Each probe is a new player on a board of known ones, watched by polling from when the submit was
answered. The function keeps nodes and pages for a second, and a reader sees what it keeps: so that
second is part of the answer. A board is probed again only when its last probe has had its time.
"""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from lambdas import names
from loadtests.notes import percentile
from loadtests.phases import Phase
from loadtests.run import AWS, LOCAL, RIG
from loadtests.settling import settled
from loadtests.suite import Found, Json, Submission, Suite, Table
from loadtests.truth import Standings, wrong_rank
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

ANCHORS: Final = 60
STEP: Final = 1_000
POLL_SECONDS: Final = 0.05
STAGES: Final = ("listed", "counted", "final")
_SPREAD: Final = 7  # neighbouring probes of a board lie apart; no factor of ANCHORS

_SIZES = {
    "boards": 10,
    "probe_seconds": 1.0,
    "seconds": 40,
    "background_to_one_probe": 5,
    "warm_up_seconds": 5,
    "in_flight": 32,
}


class Freshness(Suite):
    """Probes, over a stream of other submissions."""

    question = "How long after a submit is it listed, counted, and ranked for good?"
    sizes = {
        RIG: _SIZES,
        LOCAL: _SIZES | {"probe_seconds": 2.0, "background_to_one_probe": 2, "in_flight": 16},
        AWS: _SIZES
        | {"seconds": 300, "background_to_one_probe": 50, "warm_up_seconds": 60, "in_flight": 96},
    }

    def boards(self) -> dict[str, Json]:
        """One for the others, and those that are probed in turn."""
        return {self.board: {}, **{self._probed(place): {} for place in range(self.size("boards"))}}

    def players(self) -> Iterable[tuple[str, Submission]]:
        """The known players of each probed board."""
        for place in range(self.size("boards")):
            for player, score in self._anchors().items():
                yield self._probed(place), {"player_id": player, "score": score}

    def ready(self, client: Client) -> None:
        """Counters hold the known players."""
        for place in range(self.size("boards")):
            _, differing = settled(client, self._probed(place), self._anchors())
            if differing:
                raise ValueError(f"{self._probed(place)} did not settle: {differing[0]}")

    def phases(self) -> list[Phase]:
        """A warm-up of others alone, then others and probes."""
        each, in_flight = self.size("background_to_one_probe") + 1, self.size("in_flight")
        rate = each / self.size("probe_seconds")
        warm_up = Phase(
            label="warm-up",
            seconds=self.size("warm_up_seconds"),
            in_flight=in_flight,
            rate=rate,
            measured=False,
        )
        probing = Phase(
            label="probes",
            seconds=self.size("seconds"),
            in_flight=in_flight,
            rate=rate,
            grace=self._patience_seconds + 2,
        )
        return [warm_up, probing]

    def calls(self) -> dict[str, float]:
        """Submits, and some polls of three kinds a probe."""
        whole = float(sum(phase.operations for phase in self.phases()))
        polls = 30.0 * whole / (self.size("background_to_one_probe") + 1)
        return {names.SUBMIT: whole, "around": polls, "distribution": polls, "rank": polls}

    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """One of the others, or a probe."""
        each = self.size("background_to_one_probe") + 1
        if phase.measured and number % each == 0:
            self._probe(api, number // each)
            return
        player = f"{phase.label}-{number:06d}"
        score = int(self.rng(player).lognormvariate(8, 1))
        self._submit(api, self.board, player, score)

    def settle(self, client: Client, found: Found) -> None:
        """Percentiles of each stage; a probe that was not seen in its time is lost."""
        del client
        table = Table(
            "Seconds after the submit was answered", ["seen", "probes", "p50", "p95", "p99"]
        )
        for stage in STAGES:
            samples = found.notes.samples[f"lag {stage} ms"]
            shares = [percentile(samples, share) for share in (0.5, 0.95, 0.99)]
            seconds = [None if one is None else one / 1000 for one in shares]
            table.rows.append([stage, sum(samples.values()), *seconds])
            for name, value in zip(("p50", "p95", "p99"), seconds, strict=True):
                found.measured[f"{stage} {name} seconds"] = value
        found.tables.append(table)
        found.measured["probes"] = found.notes.counts["probes"]
        found.measured["probes lost"] = found.notes.counts["probes lost"]
        found.words.append(f"Polled every {POLL_SECONDS:g} s, so no lag is known closer than that.")

    @property
    def _patience_seconds(self) -> float:
        return float(self.size("boards") * self.size("probe_seconds") - 1)

    def _probed(self, place: int) -> str:
        return f"{self.board}-{place}"

    def _anchors(self) -> dict[str, int]:
        return {f"anchor-{place:02d}": place * STEP for place in range(1, ANCHORS + 1)}

    def _spot(self, turn: int) -> int:
        """The anchor that a board's probe comes in just ahead of."""
        return 1 + _SPREAD * turn % ANCHORS

    def _score(self, turn: int) -> int:
        return self._spot(turn) * STEP + STEP // 2 + turn // ANCHORS

    def _probe(self, api: "Caller", number: int) -> None:
        turn, place = divmod(number, self.size("boards"))
        board, player = self._probed(place), f"probe-{turn:04d}"
        there = self._anchors() | {f"probe-{one:04d}": self._score(one) for one in range(turn + 1)}
        self._submit(api, board, player, self._score(turn))
        api.notes.counts["probes"] += 1
        answered = time.time()
        anchor, standings = f"anchor-{self._spot(turn):02d}", Standings(there)
        missing = list(STAGES)
        while missing and time.time() < answered + self._patience_seconds:
            for stage in tuple(missing):
                if self._sees(api, stage, board, player, anchor, standings):
                    api.notes.sample(f"lag {stage} ms", (time.time() - answered) * 1000)
                    missing.remove(stage)
            time.sleep(POLL_SECONDS)
        api.notes.counts["probes lost"] += bool(missing)

    def _sees(
        self,
        api: "Caller",
        stage: str,
        board: str,
        player: str,
        anchor: str,
        standings: Standings,
    ) -> bool:
        if stage == "listed":
            answer = api.checking(_any).around(board, anchor, 3)
            return any(one["player_id"] == player for one in answer["entries"])
        if stage == "counted":
            answer = api.checking(_any).distribution(board)
            return bool(answer["population"] == standings.population)
        answer = api.checking(_any).rank(board, player)
        complete = answer["population"] == standings.population and answer["kind"] == "exact"
        return complete and wrong_rank(answer, standings, player) is None

    def _submit(self, api: "Caller", board: str, player: str, score: int) -> None:
        def check(answer: Json) -> str | None:
            told = (answer.get("player_id"), answer.get("score"), answer.get("outcome"))
            return None if told == (player, score, "new") else f"{player} with {score}: {told}"

        submission = {"player_id": player, "score": score}
        api.checking(check).submit(board, submission, rank=False)


def _any(answer: Json) -> str | None:
    """While a probe is on its way, its answers are judged by what they are polled for."""
    return None if "population" in answer or "entries" in answer else "an answer of another shape"
