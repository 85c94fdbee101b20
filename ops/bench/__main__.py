"""`make bench`: runs every benchmark, each on an engine of its own, and writes the report.

`python -m ops.bench NAME ...` runs some and prints their rows without writing anything.
"""

import json
import sys
from collections.abc import Callable
from typing import Any, Final

from mypy_boto3_dynamodb import DynamoDBClient
from rich.console import Console

from ops.bench import (
    consumer,
    counter_units,
    deep_ranks,
    fixtures,
    full_size,
    hottest_item,
    node_sizes,
    report,
)
from ops.bench.targets import judge
from ops.rig.engine import DynamoDBLocal

Benchmark = Callable[[DynamoDBClient], list[dict[str, Any]]]

HEAP_MB: Final = 3_072  # the largest fixture holds some 200,000 items

BENCHMARKS: Final[dict[str, tuple[Benchmark, str, str]]] = {
    "counter_units": (
        counter_units.run,
        "What counting a submit consumes",
        "Write units of the counters a submit, of new players with lognormal(8,1) scores on a "
        "board of 20,000, counter shards equal to stream shards. `model` is what the design's "
        "model expected.",
    ),
    "node_sizes": (
        node_sizes.run,
        "What an update of a full counter item consumes",
        "One unit for a full deeper node and at most two for a full root of 128 buckets.",
    ),
    "hottest_item": (
        hottest_item.run,
        "The hottest counter item's share of all write units",
        "Beside the histogram article's way, run in the same engine: one transaction a submit over "
        "the player's item and the one item that holds all counters. The article itself inferred "
        "29.1 %, and drew its line at 25 %. Levels 2, four stream shards.",
    ),
    "deep_ranks": (
        deep_ranks.run,
        "What a rank reads",
        "Levels 3, one index shard, warm root, ids of 36 bytes, players drawn from the whole "
        "board. The goal is 2.0 units at the median and 2.5 at the 99th percentile.",
    ),
    "consumer": (
        consumer.run,
        "What one stream shard's consumer carries",
        "Batches of 1,000 new players with lognormal(8,1) scores. CPU is that of the consumer's "
        "process alone, on a machine that was not idle. At levels 3 nearly every record touches a "
        "node of its own: a longer batching window, fewer levels or more partitions lift it, more "
        "threads do not.",
    ),
    "full_size": (
        full_size.run,
        "Every player of the demo's boards",
        "All finishers of the ten-mile race, and all films whose title keeps the rule of player "
        "ids. `right`: exact ranks that equal the sort, and ranges that hold it. `width` is the "
        "range's share of the board.",
    ),
}


def main(names: list[str]) -> int:
    """Runs the benchmarks that are named, or all of them with their report.

    Returns:
        The exit code: 1 if a target was missed.
    """
    console = Console(stderr=True, highlight=False)
    results = {}
    for name in names or BENCHMARKS:
        run, title, _ = BENCHMARKS[name]
        with console.status(f"{title} ..."), DynamoDBLocal(heap_mb=HEAP_MB) as engine:
            client = engine.client()
            fixtures.create_tables(client)
            results[name] = run(client)
        console.print(f"{title}: done")
    if names:
        print(json.dumps(results, indent=2))  # noqa: T201 - the answer of a command
        return 0
    texts = {name: (title, text) for name, (_, title, text) in BENCHMARKS.items()}
    targets = judge(results)
    report.write(results, texts, targets)
    console.print(f"Written: {report.DOCS / 'benchmarks.md'}")
    missed = [target for target in targets if not target.met]
    for target in missed:
        console.print(f"Missed: {target.what}: {target.measured:g}, {target.limit}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
