"""What was written, by table and index: the sum that shares are of."""

from ops.metrics.recorder import Recorder
from ops.rehearsal import Series
from ops.rig.tables import TableNames


def write_units(recorder: Recorder) -> dict[str, Series]:
    """Write units a minute by table, or table and index, as in `Scores/byRank`.

    Those of the boards' table are left out: it is written by hand, now and then.
    """
    found = {}
    for metric in recorder.metrics:
        of = dict(metric.dimensions)
        if metric.name == "ConsumedWriteCapacityUnits" and of["TableName"] != TableNames().boards:
            parts = (of["TableName"], of.get("GlobalSecondaryIndexName"))
            found["/".join(filter(None, parts))] = recorder.series(metric, "Sum")
    return found
