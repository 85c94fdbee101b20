"""The page of the study of contention: its words, tables and pictures."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ops.studies.charts import lines
from ops.studies.contention_fit import (
    CHECKED_AT,
    FITTED_AT,
    FITTED_FAILED,
    GIVEN_UP,
    PREDICTED_AT,
    RETRIED,
    SUBMITS,
    WAITS,
    Fit,
    likeliest,
)
from ops.studies.shares import percent
from ops.studies.study import Figure, Section
from ops.studies.svg import Axis, Point

ONCE: Final = "given up at once"
AGAIN: Final = "tried again"
LINE: Final = "waits in line"

LEAD: Final = (
    "The histogram article keeps a board's counters on one item and updates it in each submit's "
    "transaction. Its authors sent 1,000 new players' submits at one board on AWS: with 8 in "
    "flight none failed, with 64 in flight 475 did, by conflicts and not by throttles. What lies "
    "between, would more counter shards or retries have helped, and what does the streamed design "
    "do with the same load? A discrete-event model, fitted to the first two points, answers with "
    "figures that one run on a DEV stack can refute."
)
LIMITS: Final = (
    "A model, fitted to two points that others measured; nothing here ran on AWS. The article "
    "does not say what its function did with a refused transaction, nor how long a submit took: "
    "so times are in round trips, and every way that its two points allow is shown beside the "
    "others. Hold times do not grow with load, counter shards are picked evenly and at random, and "
    "the player's own item never conflicts. Throttling is left out: the article saw none. "
    "The streamed design is shown as it is built, without a transaction: its zero is no finding of "
    "the model but its premise, which operations.md has a check for. A board of sums does write a "
    "transaction, over the items of one player alone."
)
_IN_FLIGHT: Final = Axis(
    "submits in flight (log scale)",
    1,
    128,
    [(2.0**n, str(2**n)) for n in range(8)],
    is_log=True,
)
_FAILED: Final = Axis("failed, percent", 0, 100, [(n, str(n)) for n in (0, 25, 50, 75, 100)])
_MODEL: Final = (
    "So many submits are in flight, each the next one of 1,000 as soon as one has ended. A submit "
    "takes one round trip on average (API, function, the way to DynamoDB and back); in it, its "
    "transaction reaches one counter item and holds it for a time, the *hold*. Times are drawn "
    "from a gamma distribution with a standard deviation of half the mean. What finds the item "
    "held is either refused at once, as AWS documents, and given up or tried again by the "
    "function (a refused call takes a tenth of a round trip, and then a back-off, uniform up to a "
    "limit that doubles); or, as if the service or its client held it back, it waits in line, "
    "behind at most so many holds."
)
_FITTED: Final = (
    "One parameter is fitted, the hold, to one point: 475 of 1,000 fail with 64 in flight. The "
    "residual there is that of runs on other seeds. The point with 8 in flight is not fitted; it "
    "judges: rules under which fewer than one run in twenty goes without a failure are ruled out. "
    "Attempts, back-off and patience are not fitted but tried one by one. Without a second try the "
    "model cannot meet both points: what makes half of 64 fail makes a tenth of 8 fail. So, if the "
    "model is right at all, the article's function tried again, or something waited."
)

Row = Mapping[str, Any]


def sections(fits: Sequence[Fit], spread: Sequence[Row]) -> list[Section]:
    """The page."""
    return [
        _in_short(fits, spread),
        Section("The model", _MODEL),
        Section("What was fitted", _FITTED, [_fit_row(one) for one in fits]),
        _predictions(fits),
        _counter_shards(fits, spread),
    ]


def _in_short(fits: Sequence[Fit], spread: Sequence[Row]) -> Section:
    def failed(way: str, shards: int) -> str:
        return percent(_of(spread, way, shards)["failed_percent"])

    possible = [one for one in fits if one.is_possible]
    ways = [
        f"{_range_of([one for one in possible if one.way == way], 32)} fail if they {do}"
        for way, do in ((RETRIED, "are refused and tried again"), (WAITS, "wait in line"))
        if any(one.way == way for one in possible)
    ]
    again = _of(spread, AGAIN, 8)["attempts_a_submit"]
    text = (
        "In this model the two points cannot both come of transactions that are refused once and "
        f"given up. Of {SUBMITS:,} submits with 32 in flight, {', or '.join(ways)}. "
        f"With {FITTED_AT} in flight, 8 counter shards and retries bring failures from "
        f"{failed(AGAIN, 1)} to {failed(AGAIN, 8)}, for {again:.2f} transactions a submit; without "
        f"retries 64 counter shards still fail {failed(ONCE, 64)}. The streamed design has no "
        "transaction to conflict, and its counter shards are for throughput alone."
    )
    return Section("In short", text)


def _of(spread: Sequence[Row], way: str, shards: int) -> Row:
    wanted = {"way": way, "counter_shards": shards, "in_flight": FITTED_AT}
    return next(row for row in spread if wanted.items() <= row.items())


def _fit_row(one: Fit) -> Row:
    rules = one.rules
    residual = one.mean(FITTED_AT) - FITTED_FAILED
    return {
        "a held item": one.way,
        "attempts": rules.attempts,
        "first back-off, round trips": rules.back_off if rules.attempts > 1 else None,
        "waits, holds": f"{rules.patience:g}" if rules.patience else None,
        "hold, round trips": f"{rules.hold:.4f}",
        "fail with 8": f"{one.mean(CHECKED_AT):.1f}",
        "runs with none": f"{100 * one.without_failure:.0f} %",
        "fail with 64 (residual)": f"{one.mean(FITTED_AT):.0f} ({residual:+.1f})",
        "possible": one.is_possible,
    }


def _predictions(fits: Sequence[Fit]) -> Section:
    possible = [one for one in fits if one.is_possible]
    table = []
    for way in (RETRIED, WAITS):
        of_way = [one for one in possible if one.way == way]
        if of_way:
            row: dict[str, Any] = {"a held item": way, "rules": len(of_way)}
            table.append(row | {f"{n} in flight": _range_of(of_way, n) for n in PREDICTED_AT})
    text = (
        f"Submits of {SUBMITS:,} that fail on one counter item, from the least to the most of all "
        "runs of all rules that are possible. To refute it, send 1,000 new players at one board "
        "of such counters on a DEV stack, with 16, 32 and 128 in flight: a count outside a row's "
        "range refutes that row, outside all of them the model. 32 in flight tells the two ways "
        "apart. The picture shows the possible rules that fail least and most with 32 in flight, "
        "and beside them what is ruled out: refused once and given up."
    )
    return Section("What it predicts", text, table, [_prediction_figure(fits)])


def _range_of(fits: Sequence[Fit], in_flight: int) -> str:
    failed = [count for one in fits for count in one.failed[in_flight]]
    return f"{min(failed)} to {max(failed)}"


def _prediction_figure(fits: Sequence[Fit]) -> Figure:
    panels: dict[str, dict[str, list[Point]]] = {}
    measured: list[Point] = [(CHECKED_AT, 0.0), (FITTED_AT, 100 * FITTED_FAILED / SUBMITS)]
    for way in (RETRIED, WAITS):
        possible = [one for one in fits if one.way == way and one.is_possible]
        drawn = {GIVEN_UP: _points(likeliest(fits, GIVEN_UP))}
        if possible:
            low = min(possible, key=lambda one: one.mean(32))
            high = max(possible, key=lambda one: one.mean(32))
            drawn |= {"possible, least at 32": _points(low), "possible, most": _points(high)}
        panels[way] = drawn | {"measured": measured}
    title = "Submits that fail on one counter item, and the two points measured on AWS"
    picture = lines(title, _IN_FLIGHT, _FAILED, panels, unjoined="measured")
    return Figure("predictions", title, picture)


def _points(one: Fit) -> list[Point]:
    return [(n, 100 * one.mean(n) / SUBMITS) for n in sorted(one.failed)]


def _counter_shards(fits: Sequence[Fit], spread: Sequence[Row]) -> Section:
    retried = likeliest(fits, RETRIED).rules
    ways = (ONCE, AGAIN, LINE)
    streamed = [row for row in spread if row["counter_shards"] is None]
    counts = list(dict.fromkeys(row["counter_shards"] for row in spread if row["counter_shards"]))
    table = []
    for shards in counts:
        found = {way: _of(spread, way, shards) for way in ways}
        table.append({"counter shards": str(shards)} | _columns(found, ways))
    last = next(row for row in streamed if row["in_flight"] == FITTED_AT)
    table.append({"counter shards": "streamed"} | _columns(dict.fromkeys(ways, last), ways))
    text = (
        f"The same load over 1 to 64 counter items, {FITTED_AT} in flight: what fails, and the "
        "transactions it takes a submit. `tried again` are the possible rules that fail least with "
        f"8 in flight: {retried.attempts} attempts, hold {retried.hold:.3f}. `given up at once` "
        "are the same with one attempt, which says what the retries are worth; `waits in line` are "
        "the least patient ones that are possible. Counter shards thin conflicts out and never end "
        "them: two submits of 64 meet on one of 64 items as people share a birthday. In the "
        "streamed design a submit writes the player's own item and nothing else, so that there is "
        "nothing to meet at."
    )
    return Section("Counter shards, retries, and the stream", text, table, [_shards_figure(spread)])


def _columns(rows: Mapping[str, Row], ways: Sequence[str]) -> dict[str, str]:
    failed = {f"{way}: fail": percent(rows[way]["failed_percent"]) for way in ways}
    tried = f"{rows[AGAIN]['attempts_a_submit']:.2f}"
    return failed | {f"{AGAIN}: transactions a submit": tried}


def _shards_figure(spread: Sequence[Row]) -> Figure:
    streamed: list[Point] = [
        (row["in_flight"], row["failed_percent"]) for row in spread if not row["counter_shards"]
    ]
    panels: dict[str, dict[str, list[Point]]] = {}
    for way in (ONCE, AGAIN):
        panel = panels.setdefault(way, {})
        for row in spread:
            if row["way"] == way:
                point = (row["in_flight"], row["failed_percent"])
                panel.setdefault(_many(row["counter_shards"]), []).append(point)
        panel["streamed"] = streamed
    title = "Submits that fail, by counter shards, without and with retries"
    return Figure("counter-shards", title, lines(title, _IN_FLIGHT, _FAILED, panels))


def _many(shards: int) -> str:
    return "1 counter shard" if shards == 1 else str(shards)
