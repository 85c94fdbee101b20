"""The page of the study of cost: what submits write, and what shards and marks add."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ops.studies import cost_prices as prices
from ops.studies.charts import dots, lines
from ops.studies.cost_reads import WHOLE
from ops.studies.cost_traffic import NEW, NEW_WIDE
from ops.studies.cost_writes import BASE_RATE
from ops.studies.shares import percent
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis, Point

BASE: Final = {"stream_shards": 4, "counter_shards": 4}
_RATE: Final = Axis(
    "submits a second (log scale)",
    0.8,
    1_250,
    [(1, "1"), (10, "10"), (100, "100"), (1_000, "1,000")],
    is_log=True,
)
_COUNTED: Final = Axis("counters, write units a submit", 0, 4, [(n, str(n)) for n in range(5)])
_SUBMIT: Final = Axis("write units a submit", 0, 7, [(n, str(n)) for n in range(8)])
_SHARDS: Final = Axis(
    "counter shards (log scale)", 0.9, 36, [(n, str(n)) for n in (1, 4, 16, 32)], is_log=True
)
_UNITS: Final = Axis("capacity units", 0, 10, [(n, str(n)) for n in (0, 2, 4, 6, 8, 10)])
_MARKS: Final = Axis("marks in the item", 0, 130, [(n, str(n)) for n in (0, 8, 16, 32, 64, 128)])
_UPDATE: Final = Axis("write units an update", 0, 5, [(n, str(n)) for n in range(6)])

Row = Mapping[str, Any]
Results = Mapping[str, Any]
Panels = dict[str, dict[str, list[Point]]]


def writes(rows: Sequence[Row]) -> Section:
    """What counting a new player takes, by rate, levels and how scores spread."""
    main = [row for row in rows if row["shape"] in (NEW, NEW_WIDE) and BASE.items() <= row.items()]
    panels: Panels = {}
    for row in main:
        panel = "scores that crowd" if row["shape"] == NEW else "scores that spread wide"
        series = panels.setdefault(panel, {}).setdefault(f"levels {row['levels']}", [])
        series.append((row["rate"], row["counter_units_a_submit"]))
    title = "Write units of counting a new player, by rate and levels"
    text = (
        "What the counters take; the score item and its index entry are one unit each on top, at "
        "any rate. A batch updates each node once however many of its submits meet there, and "
        "batches grow with the rate. Scores that crowd meet soon; those that spread wide, "
        "lognormal(12,3), meet at the root and hardly below. 4 stream shards, 4 counter shards."
    )
    table = [
        {
            "scores": "crowd" if row["shape"] == NEW else "spread wide",
            "levels": row["levels"],
            "submits a second": row["rate"],
            "node updates a submit": row["node_updates_a_submit"],
            "units a node update": row["units_a_node_update"],
            "counters, units a submit": row["counter_units_a_submit"],
            "all, units a submit": row["units_a_submit"],
            "$ a million submits": prices.write_dollars(row["units_a_submit"]),
        }
        for row in main
    ]
    figure = Figure("writes", title, lines(title, _RATE, _COUNTED, panels))
    return Section("What a submit writes, by rate and levels", text, table, [figure])


def shapes(rows: Sequence[Row]) -> Section:
    """What each shape of traffic writes, all of it."""
    base = [row for row in rows if row["rate"] == BASE_RATE and BASE.items() <= row.items()]
    shapes = dict.fromkeys(row["shape"] for row in base)
    at = {shape: [row for row in base if row["shape"] == shape] for shape in shapes}
    drawn = {
        shape: {f"levels {row['levels']}": row["units_a_submit"] for row in found[:3]}
        for shape, found in at.items()
    }
    title = "All write units a submit, by shape of traffic, 100 a second"
    text = (
        "Real submits, then their records counted. Who improves moves an index entry, two units, "
        "and takes a count out of one cell and into another: up to twice the nodes. A worse result "
        "or a repeat writes nothing: its condition fails, which AWS charges one unit, no record "
        "follows and nothing is counted. *A game's mix* is of ten submits one new player, three "
        "who improve by a tenth on average, five worse results and a repeat. All on one score is "
        "the hottest cell there can be, and the cheapest: every batch updates one node a level."
    )
    table = [
        {
            "shape": row["shape"],
            "levels": row["levels"],
            "item": row["item_units_a_submit"],
            "index": row["index_units_a_submit"],
            "counters": row["counter_units_a_submit"],
            "all, units a submit": row["units_a_submit"],
            "$ a million submits": prices.write_dollars(row["units_a_submit"]),
        }
        for found in at.values()
        for row in found[:3]
    ]
    figure = Figure("shapes", title, dots(title, _SUBMIT, drawn))
    return Section("By shape of traffic", text, table, [figure])


def shards(results: Results) -> Section:
    """What stream shards and counter shards make of writes and reads."""
    at_rate = [row for row in results["writes"] if (row["shape"], row["rate"]) == (NEW, BASE_RATE)]
    spread = [
        row
        for row in results["reads"]
        if (row["distribution"], row["players"], row["asked"])
        == (results["reads"][-1]["distribution"], results["players"], WHOLE)
    ]
    table = [
        {
            "stream shards": row["stream_shards"],
            "counter shards": row["counter_shards"],
            "levels": row["levels"],
            "units a node update": row["units_a_node_update"],
            "counters, units a submit": row["counter_units_a_submit"],
            "read units a rank": next(
                (read["mean_units"] for read in spread if _same_layout(row, read)), None
            ),
        }
        for row in at_rate
        if row["levels"] in (2, 3)
    ]
    panels = {
        "write units a submit, counters alone, levels 3": _by_shards(
            at_rate, "counter_units_a_submit"
        ),
        "read units a rank, levels 3": _by_shards(spread, "mean_units"),
    }
    title = "Units by stream shards and counter shards, 100 new players a second"
    text = (
        "More stream shards are more batches, each smaller: fewer submits share an update. Counter "
        "shards keep items apart, and so small: the marks of 64 stream shards in 4 of them make an "
        "update cost several units. But a rank reads all counter shards of a node, whose marks are "
        "as many however they are spread, and whose counts are repeated in each: so more counter "
        "shards than stream shards make ranks dear and save nothing. Ranks here are of scores that "
        "spread wide."
    )
    figure = Figure("shards", title, lines(title, _SHARDS, _UNITS, panels))
    return Section("By stream shards and counter shards", text, table, [figure])


def _same_layout(one: Row, other: Row) -> bool:
    names = ("levels", "stream_shards", "counter_shards")
    return all(one[name] == other[name] for name in names)


def _by_shards(rows: Iterable[Row], name: str) -> dict[str, list[Point]]:
    drawn: dict[str, list[Point]] = {}
    for row in sorted(rows, key=lambda row: (row["stream_shards"], row["counter_shards"])):
        if row["levels"] == 3:
            points = drawn.setdefault(f"{row['stream_shards']} stream shards", [])
            points.append((row["counter_shards"], row[name]))
    return drawn


def marks(rows: Sequence[Row]) -> Section:
    """What the marks in an item weigh."""
    drawn: dict[str, list[Point]] = {}
    for row in rows:
        point = (row["marks"], row["write_units_an_update"])
        drawn.setdefault(row["node"], []).append(point)
    title = "Write units of one update of a counter item, by the marks it holds"
    text = (
        "A mark says how far an item has counted one stream shard, so that no batch counts twice; "
        "24 bytes with its name "
        "([decision 0007](../decisions/0007-marks-no-longer-than-their-number.md)). A stream shard "
        "lives some 4 hours and its mark 30, so each of today's leaves 8: 4 stream shards and 4 "
        "counter shards make 8 marks an item, 64 and 4 make 128. Full is 128 children, counts of "
        "six digits in a deeper node and of eight in the root; few are four children. A write unit "
        "is 1 KB: without marks each of these updates would be one."
    )
    table = [
        {
            "node": row["node"],
            "marks": row["marks"],
            "bytes of the item": row["bytes"],
            "of them marks": percent(100 * row["bytes_of_marks"] / row["bytes"]),
            "write units an update": row["write_units_an_update"],
        }
        for row in rows
    ]
    figure = Figure("marks", title, lines(title, _MARKS, _UPDATE, {"": drawn}, columns=1))
    return Section("What marks weigh", text, table, [figure])
