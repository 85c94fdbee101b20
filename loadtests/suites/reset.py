"""Does a storm across the end of a window put every result where it belongs?

A season ends while submissions stream in (or a day, on request): each has to be in the window that
its moment says, the ended window must count exactly those it took, and become final.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from lambdas import names
from loadtests.phases import Phase
from loadtests.run import AWS, LOCAL, RIG, Run
from loadtests.settling import settled
from loadtests.suite import Found, Json, Suite, Table
from ops.client import ApiError, Client, NotRunningError

if TYPE_CHECKING:
    from loadtests.caller import Caller

SEASON: Final = "s:storm"
ALL: Final = "all"
DAILY: Final = "daily"
_HOUR: Final = 3_600_000
# Between them, a midnight comes every half hour or hour.
_ZONES: Final = (
    *(f"Etc/GMT{shift:+d}" for shift in range(-14, 13)),
    *("Asia/Kolkata", "Asia/Kabul", "Asia/Yangon", "Australia/Darwin", "Asia/Kathmandu"),
)
_SIZES: dict[str, Any] = {
    "boundary": "season",
    "lead_seconds": 45,  # from the start of the run to the end of the window
    "before_seconds": 15,
    "after_seconds": 15,
    "rate": 20,
    "warm_up_seconds": 5,
    "in_flight": 64,
    "clock_seconds": 0.5,  # how far the stage's clock may be from ours
    "final_seconds": 240,  # how long to wait for the window to become final; 0: not at all
}


class Reset(Suite):
    """New players, before and after the end of a window."""

    question = "Does a storm across the end of a window put every result where it belongs?"
    sizes = {
        RIG: _SIZES,
        LOCAL: _SIZES | {"rate": 5, "in_flight": 24, "lead_seconds": 60, "final_seconds": 0},
        AWS: _SIZES
        | {"rate": 100, "in_flight": 128, "lead_seconds": 120, "warm_up_seconds": 30}
        | {"clock_seconds": 1.0, "final_seconds": 900},
    }

    def __init__(self, run: Run) -> None:
        """Set the end of the window."""
        super().__init__(run)
        started = datetime.strptime(run.started, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        earliest = started + timedelta(seconds=self.size("lead_seconds"))
        self._daily = self.size("boundary") == DAILY
        self.zone, midnight = _next_midnight(earliest)
        self.end = midnight if self._daily else earliest

    def boards(self) -> dict[str, Json]:
        """One, of a season or of days, and of all time."""
        if self._daily:
            return {self.board: {"windows": [DAILY, ALL], "time_zone": self.zone}}
        end_ms = _ms(self.end.timestamp())
        season = {"season": "storm", "start": end_ms - 24 * _HOUR, "end": end_ms}
        return {self.board: {"windows": [season, ALL]}}

    def ready(self, client: Client) -> None:
        """Wait until the end is near."""
        del client
        warm_up, before = self.size("warm_up_seconds"), self.size("before_seconds")
        left = self.end.timestamp() - time.time() - warm_up - before
        if left < 0:
            raise ValueError(f"Too late by {-left:.0f} s: raise lead_seconds.")
        time.sleep(left)

    def phases(self) -> list[Phase]:
        """A warm-up, then the storm."""
        rate, in_flight = self.size("rate"), self.size("in_flight")
        seconds = self.size("before_seconds") + self.size("after_seconds")
        warm_up = self.size("warm_up_seconds")
        return [
            Phase(label="warm-up", seconds=warm_up, in_flight=in_flight, rate=rate, measured=False),
            Phase(label="storm", seconds=seconds, in_flight=in_flight, rate=rate),
        ]

    def calls(self) -> dict[str, float]:
        """Two windows a submit."""
        return {names.SUBMIT: 2.0 * sum(phase.operations for phase in self.phases())}

    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """Submit one new player, and look which windows took it."""
        player = f"{phase.label}-{number:06d}"
        score = int(self.rng(player).lognormvariate(8, 1))
        sent = time.time()
        submission = {"player_id": player, "score": score}
        try:
            answer = api.checking(lambda got: self._wrong(got, sent, player)).submit(
                self.board, submission, rank=False
            )
        except (ApiError, NotRunningError):
            api.notes.sent(f"{ALL}|{player}", score)
            raise
        for window, result in answer["windows"].items():
            if result["outcome"] != "closed":
                api.notes.stored(f"{window}|{player}", score)
                api.notes.counts[f"taken by {window}"] += 1

    def settle(self, client: Client, found: Found) -> None:
        """Every window counts exactly what it took, and the ended one becomes final."""
        table = Table("Players by window", ["window", "taken", "cells off", "settled s"])
        windows = sorted({key.partition("|")[0] for key in found.notes.best})
        for window in windows:
            scores = _of(found.notes.best, window) | self._unsure(client, window, found)
            seconds, differing = settled(client, self.board, scores, window=window)
            found.words += [f"{window}: {one}" for one in differing]
            found.measured[f"{window}: cells off"] = len(differing)
            table.rows.append([window, len(scores), len(differing), round(seconds, 1)])
        found.tables.append(table)
        ended = self._window_at(self.end.timestamp() - 1)
        before = found.notes.counts[f"taken by {ended}"]
        found.measured["taken before the end"] = before
        found.measured["taken after the end"] = found.notes.counts[f"taken by {ALL}"] - before
        self._wait_until_final(client, str(ended), found)

    def _unsure(self, client: Client, window: str, found: Found) -> dict[str, int]:
        """Of those that were sent without an answer, the ones that a window holds."""
        held = {}
        for player, score in _of(found.notes.unsure, ALL).items():
            if client.rank(self.board, player, window=window).get("score") == score:
                held[player] = score
        return held

    def _wait_until_final(self, client: Client, window: str, found: Found) -> None:
        patience = self.size("final_seconds")
        if not patience:
            found.words.append("Nobody waited for the window to become final (final_seconds 0).")
            return
        while time.time() < self.end.timestamp() + patience:
            states = {one["window"]: one["state"] for one in client.info(self.board)["windows"]}
            if states.get(window) == "final":
                break
            time.sleep(2)
        else:
            found.measured["seconds until final"] = None
            return
        found.measured["seconds until final"] = round(time.time() - self.end.timestamp(), 1)

    def _wrong(self, answer: Json, sent: float, player: str) -> str | None:
        """The ended window may have taken it only if it came in time, and must have if it did."""
        taken = {
            window for window, one in answer["windows"].items() if one["outcome"] != "closed"
        } - {ALL}
        doubt = self.size("clock_seconds")
        moments = (sent - doubt, time.time() + doubt)
        right = [{window} - {None} for window in map(self._window_at, moments)]
        if taken in right:
            return None
        after = sent - self.end.timestamp()
        return f"{player}: sent {after:+.2f} s from the end, taken by {sorted(taken)}"

    def _window_at(self, seconds: float) -> str | None:
        """The window that ends, or the one after it; None where none follows."""
        if not self._daily:
            return SEASON if _ms(seconds) < _ms(self.end.timestamp()) else None
        return f"d{datetime.fromtimestamp(seconds, ZoneInfo(self.zone)):%Y-%m-%d}"


def _next_midnight(earliest: datetime) -> tuple[str, datetime]:
    """The zone in which a day ends soonest after a moment, and when."""
    found = []
    for name in _ZONES:
        here = earliest.astimezone(ZoneInfo(name))
        midnight = datetime.combine(
            here.date() + timedelta(days=1), datetime.min.time(), here.tzinfo
        )
        found.append((midnight.astimezone(UTC), name))
    at, name = min(found)
    return name, at


def _of(scores: dict[str, int], window: str) -> dict[str, int]:
    prefix = f"{window}|"
    return {key[len(prefix) :]: one for key, one in scores.items() if key.startswith(prefix)}


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
