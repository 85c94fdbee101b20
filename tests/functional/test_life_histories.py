"""Random histories of a board's lives, against a model that only knows who holds what now."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from lambdas import names
from lambdas.domain.boards import Board
from lambdas.logic.sweep import Position, Sweep
from ops.rig.tables import TableNames
from tests.functional.lives import LAPSED_MS, SETTLED_MS, AdminClock, Sweeps, forget, items_of
from tests.functional.test_board_changes import path_of

PLAYERS = [f"p{i}" for i in range(6)]
STEPS = 60
CONFIG: dict[str, Any] = {"windows": ["all", "daily"], "layout": {"levels": 2, "index_shards": 2}}


class History:
    """A board, what must be read of it, and writers that know its former lives for a while.

    Attributes:
        scores: by player, what this life holds; None while the board is deleted.
    """

    def __init__(
        self, api: Any, board: str, clock: AdminClock, sweep: Sweep, random: Random
    ) -> None:
        self.api = api
        self.board = board
        self.clock = clock
        self.sweep = sweep
        self.random = random
        self.scores: dict[str, int] | None = {}
        self.position: Position | None = None
        self.deleted_at = -SETTLED_MS
        self.former: Board | None = None
        api.make_board(board, **CONFIG)

    def submit(self) -> None:
        """Submits a result, often a worse one."""
        player, score = self.random.choice(PLAYERS), self.random.choice((1, 5, 900, 10**6))
        if self.scores is None:
            return
        held = self.scores.get(player)
        outcome = "new" if held is None else "improved" if score > held else "kept"
        assert self.api.submit(self.board, player, score)["outcome"] == outcome
        self.scores[player] = max(score, held or 0)

    def submit_late(self) -> None:
        """Submits with a config of the life before, as a call that began before it lapsed."""
        if self.scores is not None or self.former is None:
            return
        if self.clock() < self.deleted_at + LAPSED_MS:
            cache = self.api.handlers[names.SUBMIT].connection._boards
            cache.put(self.board, self.former)
            self.api.submit(self.board, self.random.choice(PLAYERS), 10**9)
            cache.clear()

    def delete(self) -> None:
        """Deletes the board."""
        if self.scores is None:
            return
        self.former = self.sweep.boards.get(self.board)
        assert self.api.call("DELETE", path_of(self.board))[0] == 204
        forget(self.api.handlers)
        self.scores, self.deleted_at = None, self.clock()

    def make_again(self) -> None:
        """Makes it again, once it may be."""
        if self.scores is None:
            self.clock.wait(max(0, self.deleted_at + LAPSED_MS - self.clock()))
            self.api.make_board(self.board, **CONFIG)
            self.scores = {}

    def sweep_on(self) -> None:
        """Goes on sweeping for some requests; now and then from the start."""
        position = self.position if self.random.random() < 0.8 else None
        done = self.sweep.slice(self.board, position)
        self.clock.wait(self.random.choice((0, done.wait_ms)))
        self.position = done.position

    def know_what_a_batch_knows(self) -> None:
        """Lets the count function have the former life's config while a batch of then may run."""
        cache = self.api.handlers[names.COUNT].board_cache
        cache.clear()
        if self.former and self.clock() < self.deleted_at + SETTLED_MS:
            cache.put(self.board, self.former)

    def check(self) -> None:
        """Every read and the counters are the model's, once all is counted."""
        for name in (names.SUBMIT, names.READ):
            self.api.handlers[name].connection.forget()
        path = f"/api/leaderboards/{self.board}"
        if self.scores is None:
            assert self.api.call("GET", f"{path}/top")[0] == 404
            return
        for window in ("all", "daily"):
            query = {"window": window}
            top = self.api.call("GET", f"{path}/top", query=query)[1]
            held = {one["player_id"]: one["score"] for one in top["entries"]}
            assert (held, top["population"]) == (self.scores, len(self.scores))
            spread = self.api.call("GET", f"{path}/distribution", query=query)[1]
            assert sum(one["count"] for one in spread["buckets"]) == len(self.scores)
            for player in PLAYERS:
                rank = self.api.rank(self.board, player, **query)
                assert rank["score"] == self.scores.get(player)


@pytest.mark.parametrize("seed", range(12))
def test_reads_and_counters_know_this_life_alone(
    api: Any,
    drain: Callable[[], None],
    board: str,
    sweeps: Sweeps,
    table_names: TableNames,
    seed: int,
) -> None:
    """Whatever is deleted, made again, written late, counted late and swept in between."""
    random = Random(seed)
    history = History(api, board, sweeps.clock, sweeps.sweep(requests=5), random)
    weights = {
        history.submit: 8,
        history.submit_late: 3,
        history.delete: 1,
        history.make_again: 2,
        history.sweep_on: 5,
    }
    for _ in range(STEPS):
        random.choices([*weights], [*weights.values()])[0]()
        if random.random() < 0.2:
            history.know_what_a_batch_knows()
            drain()
            history.check()
    history.delete()
    drain()
    sweeps.run(board)
    forget(api.handlers)
    drain()
    for table in (table_names.scores, table_names.counters):
        assert items_of(sweeps.client, table, board) == []
