"""Boards to import into, files to import, and a client that dies, for tests of transfers."""

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from lambdas.domain.boards import Board
from lambdas.domain.entries import Entry
from ops.rig.tables import TableNames
from ops.transfer import exporting
from ops.transfer.starting import Asked
from ops.transfer.tables import Tables, tables_over
from tests.instants import ms

NOW = ms("2026-11-30T12:00:00Z")

MakeBoard = Callable[..., Board]


def opened(client: Any, names: TableNames, now_ms: int = NOW) -> Tables:
    """The tables over a client, at a time."""
    return tables_over(client, names.scores, names.boards, lambda: now_ms)


def entries(tables: Tables, board: Board, window: str = "all") -> list[Entry]:
    return list(exporting.entries(tables, board, window))


def asked(board: Board, path: Path, **more: Any) -> Asked:
    file_format: Any = path.suffix[1:]
    return Asked(board.id, path, file_format, **more)


def messy_csv(path: Path, lines: int, seed: int) -> Path:
    """A file of few players with many lines each, blank and refused ones and long cells."""
    rng = random.Random(seed)
    rows = ["player_id,score,laps,metadata,achieved_at"]
    for _ in range(lines):
        player, score = f"p{rng.randrange(lines // 4)}", rng.randrange(-1_010, 1_010)
        metadata = rng.choice(["", '"{\n""run"": 1}"'])
        at = rng.choice(["", str(rng.randrange(10**12))])
        rows.append(f"{player},{score},{rng.randrange(11)},{metadata},{at}")
        if rng.random() < 0.05:
            rows.append(rng.choice(["", '"stray', "a/b,1,1,,", "\ufffd,x,1,,"]))
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


class Killed(BaseException):
    """What stands for a kill inside the process: nothing catches it."""


class DyingClient:
    """A client that works up to some call, and is dead from then on."""

    def __init__(self, client: Any, last: int, error: BaseException, *, after: bool) -> None:
        self._client, self._last, self._error, self._after = client, last, error, after
        self._calls = count(1)

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        """The operation; the last one may be done, and its answer lost."""

        def call(**parameters: Any) -> Any:
            number = next(self._calls)
            if number < self._last or (number == self._last and self._after):
                answer = getattr(self._client, operation)(**parameters)
            if number >= self._last:
                raise self._error
            return answer

        return call
