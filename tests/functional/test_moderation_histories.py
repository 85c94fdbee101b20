"""Random histories of a moderated board, against a model: who holds what, and who is hidden."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.functional.clocks import At
from tests.functional.failing import UNAVAILABLE, Call, WatchedClient
from tests.functional.moderation import check, hide, remove, settle

PLAYERS = [f"p{i}" for i in range(5)]
STEPS = 25


class History:
    """A board and what must be read of it.

    Attributes:
        scores: by player, hidden ones too.
        hidden: who is.
    """

    def __init__(self, api: Any, board: str, client: WatchedClient, random: Random) -> None:
        self.api = api
        self.board = board
        self.client = client
        self.random = random
        self.scores: dict[str, int] = {}
        self.hidden: set[str] = set()
        layout = {"levels": 2, "index_shards": 2}
        api.make_board(board, windows=["all", "daily"], layout=layout)

    def player(self) -> str:
        """Anyone."""
        return self.random.choice(PLAYERS)

    def submit(self) -> None:
        """Submits a result, often a worse one; the answer tells what it did."""
        player, score = self.player(), self.random.randrange(1, 10**4)
        held = self.scores.get(player)
        outcome = "new" if held is None else "improved" if score > held else "kept"
        answer = self.api.submit(self.board, player, score)
        assert answer["outcome"] == outcome
        self.scores[player] = max(score, held or 0)

    def turn(self) -> None:
        """Hides or shows a player, also one who is already."""
        self.change(self.player(), hidden=self.random.random() < 0.5)

    def change(self, player: str, *, hidden: bool) -> None:
        """Hides or shows a player."""
        hide(self.api, self.board, player, hidden=hidden)
        (self.hidden.add if hidden else self.hidden.discard)(player)

    def submit_across_a_turn(self) -> None:
        """Submits while the flag changes, between any two calls."""
        hidden, at_call = self.random.random() < 0.5, self.random.randrange(1, 9)
        waiting = [self.player()]

        def look(call: Call) -> bool:
            if call.number >= at_call and waiting:
                self.change(waiting.pop(), hidden=hidden)
            return False

        self.client.fail(UNAVAILABLE["503"], look)
        self.submit()
        self.client.restart()

    def remove(self) -> None:
        """Removes a player."""
        player = self.player()
        remove(self.api, self.board, player)
        self.scores.pop(player, None)

    def check(self) -> None:
        """Every read and every counter are the model's."""
        shown = {one: score for one, score in self.scores.items() if one not in self.hidden}
        absent = tuple(one for one in PLAYERS if one not in shown)
        for window in ("all", "d2026-11-30"):
            check(self.api, self.board, shown, window, absent)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.usefixtures("noon")
def test_once_settled_reads_know_who_is_shown_and_nobody_else(
    api: Any, drain: Callable[[], None], board: str, at: At, client: WatchedClient, seed: int
) -> None:
    """Whatever was submitted, hidden, shown and removed, and in whichever calls of one another."""
    random = Random(seed)
    history = History(api, board, client, random)
    weights = {
        history.submit: 6,
        history.submit_across_a_turn: 4,
        history.turn: 3,
        history.remove: 1,
        drain: 2,
    }
    for minute in (10, 20):
        for _ in range(STEPS):
            random.choices([*weights], [*weights.values()])[0]()
        at(f"2026-11-30T12:{minute}")
        settle(api)
        drain()
        history.check()
