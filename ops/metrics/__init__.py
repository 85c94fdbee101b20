"""What CloudWatch would know of a rig: the same metrics under the same names and dimensions.

| on AWS | on the rig |
|---|---|
| namespace `Tallyboard` | the EMF records that the functions print, as they stand |
| `AWS/DynamoDB` consumed units | `ConsumedCapacity` of the answers that the functions got |
| `AWS/Lambda` | calls of the handlers: no cold start, one process for all of them |
| `AWS/Lambda` `IteratorAge` | now minus the creation of a batch's last record; as `CountLag` it is too long by at most the time between two polls of the stream (`ops/rig/streams.py`) |
| `AWS/ApiGateway` | calls that reached a handler, by its answer; what the front refuses is not among them |
| `AWS/SQS` | lines of the rig's file of failures, as often as `note_failures` looks |
| the contributor rule | the log lines that it would read |

Resources go by the rig's own names (`rig_names`). Throttles never occur: the engine has none, and
DynamoDB reports no metric then either. Latency is that of one machine that does everything.
"""  # noqa: E501 - a table

from ops.metrics.asking import Answering, ask
from ops.metrics.lines import Lines, take
from ops.metrics.recorder import PERIOD_SECONDS, Metric, Recorder
from ops.metrics.recording import note_failures, recording
from ops.metrics.units import write_units
from ops.metrics.watching import Watching, rig_names

__all__ = [
    "PERIOD_SECONDS",
    "Answering",
    "Lines",
    "Metric",
    "Recorder",
    "Watching",
    "ask",
    "note_failures",
    "recording",
    "rig_names",
    "take",
    "write_units",
]
