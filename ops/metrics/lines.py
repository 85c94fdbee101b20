"""Reads the lines that the functions print: EMF records, and those of the contributor rule."""

import json
import threading
from collections.abc import Callable
from datetime import datetime
from io import TextIOBase
from typing import Any

from lambdas.names import LOG_COUNTER_ITEM, LOG_ROOT_UPDATED, LOG_WRITE_UNITS
from ops.metrics.recorder import Metric, Recorder


def take(recorder: Recorder, line: str) -> None:
    """Notes what a line of a function's log says; one that says nothing of metrics is passed over.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    if not line.startswith("{"):
        return
    try:
        record = json.loads(line)
    except json.JSONDecodeError:  # a line that was cut off, at the end of a log
        return
    if "_aws" in record:
        _take_metrics(recorder, record)
    elif record.get("message") == LOG_ROOT_UPDATED:
        at = datetime.strptime(record["timestamp"], "%Y-%m-%d %H:%M:%S,%f%z").timestamp()
        recorder.contributed(record[LOG_COUNTER_ITEM], record[LOG_WRITE_UNITS], at)


def _take_metrics(recorder: Recorder, record: dict[str, Any]) -> None:
    at = record["_aws"]["Timestamp"] / 1_000
    for directive in record["_aws"]["CloudWatchMetrics"]:
        for dimensions in directive["Dimensions"]:
            of = {name: record[name] for name in dimensions}
            for definition in directive["Metrics"]:
                name = definition["Name"]
                metric = Metric.of(directive["Namespace"], name, of)
                value = record[name]
                for one in value if isinstance(value, list) else [value]:
                    recorder.add(metric, one, at)


class Lines(TextIOBase):
    """A stream that hands on whole lines; each thread's are its own, however they interleave."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._begun = threading.local()

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str) -> int:
        """Takes text; what follows the last line end waits for the rest of its line."""
        *lines, rest = (getattr(self._begun, "text", "") + text).split("\n")
        self._begun.text = rest
        for line in lines:
            self._on_line(line)
        return len(text)
