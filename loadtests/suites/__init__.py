"""The suites: one question each."""

from collections.abc import Mapping
from typing import Final

from loadtests.run import Run
from loadtests.suite import Suite
from loadtests.suites.capacity import Capacity
from loadtests.suites.contention import Contention
from loadtests.suites.freshness import Freshness
from loadtests.suites.mixed import Mixed
from loadtests.suites.reset import Reset
from loadtests.suites.soak import Soak
from loadtests.suites.width import Width

SUITES: Final[Mapping[str, type[Suite]]] = {
    "contention": Contention,
    "mixed": Mixed,
    "capacity": Capacity,
    "freshness": Freshness,
    "width": Width,
    "soak": Soak,
    "reset": Reset,
}


def suite_of(run: Run) -> Suite:
    """The suite of a run."""
    return SUITES[run.suite](run)
