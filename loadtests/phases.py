"""What a run does, one phase after the other, and what became of each.

An *open* phase offers operations at a rate, whether or not earlier ones have ended; a *closed* one
keeps so many in flight until a number of them is done.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

REACHED: Final = 0.95  # of the offered rate, or of the operations
IN_FLIGHT_REACHED: Final = 0.9  # of those asked for, on average until the last one was sent
SATURATED_CPU: Final = 0.85  # of a core, of one process of the client
LEAST_GRACE_SECONDS: Final = 0.5
MOST_GRACE_SECONDS: Final = 2.0
STARVED_SECONDS: Final = 0.25  # how late the client's own timer comes, on average


@dataclass(frozen=True, kw_only=True)
class Phase:
    """One phase.

    Attributes:
        label: part of the name of each request in it.
        seconds: how long it lasts; of a closed one, the most it may take.
        rate: operations offered a second, of all processes; None if closed.
        in_flight: operations kept in flight, of all processes; of an open one, the most.
        count: operations of a closed phase.
        measured: False for a warm-up, which no figure holds.
        holds_in_flight: whether a closed one has to keep as many in flight as it was asked to.
        must_reach: whether the run is void where the load was not reached.
        grace: how many seconds after its end an operation may still end in time; None for a
            tenth of its length, half a second at least and two at most.
    """

    label: str
    seconds: float
    in_flight: int
    rate: float | None = None
    count: int = 0
    measured: bool = True
    holds_in_flight: bool = True
    must_reach: bool = True
    grace: float | None = None

    @property
    def grace_seconds(self) -> float:
        """How long after its end an operation of it may still end in time."""
        if self.grace is not None:
            return self.grace
        return min(MOST_GRACE_SECONDS, max(LEAST_GRACE_SECONDS, self.seconds / 10))

    @property
    def operations(self) -> int:
        """How many operations it offers."""
        return self.count if self.rate is None else round(self.rate * self.seconds)


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one process did of a phase.

    Attributes:
        offered, begun, done: operations.
        seconds: from the start to the end of the phase; of a closed one, to its last operation.
        in_flight: on average, until the last one was begun.
        cpu: of this process, as a share of a core.
        cpu_seconds: what that comes to.
        late_seconds: how late this process's timer came, on average.
    """

    offered: int
    begun: int
    done: int
    seconds: float
    in_flight: float
    cpu: float
    cpu_seconds: float
    late_seconds: float


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a phase, of all processes together.

    Attributes:
        started, ended: seconds since 1970.
        offered, achieved: operations a second; in a closed phase, operations in flight.
        unit: what these two count.
        cpu: the share of a core that the busiest process of the client took.
        cpu_seconds: of all of them.
        late_seconds: the worst average lateness of a client's timer.
        done: operations that ended in time.
        operations: how many the phase was to offer.
    """

    phase: Phase
    started: float
    ended: float
    offered: float
    achieved: float
    unit: str
    operations: int
    done: int
    cpu: float
    cpu_seconds: float
    late_seconds: float

    @property
    def saturated(self) -> bool:
        """Whether the client, not the stage, set the pace."""
        return self.cpu > SATURATED_CPU or self.late_seconds > STARVED_SECONDS

    @property
    def reached(self) -> bool:
        """Whether the load that was asked for was there."""
        if self.saturated or self.done < REACHED * self.operations:
            return False
        if self.phase.rate is not None:
            return self.achieved >= REACHED * self.offered
        return not self.phase.holds_in_flight or self.achieved >= IN_FLIGHT_REACHED * self.offered

    @property
    def why_not(self) -> str:
        """In words, what kept the load from being reached; empty if nothing did."""
        if self.reached:
            return ""
        if self.cpu > SATURATED_CPU:
            return f"the client was saturated: {self.cpu:.0%} of a core"
        if self.late_seconds > STARVED_SECONDS:
            return f"the client was starved: its timer came {self.late_seconds:.2f} s late"
        return (
            f"{self.achieved:.4g} of {self.offered:.4g} {self.unit}, "
            f"{self.done:,} of {self.operations:,} operations in time"
        )


def outcome_of(phase: Phase, started: float, ended: float, parts: Sequence[Part]) -> Outcome:
    """The parts of all processes as one outcome."""
    seconds = max([one.seconds for one in parts], default=0.0) or phase.seconds
    done = sum(one.done for one in parts)
    if phase.rate is None:
        offered, unit = float(min(phase.in_flight, phase.count)), "in flight"
        achieved = sum(one.in_flight for one in parts)
    else:
        offered, unit = phase.rate, "operations a second"
        achieved = done / seconds
    return Outcome(
        phase=phase,
        started=started,
        ended=ended,
        offered=offered,
        achieved=achieved,
        unit=unit,
        operations=phase.operations,
        done=done,
        cpu=max((one.cpu for one in parts), default=0.0),
        cpu_seconds=sum(one.cpu_seconds for one in parts),
        late_seconds=max((one.late_seconds for one in parts), default=0.0),
    )


def share_of(whole: int, index: int, of: int) -> int:
    """What one of several processes takes of a whole number."""
    return whole // of + (index < whole % of)


def as_row(outcome: Outcome) -> dict[str, Any]:
    """An outcome for the evidence."""
    return {
        "phase": outcome.phase.label,
        "measured": outcome.phase.measured,
        "offered": round(outcome.offered, 3),
        "achieved": round(outcome.achieved, 3),
        "unit": outcome.unit,
        "operations": outcome.operations,
        "done": outcome.done,
        "seconds": round(outcome.ended - outcome.started, 3),
        "reached": outcome.reached,
        "why_not": outcome.why_not,
        "client_cpu": round(outcome.cpu, 3),
        "client_cpu_seconds": round(outcome.cpu_seconds, 3),
        "client_late_seconds": round(outcome.late_seconds, 4),
    }
