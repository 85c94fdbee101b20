"""The dashboard that says whether counting keeps up, what it costs and which items are hot."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch

from lambdas import names
from stacks.monitoring.alarm import Watch
from stacks.monitoring.drawn import QUARTER, Drawn, Library
from stacks.monitoring.signals import WRITTEN
from stacks.monitoring.widgets import WHOLE, HottestItemsWidget, graph, text

Row = list[cloudwatch.IWidget]
_BATCH: Final[Mapping[str, str]] = {
    "records": names.METRIC_RECORDS_RECEIVED,
    "nodes written": names.METRIC_NODES_WRITTEN,
}
_ODD: Final[Mapping[str, str]] = {
    "steps already counted": names.METRIC_STEPS_ALREADY_COUNTED,
    "retries": names.METRIC_STORE_RETRIES,
    "records ignored": names.METRIC_RECORDS_IGNORED,
    "records skipped as unreadable": names.METRIC_RECORDS_UNREADABLE,
}


def counting_rows(drawn: Drawn, watches: Mapping[str, Watch]) -> list[Row]:
    """Its rows: lag, batches, who is hot and at what cost, whether the counts are right."""
    own = Library(drawn, "CountingWidgets")
    calls, durations, errors = own.function(names.COUNT)
    return [
        [
            text(
                "## Is counting keeping up, and who is hot?",
                "**Good**: iterator age and lag of a second or two, no item near a quarter of the"
                " write units, no drift. Lag shows players ranks that are as old.",
                height=3,
                runbooks=("counting-behind", "write-share", "failure-queue", "audit-drift"),
            )
        ],
        [_age(drawn, watches), _lag(drawn), _batches(drawn)],
        [_odd(drawn), _uncounted(drawn, watches), _entries(drawn, watches)],
        [
            text(
                "### The count function (calls a second, durations, errors) and its queue", height=1
            )
        ],
        [calls, durations, errors, _failures(drawn, watches)],
        [
            text(
                "### Who is hot, and what counting costs",
                "**Good**: the hottest item takes a few percent; past a quarter it is the first to"
                " throttle, at 1,000 units a second. The counters' share is money. Both are 0 below"
                " 100 write units a second.",
                height=2,
            )
        ],
        [_hottest(drawn, watches), _share(drawn, watches), _written(drawn)],
        [_hottest_items(drawn)],
        [text("### Read and write units a second: scores, then counters", height=1)],
        [*own.table("scores"), *own.table("counters")],
        [
            text(
                "### Are the counts right?",
                "**Good**: no drifting cell, an audit every five minutes.",
                height=2,
                runbooks=("audit-drift", "schedule-missed", "expiry-behind"),
            )
        ],
        [_drift(drawn, watches), _audits(drawn, watches), _audited(drawn)],
    ]


def _age(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    shown = [watches["count-lag-warning"], watches["count-lag-critical"]]
    lines = [drawn.signals.iterator_age().metric()]
    return graph("Iterator age, the oldest", lines, unit="ms", watches=shown)


def _lag(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(names.COUNT, names.METRIC_COUNT_LAG, statistic).with_(label=statistic)
        for statistic in ("p50", "p99")
    ]
    return graph("Count lag: a batch's newest record, once counted", lines, unit="ms")


def _batches(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(names.COUNT, metric, "Average").with_(label=label)
        for label, metric in _BATCH.items()
    ]
    return graph("A batch, on average", lines, unit="a batch")


def _odd(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(names.COUNT, metric, "Sum").with_(label=label)
        for label, metric in _ODD.items()
    ]
    return graph("Counted once, tried again, left out", lines, unit="a minute")


def _uncounted(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.uncounted_writes().metric()]
    shown = [watches["count-stopped-critical"]]
    return graph("Written while nothing counts", lines, unit="units a minute", watches=shown)


def _failures(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.failures_waiting().metric()]
    shown = [watches["failure-queue-filled-warning"]]
    return graph("Failure queue", lines, unit="messages", watches=shown, width=QUARTER)


def _entries(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.expiry_lag().metric()]
    shown = [watches["expiry-behind-warning"]]
    return graph("Expiry lag", lines, unit="s", watches=shown)


def _hottest(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.hottest_share().metric()]
    shown = [watches["hottest-counter-write-share-warning"]]
    return graph("Write share of the hottest counter item", lines, unit="%", watches=shown)


def _share(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.counters_share().metric()]
    shown = [watches["counters-write-share-warning"]]
    return graph("Write share of all counters", lines, unit="%", watches=shown)


def _written(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.capacity(of, "ConsumedWriteCapacityUnits").with_(label=of.replace("_", " "))
        for of in WRITTEN
    ]
    return graph("Write units by table and index", lines, unit="a minute", stacked=True)


def _hottest_items(drawn: Drawn) -> cloudwatch.IWidget:
    return HottestItemsWidget(
        "Hottest counter items: write units a minute (board, window, layout, counter shard)",
        drawn.hottest_rule,
        stack=drawn.stack,
        width=WHOLE,
    )


def _drift(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.drift().metric()]
    shown = [watches["audit-drift-warning"]]
    return graph("Drifting cells", lines, unit="cells", watches=shown)


def _audits(drawn: Drawn, watches: Mapping[str, Watch]) -> cloudwatch.IWidget:
    lines = [drawn.signals.audits().metric()]
    shown = [watches["audit-missed-warning"]]
    return graph("Audits of live windows", lines, unit="in five minutes", watches=shown)


def _audited(drawn: Drawn) -> cloudwatch.IWidget:
    lines = [
        drawn.metrics.own(names.AUDIT, metric, "Sum").with_(label=label)
        for label, metric in {
            "cells held against the index": names.METRIC_AUDIT_CELLS,
            "cells left out": names.METRIC_AUDIT_CELLS_SKIPPED,
            "read units": names.METRIC_AUDIT_READ_UNITS,
        }.items()
    ]
    return graph("What audits look at", lines, unit="a minute")
