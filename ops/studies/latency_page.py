"""The page of the study of latency: its words, tables and pictures."""

from collections.abc import Mapping, Sequence
from typing import Final

from ops.studies.charts import dots, lines
from ops.studies.latency_found import (
    Results,
    columns,
    drawn_on,
    exact,
    median_of,
    medians,
    named,
    on_board,
    on_each,
    quartiles,
    row_of,
    rows_of,
    shares,
)
from ops.studies.latency_ratios import EVERYBODY, PARTS
from ops.studies.latency_reads import RANK
from ops.studies.latency_times import ARTICLE, NOTHING_CACHED, ROOT_CACHED
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis, Point

LEAD: Final = (
    "Does a read take longer on a larger board, and is it the handler or DynamoDB that takes the "
    "time? Default boards of lognormal(8,1) scores, of a thousand to a million players and of the "
    "histogram article's 2,501, lie side by side in one DynamoDB Local. Every read of the API is "
    "sent through the real read function, from the gateway's event to its answer. *DynamoDB* is "
    "what the function spends in calls of its client: boto3, the way to the engine and back, and "
    "the engine. *Handler* is all else. Only ratios are told: of a read to the same read on the "
    "smallest board, to one bare `GetItem`, or to the same read done the article's way, each "
    "measured in the same round."
)
LIMITS: Final = (
    "One machine that also ran the engine and was not idle: no time of it is told, because none "
    "would hold elsewhere. DynamoDB Local keeps its tables in memory, in one SQLite database: its "
    "calls cost what they cost there, not what they cost on AWS, where each has a network round "
    "trip, and a handler's share is another one. What carries over is the number of requests, and "
    "whether a read does more work on a larger board. A ratio is the median over rounds, with the "
    "quartiles behind it: a round asks about the same place of every board, its reads in an order "
    "of its own, so that a slow spell hits all of them; tails are not told. Boards differ in size "
    "and not the tables they share; they are quiet, of one distribution, with the default two "
    "levels, one index shard and no segments: what exact ranks take on larger boards, at levels 3, "
    "is not in it. Python starts and imports before the first read: cold starts are not in it. "
    "Nobody else reads, so nothing queues. The article's way is the requests it describes behind "
    "a handler of a few lines, without validation, log or metrics, and without a cache. The same "
    "seed gives the same reads and requests; times, and so all ratios, are new in each run."
)
PAST: Final = "past rank 2,000"
_TIMES: Final = (0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024)
_SHARE: Final = Axis(
    "handler's share of the time, percent", 0, 100, [(n, str(n)) for n in (0, 25, 50, 75, 100)]
)


def sections(results: Results) -> list[Section]:
    """The page."""
    return [
        _in_short(results),
        _growth(results),
        _get_item(results),
        _handler(results),
        _nothing_cached(results),
        _article(results),
    ]


def _in_short(results: Results) -> Section:
    fewest, largest = min(results["players"]), max(results["players"])
    ours = rows_of(results, ROOT_CACHED, largest)
    others = [row for row in ours if row["read"] != RANK]
    least, *_, most = sorted(others, key=lambda row: row["to_fewest"]["whole"]["median"])
    handler = [row["handler_percent"]["median"] for row in ours if row["requests"]]
    rank, article = (row_of(results, RANK, largest, way) for way in (ROOT_CACHED, ARTICLE))
    past = row_of(results, RANK, results["article_players"], ARTICLE, PAST)
    here = row_of(results, RANK, results["article_players"], ROOT_CACHED, PAST)
    text = (
        f"On a board of {largest:,} players instead of {fewest:,}, a rank takes "
        f"{median_of(rank['to_fewest']['whole'])} times as long. The other reads of the API take "
        f"between {median_of(least['to_fewest']['whole'])} times ({least['read']}) and "
        f"{median_of(most['to_fewest']['whole'])} times ({most['read']}). A rank then takes as "
        f"long as {median_of(rank['to_get_item'])} bare `GetItem` calls, the article's way as "
        f"long as {median_of(article['to_get_item'])}. What a default board's two levels leave "
        f"too many to count is told as a range: of {rank['samples']} ranks asked for, "
        f"{exact(row_of(results, RANK, fewest, ROOT_CACHED))} were exact on {fewest:,} players and "
        f"{exact(rank)} on {largest:,}. Of the time of a read that asks DynamoDB at all, the "
        f"handler takes {min(handler):.0f} to {max(handler):.0f} %. At the article's size, a rank "
        f"past 2,000 takes {median_of(here['to_article'])} of the article's way's time, by "
        f"{here['requests']:g} requests against {past['requests']:g}, one of which counts 2,000 "
        "entries."
    )
    return Section("In short", text)


def _growth(results: Results) -> Section:
    fewest, *larger = results["players"]
    largest = max(results["players"])
    table = []
    for row in drawn_on(results, largest):
        whole = {n: on_board(results, row, n)["to_fewest"]["whole"] for n in larger}
        told = [exact(on_board(results, row, players)) for players in results["players"]]
        grown = row["to_fewest"]
        table.append(
            {
                "read": named(row),
                **columns(whole, quartiles),
                "exact": " / ".join(one for one in told if one) or None,
                **{f"{part}, {largest:,}": quartiles(grown[key]) for key, part in _OF.items()},
            }
        )
    text = (
        f"The time of each read, against that of the same read on {fewest:,} players: median and "
        "quartiles over rounds, the root of the board in the function's cache and nothing else, as "
        "in a function that the board keeps busy. The last columns are DynamoDB's time and the "
        "handler's, each against its own; board info then asks DynamoDB for nothing. `exact` is "
        "the share of answers that were, from the smallest board to the largest: where a cell "
        "holds too many to count, the answer is a range and takes fewer requests (how wide it is, "
        "and what more levels do about it: [widths.md](widths.md)). A page from a rank reads the "
        "entries ahead of it in its cell, of which a larger board has more, up to `exact_limit`. "
        "Nodes fill up with the board, to 128 counters at most, which the distribution shows. The "
        "article's way grows until its count of 2,000 is full."
    )
    return Section("Growth with the board", text, table, [_growth_figure(results)])


def _growth_figure(results: Results) -> Figure:
    sizes = results["players"]
    panels: dict[str, dict[str, list[Point]]] = {}
    for row in drawn_on(results, sizes[-1]):
        panel = panels.setdefault(named(row), {})
        for part in PARTS:
            found = [(n, on_board(results, row, n)["to_fewest"][part]) for n in sizes]
            panel[_PARTS[part]] = [(n, ratio["median"]) for n, ratio in found if ratio]
    values = [y for panel in panels.values() for points in panel.values() for _, y in points]
    x = Axis(
        "players (log scale)",
        sizes[0] / 1.5,
        sizes[-1] * 1.5,
        [(n, _short(n)) for n in sizes],
        is_log=True,
    )
    y = _times_axis("times as long (log)", [0.5, 2, *values])
    title = f"Time of each read by size of the board, against the same read on {sizes[0]:,} players"
    return Figure("growth", title, lines(title, x, y, panels, columns=3, height=140))


def _get_item(results: Results) -> Section:
    title = "Time of each read, against one bare GetItem"
    found, requests = on_each(results, "to_get_item"), on_each(results, "requests")
    table = [
        {"read": read, "requests": " / ".join(f"{one:g}" for one in requests[read].values())}
        | columns(spreads, quartiles)
        for read, spreads in found.items()
    ]
    drawn = medians(found)
    axis = _times_axis("times as long as one GetItem (log scale)", _values(drawn))
    text = (
        "A bare `GetItem` of a player's score item, by the same client, comes before each read; "
        "the median of a round's is what its reads are held against. Requests are medians, from "
        "the smallest board to the largest: where they differ, the read does more or less there. "
        "They are made one after the other, so a read is about as long as its requests and what "
        "these carry. The root of the board is cached and nothing else."
    )
    figure = Figure("get-item", title, dots(title, axis, drawn))
    return Section("Against one GetItem", text, table, [figure])


def _handler(results: Results) -> Section:
    title = "The handler's share of each read's time"
    found = on_each(results, "handler_percent")
    table = [{"read": read} | columns(spreads, shares) for read, spreads in found.items()]
    text = (
        "What is not spent in calls to DynamoDB: routing, validation, adding up counters, the "
        "walk, the answer, the log line and the metrics. The engine answers from memory on the "
        "same machine; what [the handler does](../benchmarks.md) with its share is profiled by "
        "`make bench`. The article's way has no handler to speak of."
    )
    figure = Figure("handler", title, dots(title, _SHARE, medians(found)))
    return Section("Where the time goes", text, table, [figure])


def _nothing_cached(results: Results) -> Section:
    largest = max(results["players"])
    table = [
        {
            "read": row["read"],
            "requests": row["requests"],
            "to root cached": quartiles(row["to_root_cached"]),
            "to one GetItem": quartiles(row["to_get_item"]),
            f"to {min(results['players']):,} players": quartiles(row["to_fewest"]["whole"]),
            "handler's share": shares(row["handler_percent"]),
        }
        for row in rows_of(results, NOTHING_CACHED, largest)
    ]
    text = (
        f"The same reads on {largest:,} players by a function that has cached nothing of the "
        "board, neither its config nor its root. That is one request more for friends, who need no "
        "root, and two for all others, whatever the board's size."
    )
    return Section("With nothing cached", text, table)


def _article(results: Results) -> Section:
    players = results["article_players"]
    drawn: dict[str, dict[str, float]] = {}
    table = []
    for who in (EVERYBODY, PAST):
        for way in (ROOT_CACHED, NOTHING_CACHED, ARTICLE):
            row = row_of(results, RANK, players, way, who)
            drawn.setdefault(who, {})[_way(way)] = row["to_article"]["median"]
            table.append(
                {
                    "asked of": who,
                    "way": _way(way),
                    "requests": row["requests"],
                    "exact": exact(row),
                    "to the article's way": quartiles(row["to_article"]),
                    "to one GetItem": quartiles(row["to_get_item"]),
                    "handler's share": shares(row["handler_percent"]),
                }
            )
    title = f"Time of a rank on {players:,} players, against the article's way"
    axis = _times_axis("times as long as the article's way (log scale)", [0.5, *_values(drawn)])
    picture = Figure("article", title, dots(title, axis, drawn, floor=ARTICLE))
    text = (
        "The histogram article counts the entries ahead, up to 2,000; who stands deeper is looked "
        "up in a histogram of 128 buckets on one item, after the count. Ours looks at counters "
        "first, and counts only what they leave. Both are asked for the same players in the same "
        "rounds."
    )
    return Section("At the article's size", text, table, [picture])


def _way(way: str) -> str:
    return way if way == ARTICLE else f"ours, {way}"


_PARTS: Final = dict(zip(PARTS, ("whole read", "calls to DynamoDB", "handler"), strict=True))
_OF: Final = {key: part for key, part in _PARTS.items() if key != "whole"}


def _values(drawn: Mapping[str, Mapping[str, float]]) -> Sequence[float]:
    return [value for row in drawn.values() for value in row.values()]


def _times_axis(label: str, values: Sequence[float]) -> Axis:
    """An axis of powers of two that holds the values, as far as there are powers."""
    low = max((one for one in _TIMES if one <= min(values)), default=_TIMES[0])
    high = min((one for one in _TIMES if one >= max(values)), default=_TIMES[-1])
    ticks = [(one, f"{one:g}") for one in _TIMES if low <= one <= high]
    return Axis(label, low, high, ticks, is_log=True)


def _short(players: int) -> str:
    """A power of ten as one, for panels are narrow."""
    zeros = len(str(players)) - 1
    return f"10^{zeros}" if players == 10**zeros else f"{players:,}"
