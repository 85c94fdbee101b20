"""What the benchmarks must show; `make bench` fails where they do not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ops.bench import hottest_item

Rows = Sequence[Mapping[str, Any]]


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
        *_deep_ranks(results["deep_ranks"]),
        *_full_size(results["full_size"]),
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


def _deep_ranks(rows: Rows) -> Iterator[Target]:
    for row in rows:
        for name, limit in (("median", 2.0), ("p99", 2.5)):
            what = (
                f"read units a rank, {name}, {row['distribution']}, {row['population']:,} players"
            )
            yield _at_most(what, row["read_units"][name], limit)


def _full_size(rows: Rows) -> Iterator[Target]:
    for row in rows:
        what = f"players of {row['board']} answered right at levels {row['levels']}"
        players = row["players"]
        yield Target(what, f"all {players:,}", row["right"], row["right"] == players)
