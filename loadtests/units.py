"""What a run consumed, by table and index, as far as its stage can tell.

On AWS the tables' own metrics say it, a minute at a time. On the rig the functions' metric records
say it, which DynamoDB Local answered them: they lie in the rig's log. Nothing is inferred; what a
stage does not tell is said in words.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lambdas import names
from ops.client import Outputs, state_dir

SCORES, INDEX, COUNTERS, LEDGER = "Scores", "Scores/byRank", "Counters", "Submissions"
TOGETHER: Final = "all tables and indexes"
SETTLING_SECONDS: Final = 3.0  # the last batches are counted a second or two after the run
METRICS_SECONDS: Final = 180.0  # until CloudWatch has a minute's sums
MINUTE: Final = 60
_LAG: Final = "lag"
# Of every stage in the account: the functions' metrics have no dimension of a stage.
_LAG_QUERY: Final[dict[str, Any]] = {
    "Id": _LAG,
    "MetricStat": {
        "Metric": {
            "Namespace": names.METRIC_NAMESPACE,
            "MetricName": names.METRIC_COUNT_LAG,
            "Dimensions": [{"Name": "service", "Value": names.SERVICE}],
        },
        "Period": MINUTE,
        "Stat": "Maximum",
    },
}
_WRITES: Final = {
    names.METRIC_SCORE_WRITE_UNITS: SCORES,
    names.METRIC_INDEX_WRITE_UNITS: INDEX,
    names.METRIC_LEDGER_WRITE_UNITS: LEDGER,
    names.METRIC_COUNTER_WRITE_UNITS: COUNTERS,
}


@dataclass
class Consumed:
    """Units of a run.

    Attributes:
        writes, reads: units by table or index.
        series: by table or index, write units by the second since 1970.
        lag: seconds since 1970, and how old the newest record of a batch was at most, ms.
        words: what the stage cannot tell.
    """

    writes: dict[str, float] = field(default_factory=dict)
    reads: dict[str, float] = field(default_factory=dict)
    series: dict[str, dict[int, float]] = field(default_factory=dict)
    lag: list[tuple[int, float]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def share(self) -> float | None:
        """The counters' share of write units: counters / (counters + scores + index)."""
        whole = sum(self.writes.get(one, 0.0) for one in (SCORES, INDEX, COUNTERS))
        return round(self.writes.get(COUNTERS, 0.0) / whole, 4) if whole else None


def consumed(outputs: Outputs, start: float, end: float) -> Consumed:
    """What was consumed between two instants, seconds since 1970."""
    if outputs.stage == names.STAGE_RIG:
        return of_the_rig(state_dir() / "rig" / "rig.log", start, end)
    if outputs.is_local:
        return Consumed(words=["Consumed capacity: this emulator keeps no metrics of tables."])
    return of_aws(outputs, start, end)


def of_the_rig(log: Path, start: float, end: float) -> Consumed:
    """Add up the metric records of the functions."""
    if not log.exists():
        return Consumed(words=["Consumed capacity: the rig's log is not on this machine."])
    _wait_until(end + SETTLING_SECONDS)
    found, reads = Consumed(), 0.0
    writes: defaultdict[str, float] = defaultdict(float)
    series: defaultdict[str, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    lag: defaultdict[int, float] = defaultdict(float)
    for at, record in _records(log):
        if not start <= at <= end + SETTLING_SECONDS:
            continue
        reads += sum(record.get(names.METRIC_READ_UNITS, []))
        for metric, table in _WRITES.items():
            units = sum(record.get(metric, []))
            writes[table] += units
            if units:
                series[table][int(at)] += units
        if ages := record.get(names.METRIC_COUNT_LAG):
            lag[int(at)] = max(lag[int(at)], *ages)
    found.writes, found.reads = dict(writes), {TOGETHER: reads}
    found.series = {table: dict(one) for table, one in series.items()}
    found.lag = sorted(lag.items())
    found.words = [
        "Read units: of all tables and indexes together, by the functions' own records; "
        "those of the count function are not among them.",
        "How old records are when they are counted: as the rig's polls of the stream bound it.",
    ]
    return found


def of_aws(outputs: Outputs, start: float, end: float) -> Consumed:
    """Ask CloudWatch for the tables' own metrics: whole minutes, so the run's edges are blurred."""
    import boto3  # a stage on AWS alone needs it

    _wait_until(end + METRICS_SECONDS)
    client = boto3.client("cloudwatch", region_name=outputs.region)
    queries = _queries(outputs)
    answer = client.get_metric_data(
        MetricDataQueries=[*(one["query"] for one in queries.values()), _LAG_QUERY],
        StartTime=datetime.fromtimestamp(start // 60 * 60, UTC),
        EndTime=datetime.fromtimestamp(end // 60 * 60 + 120, UTC),
        ScanBy="TimestampAscending",
    )
    found = Consumed(words=["Consumed capacity: sums of whole minutes, other users' included."])
    for result in answer["MetricDataResults"]:
        seconds = [int(at.timestamp()) for at in result["Timestamps"]]
        points = dict(zip(seconds, result["Values"], strict=True))
        if result["Id"] == _LAG:
            found.lag = list(points.items())
            continue
        query, total = queries[result["Id"]], sum(points.values())
        if query["writes"]:
            found.writes[query["of"]] = total
            found.series[query["of"]] = {at: one / MINUTE for at, one in points.items()}
        else:
            found.reads[query["of"]] = total
    return found


def _queries(outputs: Outputs) -> dict[str, dict[str, Any]]:
    tables = {
        SCORES: [("TableName", outputs.scores_table)],
        INDEX: [
            ("TableName", outputs.scores_table),
            ("GlobalSecondaryIndexName", names.RANK_INDEX),
        ],
        COUNTERS: [("TableName", outputs.counters_table)],
        LEDGER: [("TableName", outputs.submissions_table)],
        "Boards": [("TableName", outputs.boards_table)],
    }
    found = {}
    for number, (of, dimensions) in enumerate(tables.items()):
        for letter, kind in (("r", "Read"), ("w", "Write")):
            metric = {
                "Namespace": "AWS/DynamoDB",
                "MetricName": f"Consumed{kind}CapacityUnits",
                "Dimensions": [{"Name": name, "Value": value} for name, value in dimensions],
            }
            stat = {"Metric": metric, "Period": MINUTE, "Stat": "Sum"}
            query = {"Id": f"{letter}{number}", "MetricStat": stat}
            found[query["Id"]] = {"query": query, "of": of, "writes": kind == "Write"}
    return found  # type: ignore[return-value]


def _records(log: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith('{"_aws"'):
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # two threads wrote at once
                yield record["_aws"]["Timestamp"] / 1000, record


def _wait_until(when: float) -> None:
    time.sleep(max(0.0, when - time.time()))
