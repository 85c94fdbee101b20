"""What a study is: it runs from a seed, tells how far it is, and hands back what it found."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

SEED: Final = 20261201

Step = Callable[[str], None]
"""Told before each step what it is about."""


class Figure(NamedTuple):
    """A picture: the end of its file's name, what it shows in a sentence, and the SVG."""

    name: str
    shows: str
    svg: str


class Section(NamedTuple):
    """A part of the page: text, then pictures, then a table."""

    title: str
    text: str
    rows: Sequence[Mapping[str, Any]] = ()
    figures: Sequence[Figure] = ()


class Findings(NamedTuple):
    """What a study came to.

    Attributes:
        results: every number, for the JSON file.
        sections: the page, which shows those that matter.
    """

    results: Mapping[str, Any]
    sections: Sequence[Section]


class Study(Protocol):
    """A study with its parameters.

    Attributes:
        name: of the command and of the files.
        lead: what is asked, and how it is answered.
        limits: what the answer does not cover.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def lead(self) -> str: ...

    @property
    def limits(self) -> str: ...

    @property
    def steps(self) -> int:
        """How often `run` calls its `step`."""
        ...

    def run(self, seed: int, step: Step) -> Findings:
        """Runs it; the same seed gives the same findings, but for what is measured in time."""
        ...
