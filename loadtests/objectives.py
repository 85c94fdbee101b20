"""Objectives of the suites, and whether a run met them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal

FILE: Final = Path(__file__).with_name("objectives.toml")
EVERY_SUITE: Final = "every"

Verdict = Literal["met", "missed", "not measured", "not judged"]


@dataclass(frozen=True, kw_only=True)
class Objective:
    """One objective.

    Attributes:
        measure: a name of what is measured; `*` stands for any part of it, and each is judged.
        at_most, at_least: the bound; one of the two.
        always: it holds whatever the load, so it is judged even where the load was not reached.
        where: the kinds of stage it is set for; empty for all.
        why: where the bound comes from.
    """

    measure: str
    at_most: float | None = None
    at_least: float | None = None
    always: bool = False
    where: tuple[str, ...] = ()
    why: str = ""

    def __post_init__(self) -> None:
        """Refuse an objective that says nothing."""
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError(f"{self.measure}: set one of at_most and at_least")

    @property
    def bound(self) -> str:
        """The bound, for people."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return f"at least {self.at_least:g}"

    def met_by(self, value: float) -> bool:
        """Whether a value meets it."""
        if self.at_most is not None:
            return value <= self.at_most
        return value >= (self.at_least or 0)


@dataclass(frozen=True)
class Line:
    """One line of the table at a run's end."""

    measure: str
    objective: str
    measured: float | None
    verdict: Verdict
    always: bool


def read(section: str, where: str, path: Path = FILE) -> list[Objective]:
    """The objectives of a suite, or of another section, on a kind of stage."""
    lines = tomllib.loads(path.read_text(encoding="utf-8")).get(section, [])
    objectives = [Objective(**one | {"where": tuple(one.get("where", ()))}) for one in lines]
    return [one for one in objectives if not one.where or where in one.where]


def judge(
    objectives: Sequence[Objective], measured: Mapping[str, float | None], *, reached: bool
) -> list[Line]:
    """Hold what was measured to the objectives; what was not measured is not met."""
    lines = []
    for one in objectives:
        matching = [name for name in measured if fnmatchcase(name, one.measure)] or [one.measure]
        for name in matching:
            value = measured.get(name)
            verdict: Verdict = "not judged"
            if reached or one.always:
                verdict = _verdict(one, value)
            lines.append(Line(name, one.bound, value, verdict, one.always))
    return lines


def _verdict(objective: Objective, value: float | None) -> Verdict:
    if value is None:
        return "not measured"
    return "met" if objective.met_by(value) else "missed"


def as_rows(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """The lines for the evidence."""
    return [asdict(one) for one in lines]
