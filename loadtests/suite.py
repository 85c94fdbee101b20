"""What a suite is: a question, boards of its own, phases, and what it finds."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from loadtests.notes import Notes
from loadtests.phases import Outcome, Phase
from loadtests.run import Run, Sizes
from loadtests.stats import Stats
from ops.client import Client

if TYPE_CHECKING:
    from loadtests.caller import Caller

Json = Any
Submission = dict[str, Any]


@dataclass
class Table:
    """A table for evidence and report."""

    title: str
    columns: list[str]
    rows: list[list[Any]] = field(default_factory=list)


@dataclass
class Found:
    """What a run found, all processes together.

    Attributes:
        measured: by name, numbers that objectives may be set for.
        tables: for people.
        stats: gives what Locust has measured by now, warm-ups left out.
        words: remarks, and what differed.
        history: seconds since 1970, p50 and p95 of all requests then, ms.
    """

    notes: Notes = field(default_factory=Notes)
    outcomes: list[Outcome] = field(default_factory=list)
    measured: dict[str, float | None] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    stats: Callable[[], list[Stats]] = list
    history: list[tuple[float, float, float]] = field(default_factory=list)


class Suite(ABC):
    """One question to a stage; an instance serves one process of one run.

    Attributes:
        question: what a run answers.
        sizes: by kind of stage, how much of everything; `--set` changes one.
    """

    question: ClassVar[str]
    sizes: ClassVar[Mapping[str, Sizes]]

    def __init__(self, run: Run) -> None:
        """A suite of a run."""
        self.run = run
        self.board = run.board

    def size(self, name: str) -> Any:
        """One of the run's sizes."""
        return self.run.sizes[name]

    def rng(self, *names: object) -> random.Random:
        """The same random numbers in every process, for the same names."""
        return random.Random("/".join(map(str, (self.run.seed, *names))))  # noqa: S311 - samples

    def boards(self) -> dict[str, Json]:
        """The boards of the run and their configs."""
        return {self.board: {}}

    def players(self) -> Iterable[tuple[str, Submission]]:
        """Who is on which board before the first phase."""
        return ()

    @abstractmethod
    def phases(self) -> list[Phase]:
        """What the run does."""

    @abstractmethod
    def act(self, api: "Caller", phase: Phase, number: int) -> None:
        """Do one operation: the same number is the same operation in any process.

        Raises:
            ApiError, NotRunningError, WrongAnswerError: It failed; noted already.
        """

    @abstractmethod
    def calls(self) -> dict[str, float]:
        """How many requests of each route the phases make, for what they cost."""

    def ready(self, client: Client) -> None:  # noqa: B027 - not every suite has to
        """Wait until the boards show what was put there; on the master, before the first phase."""

    def after(self, client: Client, outcome: Outcome, found: Found) -> bool:
        """Look at what a phase did, on the master; False ends the run."""
        del client, outcome, found
        return True

    def settle(self, client: Client, found: Found) -> None:  # noqa: B027 - not every suite has to
        """Hold the stage to the run's truth when all is done; on the master."""


def batches(
    found: Iterable[tuple[str, Submission]], size: int
) -> Iterator[tuple[str, list[Submission]]]:
    """Submissions of one board at a time, so many in a batch."""
    board, batch = "", list[Submission]()
    for of, submission in found:
        if batch and (of != board or len(batch) == size):
            yield board, batch
            batch = []
        board = of
        batch.append(submission)
    if batch:
        yield board, batch
