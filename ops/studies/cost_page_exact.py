"""The page of the study of cost: where exactness ends."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ops.studies.charts import lines
from ops.studies.shares import percent
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis, Point

_EXACT: Final = Axis("exact, percent", 0, 100, [(n, str(n)) for n in (0, 25, 50, 75, 100)])
_POWERS: Final = ("10^4", "10^5", "10^6", "10^7")
_PLAYERS: Final = Axis(
    "players (log scale)",
    8e3,
    5e7,
    [*((10.0 ** (n + 4), power) for n, power in enumerate(_POWERS)), (4e7, "4x10^7")],
    is_log=True,
)
_A_SCORE: Final = Axis(
    "players a score, on average (log scale)",
    0.9,
    1_100,
    [(n, f"{n:,}") for n in (1, 10, 30, 50, 100, 1_000)],
    is_log=True,
)
_UNPARTED: Final = "ties alone"

Row = Mapping[str, Any]
Panels = dict[str, dict[str, list[Point]]]


def by_population(rows: Sequence[Row], players: int) -> Section:
    """The share of exact ranks by population."""
    panels: Panels = {}
    for row in rows:
        panel = panels.setdefault(row["distribution"], {})
        panel.setdefault(_levels(row), []).append((row["players"], row["exact"]))
    by_name = sorted(rows, key=lambda row: str(row["distribution"]))
    table = [_exact_row(found) for found in _grouped(by_name, "distribution", "players")]
    title = "Players whose own, ordinal rank is exact, by population and levels"
    text = (
        "Each player in a place of their own / equal scores sharing a rank (`ties: shared`). "
        "`ties alone` is what no number of levels can better. The first 2,000 are always exact, "
        f"which is all of a small board and {percent(200_000 / players)} of the largest. With few "
        "ties, exact ranks end where the deepest cells outgrow `count_limit` (50), and a level "
        "more moves that on about a hundredfold; with many, ties end them, and levels do not help."
    )
    figure = Figure("exact", title, lines(title, _PLAYERS, _EXACT, panels, height=180))
    return Section("Where exactness ends: population", text, table, [figure])


def by_ties(rows: Sequence[Row]) -> Section:
    """The share of exact ranks by players a score."""
    panels: Panels = {}
    for row in rows:
        panel = panels.setdefault(f"{row['players']:,} players", {})
        panel.setdefault(_levels(row), []).append((row["players_a_score"], row["exact"]))
    table = [_exact_row(found) for found in _grouped(rows, "players_a_score", "players")]
    title = "Players whose own, ordinal rank is exact, by how many share a score"
    text = (
        "Players spread evenly over neighbouring scores, as above: places of their own / ranks "
        "shared. A score of at most 50 players can be counted out for each of them; from there on "
        "an ordinal rank among them is a range, while their shared rank stays exact."
    )
    figure = Figure("ties", title, lines(title, _A_SCORE, _EXACT, panels, height=180))
    return Section("Where exactness ends: ties", text, table, [figure])


def _levels(row: Row) -> str:
    return f"levels {row['levels']}" if row["levels"] else _UNPARTED


def _grouped(rows: Sequence[Row], *names: str) -> list[list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(groups.values())


def _exact_row(found: Sequence[Row]) -> Row:
    first = found[0]
    return {
        "scores": first["distribution"],
        "players": first["players"],
        **{
            _levels(row): f"{percent(row['exact'])} / {percent(row['exact_shared'])}"
            for row in found
        },
    }
