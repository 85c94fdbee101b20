"""A batch on its way through calls, retries and halving."""

from collections.abc import Sequence
from dataclasses import dataclass

from ops.rig.mapping.records import Arrived


@dataclass
class Batch:
    """Records that one call is handed.

    Attributes:
        records: in order; none in a final call that comes without.
        final: it closes its window.
        not_before: when it may be handed over, seconds since 1970.
        retries: failures that counted against the quota.
        calls: calls it, or the batch it is half of, was handed to.
    """

    records: Sequence[Arrived]
    final: bool = False
    not_before: float = 0.0
    retries: int = 0
    calls: int = 0

    def halves(self) -> list["Batch"]:
        """Two batches in its place, which spends no retry; only the second closes the window."""
        middle = len(self.records) // 2
        return [
            Batch(self.records[:middle], False, self.not_before, 0, self.calls),
            Batch(self.records[middle:], self.final, self.not_before, 0, self.calls),
        ]

    def after(self, done: int) -> "Batch":
        """What is left of it when so many records are done, which spends a retry."""
        return Batch(self.records[done:], self.final, 0.0, self.retries + 1, self.calls)


def fitting(records: Sequence[Arrived], limit: int, payload_bytes: int) -> int:
    """How many records, from the first on, one event holds: at least one, if there is one."""
    size = 0
    for count, one in enumerate(records[:limit]):
        size += one.size
        if count and size > payload_bytes:
            return count
    return min(len(records), limit)
