"""Counts at a running rig what AWS's own services would report."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from botocore.hooks import BaseEventHooks

from lambdas import names
from ops.metrics.recorder import Metric, Recorder
from ops.rig.tables import TableNames

API: Final = "rig"
QUEUE: Final = "failures"
Handler = Callable[[dict[str, Any], Any], Any]
_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})


def rig_names() -> dict[str, str]:
    """What the rig calls the resources that a deployment's outputs name, by the output."""
    tables = TableNames()
    functions = (names.SUBMIT, names.READ, names.ADMIN, names.COUNT, *names.SCHEDULED)
    return {
        names.OUTPUT_SCORES_TABLE: tables.scores,
        names.OUTPUT_COUNTERS_TABLE: tables.counters,
        names.OUTPUT_BOARDS_TABLE: tables.boards,
        names.OUTPUT_SUBMISSIONS_TABLE: tables.submissions,
        names.OUTPUT_API_URL: API,
        names.OUTPUT_FAILURE_QUEUE_URL: QUEUE,
        **{f"{name.capitalize()}FunctionName": name for name in functions},
    }


class Watching:
    """Stands between a rig and its functions, and between those and DynamoDB."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def function(self, name: str, handler: Handler) -> Handler:
        """A handler whose calls are counted under a function's name."""

        def call(event: dict[str, Any], context: Any) -> Any:
            started = time.time()
            if name == names.COUNT:
                self._note_age(event, started)
            status = 500
            try:
                answer = handler(event, context)
                status = answer.get("statusCode", 200) if isinstance(answer, dict) else 200
            except BaseException:
                self._note_call(name, started, failed=True, status=500)
                raise
            self._note_call(name, started, failed=False, status=status)
            return answer

        return call

    def dynamodb(self, events: BaseEventHooks) -> None:
        """Counts the units of every call of the clients that a session makes from now on."""
        events.register("after-call.dynamodb", self._note_units)

    def _note_call(self, function: str, started: float, *, failed: bool, status: int) -> None:
        now = time.time()
        of = {"FunctionName": function}
        milliseconds = (now - started) * 1_000
        values = {"Invocations": 1, "Errors": int(failed), "Throttles": 0, "Duration": milliseconds}
        for name, value in values.items():
            self._add("AWS/Lambda", name, of, value, now)
        if function in names.ROUTES:
            server, caller = status >= 500, 400 <= status < 500
            answered = {"Count": 1, "5xx": server, "4xx": caller}
            waited = dict.fromkeys(("Latency", "IntegrationLatency"), milliseconds)
            for name, value in (answered | waited).items():
                for api in ({"ApiId": API}, {"ApiId": API, "Stage": "$default"}):
                    self._add("AWS/ApiGateway", name, api, float(value), now)

    def _note_age(self, event: Mapping[str, Any], now: float) -> None:
        records = event.get("Records") or []
        created = [one["dynamodb"]["ApproximateCreationDateTime"] for one in records]
        if created:
            age_ms = max(0.0, (now - created[-1]) * 1_000)
            self._add("AWS/Lambda", "IteratorAge", {"FunctionName": names.COUNT}, age_ms, now)

    def _note_units(self, parsed: Mapping[str, Any], model: Any, **_: Any) -> None:
        consumed = parsed.get("ConsumedCapacity", [])
        kind = "Write" if model.name in _WRITES else "Read"
        for one in consumed if isinstance(consumed, list) else [consumed]:
            for of, units in _parts(one):
                name = f"Consumed{kind}CapacityUnits"
                self._add("AWS/DynamoDB", name, of, units, time.time())

    def _add(
        self, namespace: str, name: str, of: Mapping[str, str], value: float, at: float
    ) -> None:
        self._recorder.add(Metric.of(namespace, name, of), value, at)


def _parts(consumed: Mapping[str, Any]) -> Iterator[tuple[dict[str, str], float]]:
    """Units by table and index, as CloudWatch tells them apart: the table's without its indexes."""
    of = {"TableName": consumed["TableName"]}
    indexes = consumed.get("GlobalSecondaryIndexes", {})
    in_indexes = sum(index["CapacityUnits"] for index in indexes.values())
    yield of, consumed["CapacityUnits"] - in_indexes
    for name, index in indexes.items():
        yield of | {"GlobalSecondaryIndexName": name}, index["CapacityUnits"]
