"""The health of the rig: production's alarms, evaluated over the metrics that the rig keeps.

They are taken from the reviewed templates of the infrastructure's tests, for a synthesis takes a
minute. What `ops/metrics` says of the rig's metrics holds for the values, and what
`ops/rehearsal` says of CloudWatch for the states. Only whole minutes are looked at.
"""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from ops.metrics import PERIOD_SECONDS, Recorder, ask, write_units
from ops.pictures.body import ROOT, STAGE, exports, metric_on_rig
from ops.rehearsal import Alarm, Series, State, any_fires, replay, rule_of
from ops.rig.tables import TableNames
from ops.vitals import HOTTEST_SHOWN, MINUTES, Status, Vital, prefix_of, vital_of, worst_first

Json = Any
_TEMPLATES: Final = ROOT / "tests" / "infrastructure" / "snapshots"
_WIDEST_MINUTES: Final = 5  # the widest period of an alarm
_OF_THE_RIG: Final = (
    "The rig knows no throttles, conflicts or index lag, and its latencies are this machine's; "
    "limits are production's. An alarm lacks data until it has run for the periods it asks for."
)
_SILENT: Final = (
    "The rig did not hand out its metrics: shares, lag and alarms are not known, drift alone is."
)


def rig_status(home: Path, recount: Vital, now: datetime) -> Status:
    """What the rig of a folder says of itself, beside a recount of its counters."""
    recorder = ask(home)
    if recorder is None:
        return Status([recount], unknown=_SILENT)
    _keep_whole_minutes(recorder, int(now.timestamp() // PERIOD_SECONDS))
    hottest = sum(recorder.contributors()[-MINUTES:], Counter[str]())
    written = {of: _sum(series[-MINUTES:]) for of, series in sorted(write_units(recorder).items())}
    _end_wide_periods_now(recorder)
    return Status(
        worst_first([recount, *_vitals(recorder)]),
        [(item, float(units)) for item, units in hottest.most_common(HOTTEST_SHOWN)],
        written,
        TableNames().counters,
        _OF_THE_RIG,
    )


def _keep_whole_minutes(recorder: Recorder, now: int) -> None:
    """Leaves the minute that goes on out, unless there is no other."""
    if recorder.minutes and recorder.minutes[0] < now:
        recorder.keep(range(recorder.minutes[0], now))


def _end_wide_periods_now(recorder: Recorder) -> None:
    """Periods are counted from the oldest minute on: those that fill none are left out."""
    minutes = recorder.minutes
    if len(minutes) > _WIDEST_MINUTES:
        recorder.keep(minutes[len(minutes) % _WIDEST_MINUTES :])


def _vitals(recorder: Recorder) -> list[Vital]:
    templates = {
        part: json.loads((_TEMPLATES / f"{part.lower()}.json").read_text(encoding="utf-8"))
        for part in ("Data", "Service", "Monitoring")
    }
    on_rig, resources = exports(templates), templates["Monitoring"]["Resources"]
    vitals = [
        _vital(one, on_rig, recorder) for one in _properties(resources, "AWS::CloudWatch::Alarm")
    ]
    states = {prefix_of(STAGE) + one.name: State(one.state) for one in vitals}
    for composite in _properties(resources, "AWS::CloudWatch::CompositeAlarm"):
        state = State.ALARM if any_fires(rule_of(composite, resources), states) else State.OK
        vitals.append(vital_of(composite, STAGE, None, state.value))
    return vitals


def _properties(resources: Json, kind: str) -> list[Json]:
    return [one["Properties"] for one in resources.values() if one["Type"] == kind]


def _vital(properties: Json, on_rig: Mapping[str, str], recorder: Recorder) -> Vital:
    alarm = Alarm.of_properties(properties)
    inputs: dict[str, Series] = {
        query["Id"]: _series(query["MetricStat"], on_rig, recorder)
        for query in properties["Metrics"]
        if "MetricStat" in query
    }
    inputs |= dict.fromkeys(alarm.rules, recorder.hottest(alarm.period_seconds))
    values, seconds = alarm.values(inputs), len(recorder.minutes) * PERIOD_SECONDS
    is_known = seconds >= alarm.of * alarm.period_seconds
    state = replay(alarm, inputs)[-1] if is_known else State.INSUFFICIENT_DATA
    return vital_of(properties, STAGE, values[-1] if values else None, state.value)


def _series(stat: Json, on_rig: Mapping[str, str], recorder: Recorder) -> Series:
    of = {
        one["Name"]: value
        if isinstance(value := one["Value"], str)
        else on_rig[value["Fn::ImportValue"]]
        for one in stat["Metric"]["Dimensions"]
    }
    metric = metric_on_rig(stat["Metric"]["Namespace"], stat["Metric"]["MetricName"], of)
    return recorder.series(metric, stat["Stat"], stat["Period"])


def _sum(series: Series) -> float:
    return sum(one or 0 for one in series)
