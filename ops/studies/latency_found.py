"""Finds what the study of latency found, and words it: rows, ratios, quartiles, shares."""

from collections.abc import Callable, Mapping
from typing import Any

from ops.studies.latency_ratios import EVERYBODY
from ops.studies.latency_reads import RANK
from ops.studies.latency_times import ARTICLE, ROOT_CACHED

Row = Mapping[str, Any]
Results = Mapping[str, Any]
Spread = Mapping[str, float]


def drawn_on(results: Results, players: int) -> list[Row]:
    """The reads by a busy function, and the article's rank, on one board."""
    ours = rows_of(results, ROOT_CACHED, players)
    return [*ours, row_of(results, RANK, players, ARTICLE)]


def rows_of(results: Results, way: str, players: int) -> list[Row]:
    """The reads of one board, by anybody on it."""
    wanted = {"way": way, "players": players, "who": EVERYBODY}
    return [row for row in results["reads"] if wanted.items() <= row.items()]


def row_of(results: Results, read: str, players: int, way: str, who: str = EVERYBODY) -> Row:
    """One read of one board."""
    wanted = {"read": read, "way": way, "players": players, "who": who}
    return next(row for row in results["reads"] if wanted.items() <= row.items())


def on_board(results: Results, row: Row, players: int) -> Row:
    """The same read on another board."""
    return row_of(results, row["read"], players, row["way"])


def on_each(results: Results, figure: str) -> dict[str, dict[int, Any]]:
    """A figure of each read that is drawn, by the read's name and a board's players."""
    return {
        named(row): {n: on_board(results, row, n)[figure] for n in results["players"]}
        for row in drawn_on(results, results["players"][-1])
    }


def named(row: Row) -> str:
    """What a read is called among the others."""
    return f"{row['read']}, {ARTICLE}" if row["way"] == ARTICLE else str(row["read"])


def columns(
    spreads: Mapping[int, Spread], worded: Callable[[Spread], str | None]
) -> dict[str, Any]:
    """A table's columns, one a board."""
    return {f"{n:,} players": worded(one) for n, one in spreads.items()}


def medians(found: Mapping[str, Mapping[int, Spread]]) -> dict[str, dict[str, float]]:
    """What is drawn of it: a point a board in the row of each read."""
    return {
        read: {f"{n:,} players": one["median"] for n, one in spreads.items()}
        for read, spreads in found.items()
    }


def exact(row: Row) -> str | None:
    """How many of a read's ranks were."""
    percent = row["exact_percent"]
    return None if percent is None else f"{percent:.0f} %"


def median_of(spread: Spread) -> str:
    """A ratio, its median alone."""
    return _times(spread["median"])


def quartiles(spread: Spread | None) -> str | None:
    """A ratio with its quartiles."""
    if spread is None:
        return None
    q1, middle, q3 = (_times(spread[name]) for name in ("q1", "median", "q3"))
    return f"{middle} ({q1} to {q3})"


def shares(spread: Spread) -> str:
    """A percentage with its quartiles."""
    return f"{spread['median']:.0f} % ({spread['q1']:.0f} to {spread['q3']:.0f})"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"
