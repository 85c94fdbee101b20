"""The page of the study of cost: its words, tables and pictures."""

from collections.abc import Mapping
from typing import Any, Final

from ops.studies import cost_page_exact, cost_page_writes
from ops.studies import cost_prices as prices
from ops.studies.charts import dots
from ops.studies.cost_reads import WHOLE
from ops.studies.cost_ways import pick, rank_units, submit_units, ways, wrong
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis

LEAD: Final = (
    "What does a rank read, what does a submit write, and what is that in money? Units are the "
    "engine's own count on DynamoDB Local, of the code that the functions run. The board is one of "
    "40,000,000 players: it is not loaded, but laid down wherever the code will look, each counter "
    "item as full as such a board makes it and with the marks of 30 hours, so that the code cannot "
    "tell; every rank that it answers is held against the truth. Around one base (levels 2, 4 "
    "stream shards, 4 counter shards, 100 new players a second, scores lognormal(8,1)) one or two "
    "things change at a time. Prices are second-hand, noted in November 2026 for us-east-1 on "
    "demand: $0.625 a million write units, $0.125 a million read units, and for the in-memory "
    "sorted set $0.084 a GB-hour and $0.0023 a million processing units. Look them up before you "
    "decide."
)
LIMITS: Final = (
    "Nothing ran on AWS: no throttle, no conflict and no latency is here, and what AWS charges "
    "beyond the engine's count is added by its documented rules (half a read unit for a query that "
    "finds nothing, one write unit for a submit that is refused). Samples are small, so that a run "
    "takes minutes: 60 to 1,000 submits or 20 to 40 ranks a figure, good to some five percent, or "
    "ten at one submit a second. Submits come at random and evenly; in bursts they cost what their "
    "own, higher rate costs. Every counter item is taken to hold the marks of all stream shards of "
    "30 hours, which is so for busy nodes; quiet ones hold fewer, and cost less to write and to "
    "read where stream shards are many. One window and one index shard: each further window "
    "multiplies what a submit writes, each further index shard adds a query to a "
    "counted rank ([benchmarks](../benchmarks.md)). Left out on all sides: the read of the hidden "
    "flag that a submit makes (one unit), segments, sums and entries that expire, TTL, audits, "
    "functions, the HTTP API, logs, stored bytes and backups. What a sorted set's members take and "
    "a call costs is assumed, and its price is taken as it stands, without a minimum or a second "
    "copy. Where exactness ends is computed for quiet boards of the default range, spacing and "
    "limits."
)
_RANK: Final = Axis(
    "read units a rank (log scale)",
    0.4,
    50,
    [(n, f"{n:g}") for n in (0.5, 1, 2, 5, 10, 20, 40)],
    is_log=True,
)

Row = Mapping[str, Any]
Results = Mapping[str, Any]


def sections(results: Results) -> list[Section]:
    """The page of these results."""
    return [
        _in_short(results),
        cost_page_writes.writes(results["writes"]),
        cost_page_writes.shapes(results["writes"]),
        cost_page_writes.shards(results),
        cost_page_writes.marks(results["marks"]),
        _reads(results),
        ways(results),
        cost_page_exact.by_population(results["exact_by_population"], results["players"]),
        cost_page_exact.by_ties(results["exact_by_ties"]),
        wrong(results),
    ]


def _in_short(results: Results) -> Section:
    players = results["players"]
    ours = [rank_units(results, levels) for levels in (1, 2, 3)]
    written = [submit_units(results, levels) for levels in (1, 2, 3)]
    capped = pick(results["capped"], asked=WHOLE)["mean_units"]
    text = (
        f"On a board of {players:,} a rank reads {ours[0]:.3g}, {ours[1]:.3g} and {ours[2]:.3g} "
        f"units at levels 1, 2 and 3 where the root is cached, and a capped count {capped:.3g}. A "
        f"new player's submit, at 100 a second, writes {written[0]:.3g}, {written[1]:.3g} and "
        f"{written[2]:.3g}, two of them the score item and its index entry. Busier boards pay less "
        "for counting, for more submits share an update. A million ranks of levels 2 are "
        f"${prices.read_dollars(ours[1]):.3g}, a million submits "
        f"${prices.write_dollars(written[1]):.3g}. Ordinal ranks are exact until some 50 players "
        "share a score, or, with fewer ties, until cells of the deepest level hold more than 50: "
        "then a level more, or a score range of the board's own, brings them back."
    )
    return Section("In short", text)


def _reads(results: Results) -> Section:
    rows = [row for row in results["reads"] if cost_page_writes.BASE.items() <= row.items()]
    drawn: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["players"] == results["players"]:
            subject = f"{row['distribution']}, {row['asked']}"
            drawn.setdefault(subject, {})[f"levels {row['levels']}"] = row["mean_units"]
    title = f"Read units a rank, on average, of {results['players']:,} players"
    text = (
        "Players drawn from the whole board, or from its first 2,000, whose ranks are all exact. "
        "The root is cached, as it is for a second in each container; a container that ranks once "
        "a second reads it each time, `root` more, one that ranks a hundred times a hundredth of "
        "that. Half a unit is the player's item, half a unit a node below the root, and the rest a "
        "count in the index: at levels 1 the first 2,000 are counted out of the whole bucket."
    )
    table = [
        {
            "scores": row["distribution"],
            "players": row["players"],
            "of": row["asked"],
            "levels": row["levels"],
            "read units a rank": row["mean_units"],
            "the most": row["most_units"],
            "root": row["root_units"],
            "$ a million ranks": prices.read_dollars(row["mean_units"]),
        }
        for row in rows
        if row["asked"] == WHOLE or row["players"] == results["players"]
    ]
    figure = Figure("reads", title, dots(title, _RANK, drawn))
    return Section("What a rank reads", text, table, [figure])
