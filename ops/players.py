"""All that is stored of a player: shown with ranks, or erased, through the API page by page."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ops.client import ApiError, Client, ClientError

READS_IN_FLIGHT: Final = 8
_NOT_FOUND: Final = 404  # past its retention, or deleted since

Json = Any
Ask = Callable[[str, str | None], Json]
"""Asks for a player from a cursor on: `Client.player`, or `Client.erase_player`."""


class ReportError(ClientError):
    """The file of a report cannot be written."""

    code = "report_not_written"
    title = "The report cannot be written"


@dataclass
class Found:
    """What the pages so far told of a player.

    Attributes:
        boards: by id, what is stored there, or was removed.
        is_complete: every board was looked through.
    """

    player: str
    boards: dict[str, Json] = field(default_factory=dict)
    is_complete: bool = False

    def add(self, page: Json) -> None:
        """Take in one page; one that ends within a board is continued by the next."""
        for one in page["boards"]:
            known = self.boards.setdefault(one["board"], one | {"windows": [], "ledger_items": 0})
            known["windows"] += one["windows"]
            known["ledger_items"] += one["ledger_items"]
            known["visibility_kept"] |= one["visibility_kept"]
        self.is_complete = page["next_cursor"] is None

    @property
    def scores(self) -> int:
        """Score items: one a board and window."""
        return sum(len(one["windows"]) for one in self.boards.values())

    @property
    def ledger_items(self) -> int:
        """Ledger items of all boards."""
        return sum(one["ledger_items"] for one in self.boards.values())

    def as_json(self) -> Json:
        """The player and the boards, by id."""
        boards = [self.boards[board] for board in sorted(self.boards)]
        return {"player_id": self.player, "boards": boards}


def look_through(ask: Ask, found: Found) -> Iterator[None]:
    """Ask for page after page, to the end; each is noted before the next is asked for."""
    cursor = None
    while not found.is_complete:
        page = ask(found.player, cursor)
        found.add(page)
        cursor = page["next_cursor"]
        yield


def add_ranks(client: Client, found: Found) -> None:
    """Give each window its `rank`: the answer of the read API, None where it gives none.

    One request a window that can still be read, some at once.
    """

    def rank_of(board: Json, window: Json) -> Json:
        if board["deleted"] or window["former_life"]:
            return None
        try:
            return client.rank(board["board"], found.player, window=window["window"])
        except ApiError as error:
            if error.status == _NOT_FOUND:
                return None
            raise

    pairs = [(board, one) for board in found.boards.values() for one in board["windows"]]
    with ThreadPoolExecutor(READS_IN_FLIGHT) as pool:
        ranks = list(pool.map(lambda pair: rank_of(*pair), pairs))
    for (_, window), rank in zip(pairs, ranks, strict=True):
        window["rank"] = rank


def now() -> str:
    """This machine's time in UTC, ISO 8601 to the second."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def report_of(
    found: Found, stage: str, started_at: str, ended_at: str, *, dry_run: bool
) -> dict[str, Json]:
    """What an erasure removed, or would remove, as JSON."""
    return {
        "player_id": found.player,
        "stage": stage,
        "started_at": started_at,
        "ended_at": ended_at,
        "dry_run": dry_run,
        "complete": found.is_complete,
        "score_items": found.scores,
        "ledger_items": found.ledger_items,
        "boards": found.as_json()["boards"],
    }


def check_writable(path: Path) -> None:
    """Make sure, before anything is erased, that its report can be written.

    Raises:
        ReportError: It cannot.
    """
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}.") from error


def write_report(path: Path, report: dict[str, Json]) -> None:
    """Write a report, over whatever the file held.

    Raises:
        ReportError: It cannot be written.
    """
    try:
        path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}.") from error
