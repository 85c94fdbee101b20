"""Sending many scores through the HTTP API: batches of 100, a few in flight."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any, Final

from ops.client import ApiError, Client
from ops.demo_data import Line

BATCH_SIZE: Final = 100  # the most that the route takes
IN_FLIGHT: Final = 4
ATTEMPTS: Final = 5
FIRST_PAUSE_SECONDS: Final = 0.5


@dataclass
class LoadReport:
    """What became of the lines that were sent.

    Attributes:
        accepted: The lines the server took, those that changed nothing included.
        outcomes: How many ended as `new`, `improved` or `kept`.
        refused: How many were refused, by the server's reason.
    """

    accepted: list[Line] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, lines: Sequence[Line], results: Sequence[Any]) -> None:
        """Take note of one batch's results."""
        for line, result in zip(lines, results, strict=True):
            if result["status"] < 400:
                self.accepted.append(line)
                self.outcomes[result["outcome"]] += 1
            else:
                self.refused[str(result.get("detail") or result.get("title"))] += 1


def load(
    client: Client, board: str, lines: Sequence[Line], advance: Callable[[int], None]
) -> LoadReport:
    """Send lines to a board; a refused line is counted and the load goes on.

    Sending them again changes nothing; the same line answers again what it answered first.

    Args:
        client: The client of the stage.
        board: The board's id.
        lines: What to send.
        advance: Called with the size of each batch that is through, in the caller's thread.

    Raises:
        ApiError: A batch was refused as a whole, or the server stayed overloaded.
        NotRunningError: The deployment went away.
    """
    report, started = LoadReport(), time.monotonic()
    batches = [lines[i : i + BATCH_SIZE] for i in range(0, len(lines), BATCH_SIZE)]
    pool = ThreadPoolExecutor(IN_FLIGHT)
    try:
        pending = {pool.submit(_send, client, board, batch): batch for batch in batches}
        for done in as_completed(pending):
            report.add(pending[done], done.result())
            advance(len(pending[done]))
    finally:
        # On an interrupt or an error nothing more is sent than what is in flight.
        pool.shutdown(wait=True, cancel_futures=True)
    report.seconds = time.monotonic() - started
    return report


def _send(client: Client, board: str, batch: Sequence[Line]) -> list[Any]:
    """Send one batch; entries the server was too busy for are sent again."""
    results: list[Any] = [None] * len(batch)
    left = list(range(len(batch)))
    for attempt in range(ATTEMPTS):
        last = attempt == ATTEMPTS - 1
        answers = _attempt(client, board, [batch[i].submission() for i in left], last)
        for i, answer in zip(left, answers, strict=True):
            results[i] = answer
        left = [i for i in left if results[i] is None or _is_busy(results[i]["status"])]
        if not left:
            break
        time.sleep(0 if last else FIRST_PAUSE_SECONDS * 2**attempt)
    return results


def _attempt(client: Client, board: str, scores: list[Any], last: bool) -> list[Any]:
    try:
        return client.submit_batch(board, scores)
    except ApiError as error:
        if last or not _is_busy(error.status):
            raise
        return [None] * len(scores)


def _is_busy(status: int) -> bool:
    return status == 429 or status >= 500
