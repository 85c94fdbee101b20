"""Tumbling windows of one stream shard: which records belong to one, and what it passes on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ops.rig.mapping.records import Arrived, instant


@dataclass
class Window:
    """An open window of one stream shard.

    Attributes:
        start, end: seconds since 1970: [start, end).
        state: what the last call that succeeded answered; what the next one is handed.
        terminated_early: the state outgrew its limit, so the next call is the final one.
    """

    start: int
    end: int
    state: Any = field(default_factory=dict)
    terminated_early: bool = False

    def holds(self, one: Arrived) -> bool:
        """Whether a record belongs here; one that says it is older than the window does too."""
        return one.created < self.end

    def fields(self, *, final: bool) -> dict[str, Any]:
        """What an event says about its window."""
        return {
            "window": {"start": instant(self.start), "end": instant(self.end)},
            "state": self.state,
            "isFinalInvokeForWindow": final,
            "isWindowTerminatedEarly": self.terminated_early,
        }


def window_of(one: Arrived, length: int) -> Window:
    """A new window around a record; windows of all shards begin at the same moments."""
    start = int(one.created // length) * length
    return Window(start, start + length)


def held_by(window: Window, records: Sequence[Arrived]) -> int:
    """How many records, from the first on, belong to a window."""
    return next((i for i, one in enumerate(records) if not window.holds(one)), len(records))
