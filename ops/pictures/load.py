"""The load behind the pictures: submits and reads at a steady rate, through the rig's front."""

import contextlib
import json
import random
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from lambdas import names
from ops.client import ApiError, Client, read_outputs
from ops.metrics import PERIOD_SECONDS, Recorder, note_failures, recording
from ops.rig.service import Rig, running

SUBMITS_PER_SECOND: Final = 50
READS_PER_SECOND: Final = 10
PLAYERS: Final = 40_000  # who may submit: most of those who do are new to the board
STANDING: Final = 4_000  # those on the board before anything is recorded, who are read
BOARD: Final = "arena"
# Of a layout of two levels a rank would nearly always be exact over so few players; that fewer are
# counted in a cell makes some of them ranges, as on a board of millions.
CONFIG: Final = {"count_limit": 3, "top_exact": 3, "layout": {"levels": 2, "counter_shards": 4}}
_SEED: Final = 20261201
_WORKERS: Final = 12
_BATCH: Final = 100
_SAMPLE_SECONDS: Final = 15.0


def record(minutes: int) -> Recorder:
    """Runs the load for so many whole minutes, and returns what was recorded in them.

    Once a process: the rig is, too.
    """
    recorder = Recorder()
    with (
        tempfile.TemporaryDirectory() as folder,
        recording(recorder) as watch,
        running(Path(folder) / "failures.jsonl", watch=watch) as rig,
    ):
        client = _client(rig, Path(folder))
        _populate(client)
        rig.mapping.wait_drained(60)
        _wait_for_a_minute()
        recorder.forget()
        first = int(time.time() // PERIOD_SECONDS)
        _Load(client, recorder, Path(folder) / "failures.jsonl").run(minutes * PERIOD_SECONDS)
        rig.mapping.wait_drained(60)
    recorder.keep(range(first, first + minutes))
    return recorder


class _Load:
    """Sends at a rate; a call that fails is part of the picture."""

    def __init__(self, client: Client, recorder: Recorder, failures: Path) -> None:
        self._client = client
        self._recorder = recorder
        self._failures = failures
        self._random = random.Random(_SEED)  # noqa: S311 - no secret
        self._lock = threading.Lock()

    def run(self, seconds: float) -> None:
        """Sends for so long, each second the same."""
        rate = SUBMITS_PER_SECOND + READS_PER_SECOND
        started, sent, sampled = time.monotonic(), 0, 0.0
        with ThreadPoolExecutor(_WORKERS) as pool:
            while (passed := time.monotonic() - started) < seconds:
                while sent < passed * rate:
                    is_read = sent % rate < READS_PER_SECOND
                    pool.submit(self._read if is_read else self._submit)
                    sent += 1
                if passed >= sampled:
                    sampled += _SAMPLE_SECONDS
                    note_failures(self._recorder, self._failures)
                time.sleep(0.02)
            pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self) -> None:
        player, score = self._draw(PLAYERS)
        with contextlib.suppress(ApiError):
            self._client.submit(BOARD, {"player_id": player, "score": score})

    def _read(self) -> None:
        player, number = self._draw(STANDING)
        with contextlib.suppress(ApiError):
            if number % 10 < 6:
                self._client.rank(BOARD, player)
            elif number % 10 < 8:
                self._client.around(BOARD, player, k=3)
            else:
                self._client.top(BOARD, limit=50)

    def _draw(self, players: int) -> tuple[str, int]:
        with self._lock:
            return f"player {self._random.randrange(players)}", _score(self._random)


def _score(source: random.Random) -> int:
    return int(source.lognormvariate(8, 1))


def _client(rig: Rig, folder: Path) -> Client:
    path = folder / f"{names.STAGE_RIG}.outputs.json"
    path.write_text(json.dumps(rig.outputs()), encoding="utf-8")
    return Client(read_outputs(names.STAGE_RIG, folder))


def _populate(client: Client) -> None:
    client.put_board(BOARD, CONFIG)
    source = random.Random(_SEED + 1)  # noqa: S311 - no secret
    for number in range(0, STANDING, _BATCH):
        batch = [
            {"player_id": f"player {number + i}", "score": _score(source)} for i in range(_BATCH)
        ]
        client.submit_batch(BOARD, batch)


def _wait_for_a_minute() -> None:
    time.sleep(PERIOD_SECONDS - time.time() % PERIOD_SECONDS)
