"""The boards of a run: made and filled before it, removed after it, found again after a kill."""

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Final

from loadtests.run import BOARD_PREFIX
from loadtests.suite import Submission, Suite, batches
from ops.client import ApiError, Client

BATCH_SIZE: Final = 100
IN_FLIGHT: Final = 4
ATTEMPTS: Final = 5
LEFT_AFTER: Final = timedelta(hours=6)  # no run lasts as long


class NotPreparedError(Exception):
    """A board of the run could not be filled."""


def made(client: Client, suite: Suite) -> int:
    """Make a run's boards and put its players there; returns how many.

    Raises:
        ApiError, NotRunningError: The stage refused.
        NotPreparedError: It refused a player.
    """
    for board, config in suite.boards().items():
        client.put_board(board, config)
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        sent = pool.map(lambda one: _put(client, *one), batches(suite.players(), BATCH_SIZE))
        return sum(sent)


def removed(client: Client, boards: Iterable[str]) -> list[str]:
    """Delete boards, through the API; their items go in the background. Returns which."""
    gone = []
    for board in boards:
        try:
            client.delete_board(board)
        except ApiError as error:
            if error.status != 404:
                raise
        gone.append(board)
    return gone


def left_behind(client: Client, *, before: datetime | None = None) -> list[str]:
    """Boards of runs that were killed: begun before a time, by default six hours ago."""
    limit = before or datetime.now(UTC) - LEFT_AFTER
    found = [str(one["board"]) for one in client.boards()["boards"]]
    return [one for one in found if one.startswith(BOARD_PREFIX) and _begun(one) < limit]


def _begun(board: str) -> datetime:
    """When the run of a board began; the end of time for what is no run's."""
    for part in board.split("-"):
        try:
            return datetime.strptime(part.upper(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime.max.replace(tzinfo=UTC)


def _put(client: Client, board: str, batch: list[Submission]) -> int:
    for attempt in range(ATTEMPTS):
        try:
            results = client.submit_batch(board, batch)
        except ApiError as error:
            if error.status < 429 or attempt == ATTEMPTS - 1:
                raise
            results = []
        if results and all(one["status"] < 400 for one in results):
            return len(batch)
        time.sleep(0.5 * 2**attempt)
    raise NotPreparedError(f"board {board}: {[one for one in results if one['status'] >= 400][:1]}")
