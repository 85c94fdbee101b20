"""A board that many look at and some play on: what mixed and soak do to it, each answer checked."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from lambdas import names
from loadtests.populations import LOGNORMAL, players
from loadtests.run import AWS, Run
from loadtests.settling import held_to, known, settled
from loadtests.suite import Found, Json, Submission, Suite
from loadtests.truth import Standings, doubt_of, wrong_list, wrong_rank
from ops.client import ApiError, Client, NotRunningError

if TYPE_CHECKING:
    from loadtests.caller import Caller

READS: Final[Mapping[str, int]] = {"top": 40, "rank": 30, "around": 15, "friends": 15}
TOP_LIMIT: Final = 100
AROUND_K: Final = 5
FRIENDS: Final = 50
ASKED: Final = 100
# The index of a stage on AWS may list a player who just moved twice, or not at all, for a moment.
DOUBT_ON_AWS: Final = 2
LAG_SECONDS: Final = 5.0  # until counters and caches have surely followed a move


class Crowd(Suite):
    """A board of known players, some of whom improve while others look.

    Sizes: `population`, `movers` (of them, who improve), `reads_to_one_write`.
    """

    def __init__(self, run: Run) -> None:
        """Know the players."""
        super().__init__(run)
        self.scores = players(LOGNORMAL, self.rng("players"), self.size("population"))
        chosen = self.rng("movers").sample(sorted(self.scores), self.size("movers"))
        self.moving = {one: (self.scores[one], self.scores[one] * 11 // 10 + 10) for one in chosen}
        self._movers, self._all = chosen, sorted(self.scores)
        staying = {one: score for one, score in self.scores.items() if one not in self.moving}
        self.standings = Standings(
            staying,
            moving=self.moving,
            doubt=self._moves_within(LAG_SECONDS),
            index_doubt=DOUBT_ON_AWS if run.where == AWS else 0,
        )

    def _moves_within(self, seconds: float) -> int:
        """The most players who may have moved within some seconds."""
        rate = max(phase.rate or 0.0 for phase in self.phases())
        each = int(self.size("reads_to_one_write")) + 1
        return math.ceil(seconds * rate / each) + 1

    def players(self) -> Iterable[tuple[str, Submission]]:
        """All of them."""
        for player, score in self.scores.items():
            yield self.board, {"player_id": player, "score": score}

    def ready(self, client: Client) -> None:
        """Counters hold everybody."""
        _, differing = settled(client, self.board, self.scores)
        if differing:
            raise ValueError(f"The board did not settle: {differing[0]}")

    def calls(self) -> dict[str, float]:
        """By the weights of the reads."""
        whole = float(sum(phase.operations for phase in self.phases()))
        writes = whole / (self.size("reads_to_one_write") + 1)
        weights = sum(READS.values())
        reads = {route: (whole - writes) * one / weights for route, one in READS.items()}
        return {names.SUBMIT: writes, **reads}

    def act_as_one_of_them(self, api: "Caller", label: str, number: int) -> None:
        """The operation of a number: mostly a read, now and then a write."""
        rng = self.rng(label, number)
        if number % (self.size("reads_to_one_write") + 1) == 0:
            self._improve(api, rng.choice(self._movers), rng.random())
            return
        (what,) = rng.choices(list(READS), list(READS.values()))
        player = rng.choice(self._all)
        if what == "top":
            api.checking(self._wrong_top).top(self.board, limit=TOP_LIMIT)
        elif what == "rank":
            api.checking(lambda got: wrong_rank(got, self.standings, player)).rank(
                self.board, player, explain=True
            )
        elif what == "around":
            api.checking(lambda got: self._wrong_around(got, player)).around(
                self.board, player, AROUND_K
            )
        else:
            self._look_at_friends(api, player, rng.sample(self._all, FRIENDS))

    def look_at_the_end(self, client: Client, found: Found) -> dict[str, int]:
        """Counters and ranks, now that nothing moves; returns who holds what."""
        scores = known(client, self.board, found.notes, self.scores)
        seconds, differing = settled(client, self.board, scores)
        found.words += differing
        found.measured["cells off"] = len(differing)
        found.measured["settled seconds"] = round(seconds, 1)
        some = self.rng("asked").sample(self._all, min(ASKED, len(scores)))
        held_to(client, self.board, Standings(scores), some, found)
        return scores

    def _improve(self, api: "Caller", player: str, share: float) -> None:
        low, high = self.moving[player]
        score = low + 1 + int(share * (high - low - 1))

        def check(answer: Json) -> str | None:
            if answer.get("outcome") not in ("improved", "kept"):
                return f"{player}: {answer.get('outcome')}"
            held = answer.get("score")
            wrong = held is None or not score <= held <= high
            return f"{player} sent {score}, holds {held}" if wrong else None

        submission = {"player_id": player, "score": score}
        try:
            api.checking(check).submit(self.board, submission, rank=False)
        except (ApiError, NotRunningError):
            api.notes.sent(player, score)
            raise
        api.notes.stored(player, score)

    def _look_at_friends(self, api: "Caller", player: str, friends: list[str]) -> None:
        asked = {player, *friends}

        def check(answer: Json) -> str | None:
            told = {one["player_id"] for one in answer["entries"]} | set(answer["unranked"])
            if told != asked or answer["unranked"]:
                return f"friends of {player}: {len(told & asked)} of {len(asked)} ranked"
            return wrong_list(answer["entries"], self.standings, ranked=False)

        api.checking(check).friends(self.board, player, friends)

    def _wrong_top(self, answer: Json) -> str | None:
        if len(answer["entries"]) != min(TOP_LIMIT, len(self.scores)):
            return f"a first page of {len(answer['entries'])}"
        doubt = self.standings.index_doubt
        return wrong_list(answer["entries"], self.standings, doubt=doubt)

    def _wrong_around(self, answer: Json, player: str) -> str | None:
        entries: list[Any] = answer["entries"]
        own = [one for one in entries if one["player_id"] == player]
        if len(own) != 1 or len(entries) != min(2 * AROUND_K + 1, len(self.scores)):
            return f"around {player}: {len(entries)} entries, {len(own)} their own"
        doubt = doubt_of(answer, self.standings)
        return wrong_rank(answer, self.standings, player) or wrong_list(
            entries, self.standings, doubt=doubt
        )
