"""The page of the study of widths: its words, tables and pictures."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ops.studies.charts import dots, lines
from ops.studies.populations import SYNTHETIC
from ops.studies.shares import percent
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis

LEAD: Final = (
    "A rank is told as a range as wide as the cell of scores that the player shares with others, "
    "unless the cell is counted out. How wide is that, for 64, 128 and 256 buckets and levels 1 to "
    "4; how many ranks are exact; and what do ties leave that no layout can better? Widths are in "
    "percent of the board's players, and a median or p99 is over players: half of them, or 99 of "
    "100, have no wider one. Every board has the default range of scores, 0 to 10^12, log spacing "
    "and the default limits (`top_exact`, `exact_limit`, `count_limit`), unless said."
)
LIMITS: Final = (
    "Computed, not measured: quiet boards whose counters know everybody, no stream that lags. "
    "Distributions are drawn, cut to whole scores, and clipped into the range; how the scores of a "
    "game really spread is for its own board to show (`tally distribution`). The real results are "
    "small. Exact answers are by the rules of `lambdas/domain/ranking.py` for a player's own rank, "
    "ranks of neighbours and friends follow other paths. Nothing here says what a layout costs to "
    "write or to read."
)
_WIDTH_AXIS: Final = Axis(
    "percent of the board's players (log scale)",
    0.001,
    100,
    [(10.0**n, f"{10.0**n:g}") for n in range(-3, 3)],
    is_log=True,
)
_SHARE_AXIS: Final = Axis("exact, percent", 0, 100, [(n, str(n)) for n in (0, 25, 50, 75, 100)])
_TIES: Final = "ties"

Row = Mapping[str, Any]
Results = Mapping[str, Sequence[Row]]


def sections(results: Results, shown: int, buckets: int) -> list[Section]:
    """The page about boards of so many players, and of so many buckets where one is picked."""
    synthetic = [row for row in results["widths"] if row["distribution"] in SYNTHETIC]
    ours = [row for row in synthetic if row["players"] == shown]
    real = [row for row in results["widths"] if row["distribution"] not in SYNTHETIC]
    of = f"{shown:,} players"
    return [
        _in_short(ours, results, shown, buckets),
        _levels("By levels", f"{of}, {buckets} buckets", "levels", ours, results, buckets),
        _levels("Real results", f"{buckets} buckets", "real", real, results, buckets),
        _buckets([*ours, *real], of),
        _exact(synthetic, results, shown, buckets),
        _own_ranges(results["own_ranges"]),
    ]


def _in_short(ours: Sequence[Row], results: Results, shown: int, buckets: int) -> Section:
    floors = {(row["distribution"], row["players"]): row["p99"] for row in results["ties"]}
    picked = [row for row in ours if row["buckets"] == buckets]
    at = {n: [row for row in picked if row["levels"] == n] for n in range(1, 5)}
    tied = {
        n: sum(row["p99"] <= 1.01 * floors[row["distribution"], shown] for row in rows)
        for n, rows in at.items()
    }
    text = (
        f"Over {len(at[1])} distributions of {shown:,} players, {buckets} buckets alone leave the "
        f"middle player a range of {_span(at[1], 'median')} of the board, too wide to show for "
        f"most. Levels 2 bring the p99 to {_span(at[2], 'p99')}, and where that is more than ties "
        f"leave, levels 3 to {_span(at[3], 'p99')}. The floor is met at levels 2 by {tied[2]} of "
        f"them, at levels 3 by {tied[3]}, at levels 4 by {tied[4]}. With `ties: shared`, levels 3 "
        f"make {_span(at[3], 'exact_shared')} of all ranks exact, levels 2 "
        f"{_span(at[2], 'exact_shared')}; in places of their own, {_span(at[3], 'exact')} and "
        f"{_span(at[2], 'exact')}: what shares a score with hundreds is a range, however deep the "
        "cells."
    )
    return Section("In short", text)


def _span(rows: Sequence[Row], name: str) -> str:
    values = [row[name] for row in rows]
    return f"{percent(min(values))} to {percent(max(values))}"


def _levels(
    title: str, of: str, name: str, rows: Sequence[Row], results: Results, buckets: int
) -> Section:
    floors = {(row["distribution"], row["players"]): row for row in results["ties"]}
    groups = _grouped(rows, buckets)
    table, drawn = [], {}
    for key, levels in groups.items():
        floor = floors[key]
        table.append(
            {"distribution": key[0], "players": key[1]}
            | {f"level {row['levels']}": _pair(row) for row in levels}
            | {_TIES: _pair(floor)}
        )
        drawn[key[0]] = {f"levels {row['levels']}": row["p99"] for row in levels} | {
            _TIES: floor["p99"]
        }
    title_of_chart = f"p99 width of the player's deepest cell: {of}"
    figure = Figure(name, title_of_chart, dots(title_of_chart, _WIDTH_AXIS, drawn, floor=_TIES))
    text = (
        f"Median and p99 width of the deepest cell, {of}. `ties` is the floor: the width of the "
        "group that holds the very same score, which no number of levels can part."
    )
    return Section(title, text, table, [figure])


def _buckets(rows: Sequence[Row], of: str) -> Section:
    counts = sorted({row["buckets"] for row in rows})
    names = list(dict.fromkeys(row["distribution"] for row in rows))
    table = []
    for name in names:
        entry = {"distribution": name}
        for levels in (1, 2):
            for count in counts:
                row = _pick(rows, distribution=name, buckets=count, levels=levels)
                entry[f"levels {levels}, {count} buckets"] = _pair(row)
        table.append(entry)
    title = f"p99 width at levels 2 by buckets: {of}, and real results"
    drawn = {
        name: {
            f"{count} buckets": _pick(rows, distribution=name, buckets=count, levels=2)["p99"]
            for count in counts
        }
        for name in names
    }
    text = (
        "Twice the buckets about halve the width; one level more divides it by up to "
        "128, until it meets the ties."
    )
    figure = Figure("buckets", title, dots(title, _WIDTH_AXIS, drawn))
    return Section("By buckets", text, table, [figure])


def _exact(rows: Sequence[Row], results: Results, shown: int, buckets: int) -> Section:
    ours = [row for row in results["widths"] if row["buckets"] == buckets]
    table = []
    for row in results["ties"]:
        if row["distribution"] in SYNTHETIC and row["players"] != shown:
            continue
        where = {name: row[name] for name in ("distribution", "players")}
        levels = [one for one in ours if where.items() <= one.items()]
        table.append(
            where
            | {f"levels {one['levels']}": _exact_pair(one) for one in levels}
            | {_TIES: _exact_pair(row)}
        )
    text = (
        f"Players whose own rank is exact, {buckets} buckets: each in a place of their own / equal "
        "scores sharing a rank (`ties: shared`). Every rank up to `exact_limit` is exact, which is "
        "all of a small board and little of a large one. The pictures show the first of the two by "
        "population."
    )
    return Section("Exact answers", text, table, [_exact_figure(rows, buckets)])


def _exact_figure(rows: Sequence[Row], buckets: int) -> Figure:
    populations = sorted({row["players"] for row in rows})
    ticks = [(n, f"{n:,}") for n in populations]
    x = Axis("players", min(populations) / 1.5, max(populations) * 1.5, ticks, is_log=True)
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        if row["buckets"] == buckets:
            panel = panels.setdefault(row["distribution"], {})
            line = panel.setdefault(f"levels {row['levels']}", [])
            line.append((row["players"], row["exact"]))
    title = f"Players whose own rank is exact, no rank shared, {buckets} buckets"
    return Figure("exact", title, lines(title, x, _SHARE_AXIS, panels, height=130))


def _own_ranges(rows: Sequence[Row]) -> Section:
    shown: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        if row["buckets"] == 128:
            low, high = row["range"]
            key = (row["distribution"], f"{low:,} to {high:,}", row["spacing"])
            names = ("distribution", "score_range", "spacing")
            entry = shown.setdefault(key, dict(zip(names, key, strict=True)))
            entry[f"level {row['levels']}"] = _pair(row)
    text = (
        "Scores that all lie in one stretch fill few of the buckets of the default range. A board "
        "that states its own `score_range`, and `linear` spacing where scores are amounts and not "
        "ratios, has cells about ten times narrower with the same levels, until they meet the "
        "ties, and pays nothing for it. 128 buckets, median and p99 of the deepest cell."
    )
    return Section("A range of its own", text, list(shown.values()))


def _grouped(rows: Sequence[Row], buckets: int) -> dict[tuple[str, int], list[Row]]:
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        if row["buckets"] == buckets:
            groups.setdefault((row["distribution"], row["players"]), []).append(row)
    return groups


def _pick(rows: Sequence[Row], **wanted: Any) -> Row:
    return next(row for row in rows if wanted.items() <= row.items())


def _pair(row: Row) -> str:
    return f"{percent(row['median'])} / {percent(row['p99'])}"


def _exact_pair(row: Row) -> str:
    return f"{percent(row['exact'])} / {percent(row['exact_shared'])}"
