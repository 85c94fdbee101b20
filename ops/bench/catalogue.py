"""The benchmarks by name, and what to read in the table of each."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from ops.bench import (
    career_sums,
    consumer,
    counter_units,
    full_size,
    handler_profile,
    hottest_item,
    imports,
    node_sizes,
    reads,
    route,
    synth,
)


class Benchmark(NamedTuple):
    """A benchmark: its rows, from an engine of its own, and the text above them."""

    run: Callable[[DynamoDBClient], list[dict[str, Any]]]
    title: str
    text: str


BENCHMARKS: Final[dict[str, Benchmark]] = {
    "counter_units": Benchmark(
        counter_units.run,
        "What counting a submit consumes",
        "Write units of the counters a submit, of new players with lognormal(8,1) scores on a "
        "board of 20,000, counter shards equal to stream shards. `model` is what the design's "
        "model expected.",
    ),
    "node_sizes": Benchmark(
        node_sizes.run,
        "What an update of a full counter item consumes",
        "One unit for a full deeper node and at most two for a full root of 128 buckets.",
    ),
    "hottest_item": Benchmark(
        hottest_item.run,
        "The hottest counter item's share of all write units",
        "Beside the histogram article's way, run in the same engine: one transaction a submit over "
        "the player's item and the one item that holds all counters. The article itself inferred "
        "29.1 %, and drew its line at 25 %. Levels 2, four stream shards.",
    ),
    "reads": Benchmark(
        reads.run,
        "What reads consume",
        "Levels 3 and one index shard unless said. Each read starts with the root cached and "
        "nothing else, about somebody drawn from the whole board; ids of players are 36 bytes, "
        "index entries 153 (above 163, fifty of them no longer fit into one unit: with 169, "
        "standings in Elo's fullest cells took 3.5). Boards keep every default but the order: "
        "lap times rank ascending. `with empty queries` adds the half unit that AWS charges for "
        "each query that finds nothing, and is what the targets are held against. A cell of few "
        "has at most `count_limit` (50) players; in a crowded one a rank is a range. At levels "
        "1 a bucket that begins within `exact_limit` (2,000) is counted up to it, as every rank "
        "up to there is exact. Who stands behind that in the same bucket gets a range: the first "
        "one in a second pays for the count, the others are told by where it stopped, and are "
        "sampled as such.",
    ),
    "reads_shards": Benchmark(
        reads.run_shards,
        "What reads consume on several index shards",
        "As above. A rank, a page, neighbours and a standing cost a query an index shard, each at "
        "least half a unit, so no limit of one index shard can hold for them here; friends and "
        "ranks that no index is asked for cost the same, and are held to it.",
    ),
    "reads_million": Benchmark(
        reads.run_million,
        "What reads consume on a million players",
        "As above, on one index shard.",
    ),
    "route": Benchmark(
        route.run,
        "A rank over HTTP at the histogram article's size",
        "2,501 players of lognormal(8,1) on a default board, asked for through the rig's HTTP "
        "front by a client that signs, ours and the article's way in turns for the same "
        "players. The article reports a p99 of 70.292 ms over 25 samples; it names neither "
        "machine nor distribution, so beside that figure ours says only that it is not slower "
        "here. The ratio is the comparison: its way is the requests it describes (item, a count "
        "of up to 2,000, the histogram's item past that) behind a handler of a few lines, ours "
        "the whole read function with validation, log and metrics. `p99` is that of 25 reads, "
        "which is the slowest of them, in the middle one of 20 rounds; `p99 of all` is over the "
        "500. `uncached` empties every cache before the read. Front, functions and client share "
        "one process and the engine its two cores, on a machine that was not idle. This is no "
        "latency on AWS.",
    ),
    "handler_profile": Benchmark(
        handler_profile.run,
        "What the read function does besides waiting for DynamoDB",
        "1,000 ranks at levels 3 of 20,000 players of lognormal(8,1), the root cached. Calls to "
        "DynamoDB are timed with the engine on this machine; all else is CPU, with the engine's "
        "answers played back, and its parts by the handler's stack at each millisecond, the "
        "largest first. What is ours of it is what a read is for: two nodes to add up, of up to "
        "128 counters in each of four items, and the walk down to a rank.",
    ),
    "consumer": Benchmark(
        consumer.run,
        "What one stream shard's consumer carries",
        "Batches of 1,000 new players with lognormal(8,1) scores. CPU is that of the consumer's "
        "process alone, on a machine that was not idle. At levels 3 nearly every record touches a "
        "node of its own: a longer batching window, fewer levels or more partitions lift it, more "
        "threads do not.",
    ),
    "career_sums": Benchmark(
        career_sums.run,
        "What a sum submit consumes, and every career it adds up to",
        "All 21,699 seasons of 1,228 baseball players, added up to home runs of a career, in a "
        "shuffled order, every tenth line sent twice under its id; with more than one window a "
        "tenth of the lines. `right`: players whose sum is that of the data. Units are those of a "
        "submit that is no repeat, its writes made one by one; in a transaction AWS documents "
        "twice that for the tables, and says nothing of an index. `engine in transaction` is what "
        "the engine itself reports: four times the units of one item a table, however many are "
        "written there.",
    ),
    "imports": Benchmark(
        imports.run,
        "What an import carries",
        "100,000 lines of new players with lognormal(8,1) scores, over tables with a stream, "
        "beside bare `UpdateItem` calls: the same writes with parameters made beforehand, from "
        "the same process with as many in flight, 10,000 before and as many after. `ratio` is how "
        "much longer a line takes than a bare call. All share two cores with the engine, on a "
        "machine that was not idle.",
    ),
    "full_size": Benchmark(
        full_size.run,
        "Every player of the demo's boards",
        "All finishers of the ten-mile race, and all films whose title keeps the rule of player "
        "ids. `right`: exact ranks that equal the sort, and ranges that hold it. `width` is the "
        "range's share of the board.",
    ),
    "synth": Benchmark(
        synth.run,
        "How long all stacks take to synthesize",
        "`app.py` as the CDK CLI runs it, wall time with its Node, the functions' assets built "
        "beforehand; the CLI itself takes a second or two more.",
    ),
}
