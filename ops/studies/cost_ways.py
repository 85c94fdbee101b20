"""This system beside the other ways to rank a player, and where it is the wrong one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ops.studies import cost_prices as prices
from ops.studies.charts import dots
from ops.studies.cost_page_writes import BASE
from ops.studies.cost_reads import WHOLE
from ops.studies.cost_traffic import BETTER, NEW
from ops.studies.cost_writes import BASE_RATE
from ops.studies.shares import percent
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis

READS: Final = 100_000  # a second
LEVELS: Final = (1, 2, 3)
_TREE_LEVELS: Final = 3
_POWERS: Final = ((2, "$100"), (4, "$10,000"), (6, "$1 million"), (8, "$100 million"))
_MONTH: Final = Axis(
    "dollars a month (log scale)",
    1e2,
    1e11,
    [*((10.0**n, label) for n, label in _POWERS), (1e10, "$10 billion")],
    is_log=True,
)

Row = Mapping[str, Any]
Results = Mapping[str, Any]


def pick(rows: Sequence[Row], **wanted: Any) -> Row:
    """The first row with these values."""
    return next(row for row in rows if wanted.items() <= row.items())


def rank_units(results: Results, levels: int) -> float:
    """Read units a rank of anybody on the large board, by the costlier of its distributions."""
    at = {"players": results["players"], "asked": WHOLE, "levels": levels}
    at |= BASE
    return max(float(row["mean_units"]) for row in results["reads"] if at.items() <= row.items())


def submit_units(results: Results, levels: int) -> float:
    """Write units of a new player's submit at the base rate, item and index included."""
    at: dict[str, Any] = {"shape": NEW, "levels": levels, "rate": BASE_RATE}
    row = pick(results["writes"], **at, **BASE)
    return float(row["units_a_submit"])


def ways(results: Results) -> Section:
    """A row a way, and what a month of reads costs."""
    players = results["players"]
    rows = [*(_ours(results, levels) for levels in LEVELS), *_others(results)]
    title = f"{READS:,} ranks a second for a month, {players:,} players, reads alone"
    shown = {row["way"]: {"reads, dollars a month": row["$_a_month"]} for row in rows}
    largest = results["uncapped"][-1]
    root = pick(results["tree"], shape=NEW, levels=1)["counter_units_a_submit"]
    better = pick(results["tree"], shape=BETTER, levels=_TREE_LEVELS)
    moved = better["node_updates_a_submit"]
    text = (
        f"Ranks of players drawn from all {players:,}, {READS:,} a second around the clock, the "
        "root cached; submits are of new players, 100 a second, item, index and counters "
        "together. *Counted*: ours; the capped count, which makes the histogram article's requests "
        "(the player's item, a count of at most 2,000, then abandoned for the counters); and the "
        f"count tree's writes, each submit counted by itself: a node a level, or {moved:.2g} nodes "
        f"of {_TREE_LEVELS} levels where a player improves. *Scaled*: the uncapped count, from "
        f"{largest['ahead']:,} entries counted in {largest['requests']} pages for "
        f"{largest['read_units']:g} units to half the board. *Arithmetic*: the tree's reads, an "
        f"item and {_TREE_LEVELS} nodes, one of them cached. Its root is one item, and "
        f"every submit writes it: at {root:g} unit each, {prices.PARTITION_WRITES / root:,.0f} a "
        "second are the most a board takes, and read-modify-write loses counts (in a transaction "
        "it would cost twice the units and conflict). The article's submit is its authors' own "
        f"figure. The sorted set: {players:,} members of {prices.MEMBER_BYTES} bytes and one "
        "processing unit a call, both assumed, and its submit keeps a record in a table besides, "
        "as scores need that memory must not lose."
    )
    figure = Figure("ways", title, dots(title, _MONTH, shown))
    return Section("Beside the other ways", text, [_shown(row) for row in rows], [figure])


def _ours(results: Results, levels: int) -> dict[str, Any]:
    exact = [
        row["exact"]
        for row in results["exact_by_population"]
        if (row["players"], row["levels"]) == (results["players"], levels)
    ]
    shares = f"{percent(min(exact))} to {percent(max(exact))}"
    return _row(
        f"this system, levels {levels}",
        rank_units(results, levels),
        submit_units(results, levels),
        f"exact for {shares}, else a range",
    )


def _others(results: Results) -> list[dict[str, Any]]:
    players = results["players"]
    largest = results["uncapped"][-1]
    middle = prices.uncapped_units(players / 2, largest["read_units"], largest["ahead"])
    tree = pick(results["tree"], shape=NEW, levels=_TREE_LEVELS)["units_a_submit"]
    capped = pick(results["capped"], asked=WHOLE)["mean_units"]
    item = pick(results["writes"], shape=NEW)["item_units_a_submit"]
    index = pick(results["writes"], shape=NEW)["index_units_a_submit"]
    exact = f"exact for {percent(100 * min(1, 2_000 / players))}, else a range"
    memory: dict[str, Any] = {
        "way": "in-memory sorted set",
        "read_units": None,
        "$_a_million_ranks": prices.A_MILLION_PROCESSED,
        "$_a_month": prices.set_month(players, READS),
        "write_units": None,
        "$_a_million_submits": prices.A_MILLION_PROCESSED + prices.write_dollars(item),
        "answers": "exact",
    }
    return [
        _row("capped count", capped, prices.ARTICLE_WRITE_UNITS, exact),
        _row("uncapped count", middle, item + index, "exact"),
        _row(
            "count tree, 3 levels",
            0.5 * _TREE_LEVELS,
            tree,
            "exact and shared where a leaf is one score",
        ),
        memory,
    ]


def _row(way: str, read: float, written: float, answers: str) -> dict[str, Any]:
    a_million = prices.read_dollars(read)
    return {
        "way": way,
        "read_units": read,
        "$_a_million_ranks": a_million,
        "$_a_month": prices.a_month(a_million, READS),
        "write_units": written,
        "$_a_million_submits": prices.write_dollars(written),
        "answers": answers,
    }


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    units = row["read_units"]
    return {
        "way": row["way"],
        "read units a rank": units,
        "$ a million ranks": _dollars(row["$_a_million_ranks"]),
        f"$ a month of {READS:,}/s": f"{row['$_a_month']:,.0f}",
        "write units a submit": row["write_units"],
        "$ a million submits": _dollars(row["$_a_million_submits"]),
        "ordinal ranks": row["answers"],
    }


def _dollars(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 1_000 else f"{amount:.3g}"


def wrong(results: Results) -> Section:
    """In words, with the rates at which it turns."""
    players, two, three = results["players"], rank_units(results, 2), rank_units(results, 3)
    turns = {units: prices.break_even(players, units) for units in (two, three)}
    small = prices.break_even(players, two, prices.MEMBER_BYTES // 2)
    large = prices.break_even(players, two, prices.MEMBER_BYTES * 2)
    rows = [
        {
            "where": "one board, read all day",
            "why": f"Past {turns[three]:,.0f} to {turns[two]:,.0f} uncached ranks a second (levels "
            f"3 and 2, {players:,} players, around the clock) the sorted set costs less for reads. "
            f"With members of half or twice the bytes levels 2 turn at {small:,.0f} or "
            f"{large:,.0f}.",
        },
        {
            "where": "100,000 ranks a second of one board",
            "why": "Beyond a limit, not only dear: a rank that is counted asks every index shard "
            f"for at least half a unit, and an index partition serves {prices.PARTITION_READS:,} "
            f"units a second. So {prices.most_counted_ranks():,.0f} counted ranks a second are the "
            "most, whatever `index_shards` is, unless DynamoDB splits a partition by itself; the "
            "rest is throttled, and told a range.",
        },
        {
            "where": "ordinal ranks among many equal scores",
            "why": "Past some 50 players a score an ordinal rank is a range, and no level helps. "
            "With `ties: shared`, or tie-breakers that part the players, it is exact again.",
        },
        {
            "where": "a rank that must show a submit at once",
            "why": "The index follows in moments, counters a batch later: an answer says `as_of`. "
            "A sorted set counts at once.",
        },
        {
            "where": "hundreds of score changes a second on one board",
            "why": "One index shard takes some 500 changes a second; more shards spread the "
            "writes, and every counted rank, page and neighbour pays a query for each.",
        },
        {
            "where": "a few thousand players",
            "why": "A plain count of the index is exact at any depth, and there is nothing to "
            f"operate: of {results['uncapped'][0]['ahead']:,} ahead it takes "
            f"{results['uncapped'][0]['read_units']:g} units. This pays once boards outgrow it.",
        },
    ]
    text = (
        "Its place is the many boards that are idle or moderate, and boards whose root and first "
        "page are asked for most and cached: nothing is paid for by the hour. Elsewhere:"
    )
    return Section("Where this system is the wrong choice", text, rows)
