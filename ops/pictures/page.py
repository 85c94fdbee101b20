"""The page that shows the pictures, with what they rest on."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from lambdas import names
from ops.metrics import PERIOD_SECONDS, Metric, Recorder, write_units
from ops.pictures.load import READS_PER_SECOND, SUBMITS_PER_SECOND

_TEXT: Final = """# Dashboards

What an on-call engineer sees of a stage: the dashboards of the stack
`Tallyboard-<stage>-Monitoring`, drawn from their own synthesized JSON by
`python -m ops.pictures`, with the metrics of a load on the rig: {submits} submits and {reads}
reads a second for {minutes} minutes, {began} UTC ({sent} submits and {read} reads were answered;
the hottest counter item took {hottest} of the write units at most). The machine has two cores,
shared with the engine, the load and others. Dashed lines are thresholds of alarms.

## Service: are players served?

![Requests, errors, latency by API group, kinds of answers, range width and throttles](service.png)

## Counting: is it keeping up, and who is hot?

![Iterator age, lag, batches, write shares, hottest items, units by table and drift](counting.png)

## What they do not show

- Throttles, index lag and conflicts: the engine has none. Latency is that of one process on a
  shared machine, without network or cold start.
- What the gateway refuses itself: its calls are counted where they reach a function.
- What goes by five minutes (the counters' share, drift, audits, expiry lag) over time: a run this
  short has one such point, or two.
- Alarms at work: thresholds of shares hold from 100 write units a second on, below that a share
  is drawn as 0.
- Ranges of a large board: few entries a cell are counted (`count_limit` 3) so that a board of
  some thousands has ranges at all.
- `IteratorAge` and `CountLag` may be too long by the time between two polls of the stream: the
  engine tells a record's creation to the minute.
- The rig calls what runs on a schedule every minute; on AWS audit and close are called every
  five.

`ops/metrics` says what each number of the rig stands for. A picture shows the same widgets,
titles and lines as CloudWatch, not its looks.
"""


def write(path: Path, recorder: Recorder) -> None:
    """Writes it."""
    began = datetime.fromtimestamp(recorder.minutes[0] * PERIOD_SECONDS, UTC)
    text = _TEXT.format(
        submits=SUBMITS_PER_SECOND,
        reads=READS_PER_SECOND,
        minutes=len(recorder.minutes),
        began=f"{began:%-d %B %Y, %H:%M}",
        sent=_requests(recorder, names.SUBMIT),
        read=_requests(recorder, names.READ),
        hottest=f"{100 * hottest_share(recorder):.1f} %",
    )
    path.write_text(text, encoding="utf-8")


def hottest_share(recorder: Recorder) -> float:
    """The largest share of all write units that one counter item had in a minute."""
    consumed = write_units(recorder).values()
    totals = [sum(one or 0 for one in minute) for minute in zip(*consumed, strict=True)]
    pairs = zip(recorder.hottest(), totals, strict=True)
    return max((item / total for item, total in pairs if item and total), default=0.0)


def _requests(recorder: Recorder, group: str) -> str:
    of = {names.DIMENSION_STAGE: names.STAGE_RIG, names.DIMENSION_FUNCTION: group}
    metric = Metric.of(names.METRIC_NAMESPACE, names.METRIC_REQUESTS, of)
    return f"{sum(one or 0 for one in recorder.series(metric, 'Sum')):,.0f}"
