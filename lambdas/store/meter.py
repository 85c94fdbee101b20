"""What calls to DynamoDB consumed, as DynamoDB itself reports it; nothing is inferred."""

from collections import Counter
from collections.abc import Mapping
from threading import Lock
from typing import Any

# botocore operations that consume write units; every other one here reads
_WRITES = frozenset({"put_item", "update_item", "delete_item", "batch_write_item"})


class Meter:
    """Adds up capacity units and requests; one a request, safe to share between its threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reads: Counter[str] = Counter()
        self._writes: Counter[str] = Counter()
        self._index_writes: Counter[str] = Counter()
        self.requests = 0

    def add(self, operation: str, answer: Mapping[str, Any]) -> None:
        """Notes one answer, asked for with `ReturnConsumedCapacity=INDEXES`."""
        consumed = answer.get("ConsumedCapacity", [])
        with self._lock:
            self.requests += 1
            for one in consumed if isinstance(consumed, list) else [consumed]:
                self._add(operation in _WRITES, one)

    def _add(self, is_write: bool, consumed: Mapping[str, Any]) -> None:
        table, units = consumed["TableName"], consumed["CapacityUnits"]
        if not is_write:
            self._reads[table] += units
            return
        indexes = consumed.get("GlobalSecondaryIndexes", {})
        in_indexes = sum(index["CapacityUnits"] for index in indexes.values())
        self._writes[table] += units - in_indexes
        self._index_writes[table] += in_indexes

    @property
    def read_units(self) -> float:
        """Read units of all tables and indexes."""
        return sum(self._reads.values())

    def write_units(self, table: str) -> float:
        """Write units of one table without its indexes."""
        return self._writes[table]

    def index_write_units(self, table: str) -> float:
        """Write units of one table's indexes."""
        return self._index_writes[table]
