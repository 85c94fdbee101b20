"""What the benchmarks must show; `make bench` fails where they do not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ops.bench import hottest_item, questions, route

Rows = Sequence[Mapping[str, Any]]

# Read units, the root cached, whatever the population.
READ_LIMITS: Final[Mapping[str, Mapping[str, float]]] = {
    questions.RANK: {"median": 2.0, "p99": 2.5},
    questions.RANK_ESTIMATED: {"p99": 1.0},
    questions.RANK_CAPPED: {"p99": 1.0},
    questions.TOP: {"p99": 3.0},
    questions.PAGE: {"p99": 3.0},
    questions.AROUND: {"p99": 4.5},
    questions.FRIENDS: {"p99": 76.0},
    questions.STANDING: {"p99": 3.0},
}
MOST_OF_A_BARE_CALL: Final = 2.0  # how much longer a line of an import may take
MOST_SECONDS_OF_SYNTH: Final = 20.0
READS: Final = ("reads", "reads_shards", "reads_million")  # the benchmarks that they hold for
# These query no index, so they cost the same however many index shards there are.
AT_ANY_SHARDS: Final = (questions.RANK_ESTIMATED, questions.FRIENDS)


class Target(NamedTuple):
    """One limit, and what was measured against it."""

    what: str
    limit: str
    measured: float
    met: bool


def judge(results: Mapping[str, Rows]) -> list[Target]:
    """Holds the results of a whole run against the targets."""
    return [
        *_counter_units(results["counter_units"]),
        *_node_sizes(results["node_sizes"]),
        *_hottest_item(results["hottest_item"]),
        *(target for name in READS for target in _reads(results[name])),
        *_route(results["route"]),
        *_career_sums(results["career_sums"]),
        *_imports(results["imports"]),
        *_full_size(results["full_size"]),
        *_synth(results["synth"]),
    ]


def _at_most(what: str, measured: float, limit: float) -> Target:
    return Target(what, f"at most {limit:g}", measured, measured <= limit)


def _counter_units(rows: Rows) -> Iterator[Target]:
    for row in rows:
        if row["model"] is not None:
            what = (
                f"units a submit at {row['rate']}/s, levels {row['levels']} (the model's, + 10 %)"
            )
            yield _at_most(what, row["units_a_submit"], round(row["model"] * 1.1, 2))


def _node_sizes(rows: Rows) -> Iterator[Target]:
    for row in rows:
        limit = 1 if row["node"] == "deeper node" else 2
        what = f"units an update of a full {row['node']} of {row['children']} children"
        yield _at_most(what, row["write_units"], limit)


def _hottest_item(rows: Rows) -> Iterator[Target]:
    for row in rows:
        if row["way"] == hottest_item.OURS:
            what = f"the hottest counter item's share at {row['rate']}/s"
            yield _at_most(what, row["hottest_item_share"], 0.05)


def _reads(rows: Rows) -> Iterator[Target]:
    for row in rows:
        if row["index_shards"] > 1 and row["read"] not in AT_ANY_SHARDS:
            continue
        for name, limit in READ_LIMITS.get(row["read"], {}).items():
            where = f"{row['distribution']}, {row['population']:,} players"
            shards = f", {row['index_shards']} index shards" if row["index_shards"] > 1 else ""
            what = f"read units, {name}: {row['read']}, {where}{shards}"
            yield _at_most(what, row["with_empty_queries"][name], limit)


def _route(rows: Rows) -> Iterator[Target]:
    for row in rows:
        what = f"ms a rank over HTTP, p99 of {route.SAMPLES}, of {row['asked_of']}"
        yield _at_most(what, row["ours_ms"]["p99"], route.ARTICLE_P99_MS)


def _career_sums(rows: Rows) -> Iterator[Target]:
    for row in rows:
        what = f"careers that equal the data, {row['lines']:,} lines, {row['windows']} windows"
        players = row["players"]
        yield Target(what, f"all {players:,}", row["right"], row["right"] == players)


def _imports(rows: Rows) -> Iterator[Target]:
    for row in rows:
        what = f"bare writes in the time of one line of an import of {row['lines']:,}"
        yield _at_most(what, round(row["ratio"], 3), MOST_OF_A_BARE_CALL)


def _full_size(rows: Rows) -> Iterator[Target]:
    for row in rows:
        what = f"players of {row['board']} answered right at levels {row['levels']}"
        players = row["players"]
        yield Target(what, f"all {players:,}", row["right"], row["right"] == players)


def _synth(rows: Rows) -> Iterator[Target]:
    for row in rows:
        what = f"seconds to synthesize the {row['stacks']} stacks of {row['stage']}"
        yield _at_most(what, row["seconds"], MOST_SECONDS_OF_SYNTH)
