"""Two runs of a load test side by side: what moved beyond noise.

The rule. Percentiles of latencies and samples come with the ends of their 95 % interval: they moved
if these intervals do not overlap *and* the values differ by more than a tenth. Of other figures a
run has one value: they moved if they differ by more than a tenth, or if one of the two is zero.
Units are compared by the request. The intervals know the noise within a run, not that between two
runs, so what moved is worth a third run, and no more than that.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ops.errors import ClientError

Evidence = Mapping[str, Any]
FILE: Final = "evidence.json"
NOISE: Final = 0.1  # of the larger value
FORMAT: Final = 1
_OF_SAMPLES: Final = ("p50", "p95", "p99")


class EvidenceError(ClientError):
    """A file that is no evidence of a run, or two runs that cannot be compared."""

    exit_code = 2
    code = "no_evidence"
    title = "The runs cannot be compared"


@dataclass(frozen=True)
class Row:
    """One figure of both runs; None where a run does not have it."""

    name: str
    first: Any
    second: Any
    moved: bool

    @property
    def change(self) -> float | None:
        """How much the second differs from the first, as a share of it."""
        if not _is_number(self.first) or not _is_number(self.second) or not self.first:
            return None
        return float((self.second - self.first) / abs(self.first))


def read(path: Path) -> Evidence:
    """The evidence of a file, or in a run's folder.

    Raises:
        EvidenceError: There is none, or it is of another format.
    """
    file = path / FILE if path.is_dir() else path
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise EvidenceError(f"{file} is no evidence of a run, or of another format.")
    return found


def compare(first: Evidence, second: Evidence) -> list[Row]:
    """Every figure of two runs of one suite.

    Raises:
        EvidenceError: They are of different suites.
    """
    if first["suite"] != second["suite"]:
        suites = f"{first['suite']} and {second['suite']}"
        raise EvidenceError(f"Runs of {suites} answer different questions.")
    return [*_plain(first, second), *_with_ends(first, second)]


def unlike(first: Evidence, second: Evidence) -> list[str]:
    """In words, what was not the same beforehand, so that differences may come from there."""
    found = [
        f"{name}: {first[name]}, {second[name]}"
        for name in ("stage", "commit")
        if first[name] != second[name]
    ]
    configs = (first["config"], second["config"])
    for name in sorted(configs[0].keys() | configs[1].keys()):
        one, other = (config.get(name) for config in configs)
        if name != "board" and one != other:
            found.append(f"{name}: {one}, {other}")
    return found


def _plain(first: Evidence, second: Evidence) -> Iterator[Row]:
    yield Row("verdict", first["verdict"], second["verdict"], first["verdict"] != second["verdict"])
    ours, theirs = _figures(first), _figures(second)
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        one, other = ours.get(name), theirs.get(name)
        yield Row(name, one, other, _differ(one, other))


def _figures(evidence: Evidence) -> dict[str, Any]:
    """Figures that a run has one value of."""
    requests = sum(one["requests"] for one in evidence["requests"].values())
    found = {f"achieved: {name}": value for name, value in evidence["achieved"].items()}
    # Percentiles have ends and come apart from these.
    found |= {
        name: value for name, value in evidence["measured"].items() if not name.endswith(" ms")
    }
    for kind, tables in evidence["consumed"].items():
        for table, units in tables.items():
            name = f"{table}: {kind.replace('_', ' ')} a request"
            found[name] = units / requests if requests else None
    found["client CPU ms a request"] = evidence["client"]["cpu_ms_a_request"]
    return found


def _with_ends(first: Evidence, second: Evidence) -> Iterator[Row]:
    for name, one, other in _pairs(first, second):
        values = [None if found is None else found[0] for found in (one, other)]
        apart = one is None or other is None or one[2] < other[1] or other[2] < one[1]
        yield Row(name, values[0], values[1], moved=apart and _differ(*values))


def _pairs(first: Evidence, second: Evidence) -> Iterator[tuple[str, Any, Any]]:
    for kind, labels in (("percentiles", None), ("samples", _OF_SAMPLES)):
        names = [*first[kind], *(name for name in second[kind] if name not in first[kind])]
        for name in names:
            one, other = first[kind].get(name, {}), second[kind].get(name, {})
            for label in labels or sorted(one.keys() | other.keys()):
                yield f"{name} {label}", one.get(label), other.get(label)


def _differ(one: Any, other: Any) -> bool:
    if not _is_number(one) or not _is_number(other):
        return bool(one != other)
    return bool(abs(one - other) > NOISE * max(abs(one), abs(other)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
