"""What calls to DynamoDB consumed, as DynamoDB itself reports it; nothing is inferred."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

# botocore operations that consume write units; every other one here reads
_WRITES = frozenset(
    {"put_item", "update_item", "delete_item", "batch_write_item", "transact_write_items"}
)

_UNSAID = "Unsaid"  # DynamoDB gives reasons since August 2025, and not for every limit


class Meter:
    """Adds up capacity units and requests; one a call, safe to share between its threads.

    Attributes:
        requests: calls to DynamoDB that were answered.
        read_units: read units of tables and indexes.
        index_write_units: write units of the indexes.
        throttles: calls that DynamoDB had no room for, by the reasons it gave.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.requests = 0
        self.read_units = 0.0
        self._write_units = defaultdict[str, float](float)
        self.index_write_units = 0.0
        self.throttles = Counter[str]()

    @property
    def write_units(self) -> float:
        """Write units of tables without their indexes."""
        return sum(self._write_units.values())

    def write_units_of(self, table: str) -> float:
        """Write units of one table without its indexes."""
        return self._write_units.get(table, 0.0)

    def add(self, operation: str, answer: Mapping[str, Any]) -> None:
        """Notes one answer, asked for with `ReturnConsumedCapacity=INDEXES`."""
        consumed = answer.get("ConsumedCapacity", [])
        with self._lock:
            self.requests += 1
            for one in consumed if isinstance(consumed, list) else [consumed]:
                self._add(operation in _WRITES, one)

    def throttled(self, reasons: Sequence[Mapping[str, Any]]) -> None:
        """Notes a call that was throttled, under each of its `ThrottlingReasons`."""
        with self._lock:
            self.throttles.update({one.get("reason", _UNSAID) for one in reasons} or {_UNSAID})

    def _add(self, is_write: bool, consumed: Mapping[str, Any]) -> None:
        units = consumed["CapacityUnits"]
        if not is_write:
            self.read_units += units
            return
        indexes = consumed.get("GlobalSecondaryIndexes", {})
        read = consumed.get("ReadCapacityUnits", 0.0)  # of a transaction that was sent again
        self.read_units += read
        in_indexes = sum(index["CapacityUnits"] for index in indexes.values())
        self._write_units[consumed["TableName"]] += units - read - in_indexes
        self.index_write_units += in_indexes
