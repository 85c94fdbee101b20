"""Waiting until a board's counters say what the run knows, through the API as any reader would."""

import os
import time
from collections.abc import Iterable, Mapping
from typing import Final

from loadtests.notes import Notes
from loadtests.suite import Found
from loadtests.truth import Standings, drift, wrong_rank
from ops.client import ApiError, Client, NotRunningError

ENV_PATIENCE: Final = "TALLY_LOADTEST_PATIENCE"  # seconds until a difference counts as one
PATIENCE_SECONDS: Final = 120.0
POLL_SECONDS: Final = 0.5


def settled(
    client: Client,
    board: str,
    scores: Mapping[str, int],
    *,
    window: str | None = None,
) -> tuple[float, list[str]]:
    """Wait until every bucket counts what it holds.

    Returns:
        The seconds it took, and what still differs when patience ended.
    """
    patience = float(os.environ.get(ENV_PATIENCE, PATIENCE_SECONDS))
    started = time.monotonic()
    while True:
        try:
            differing = drift(client.distribution(board, window=window), scores.values())
        except (ApiError, NotRunningError) as error:
            differing = [str(error)]
        seconds = time.monotonic() - started
        if not differing or seconds > patience:
            return seconds, differing
        time.sleep(POLL_SECONDS)


def held_to(
    client: Client,
    board: str,
    standings: Standings,
    players: Iterable[str],
    found: Found,
    window: str | None = None,
) -> None:
    """Ask for players' ranks, now that nothing moves, and note each that is wrong."""
    for player in players:
        answer = client.rank(board, player, window=window)
        found.notes.counts["checked"] += 1
        if wrong := wrong_rank(answer, standings, player):
            found.notes.counts["wrong"] += 1
            found.notes.complain(wrong)


def known(
    client: Client, board: str, notes: Notes, before: Mapping[str, int], window: str | None = None
) -> dict[str, int]:
    """Who holds which score after a run, as far as its own answers tell.

    Players whose last submission was never answered are asked for: what was sent is then either
    there or not, and nothing else will do.

    Raises:
        ValueError: A player holds neither what was stored nor what was sent.
    """
    scores = dict(before)
    for player, score in notes.best.items():
        scores[player] = max(score, scores.get(player, score))
    for player, sent in notes.unsure.items():
        stored = scores.get(player)
        held = client.rank(board, player, window=window).get("score")
        if held is None and stored is None:
            continue  # it never arrived
        least = sent if stored is None else stored
        if held is None or not least <= held <= max(sent, least):
            raise ValueError(f"{player} holds {held}: {stored} was stored, {sent} sent")
        scores[player] = held
    return scores
