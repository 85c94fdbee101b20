"""The evidence of a run: one file that says what was done, measured and judged."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from loadtests import objectives
from loadtests.notes import interval, mean
from loadtests.objectives import Line
from loadtests.phases import as_row
from loadtests.run import Run
from loadtests.stats import Stats
from loadtests.suite import Found
from loadtests.units import Consumed
from loadtests.verdict import EXIT_CODES, Word, word_for

FILE: Final = "evidence.json"
FORMAT: Final = 1


@dataclass(frozen=True)
class Judged:
    """What a run comes to."""

    word: Word
    lines: list[Line]
    reasons: list[str]

    @property
    def exit_code(self) -> int:
        """How the command ends."""
        return EXIT_CODES[self.word]


def judged(run: Run, found: Found, *, finished: bool, fault: str, error: str) -> Judged:
    """Hold a run to its objectives.

    Args:
        run: The run.
        found: What it found.
        finished: Whether every phase was done and looked at.
        fault: Why nothing can be measured from this client; empty if it can.
        error: What ended the run early; empty if nothing did.
    """
    found.measured["wrong answers"] = found.notes.counts["wrong"]
    found.measured["answers checked"] = found.notes.counts["checked"]
    missing = [
        f"{one.phase.label}: {one.why_not}"
        for one in found.outcomes
        if one.phase.measured and one.phase.must_reach and not one.reached
    ]
    reached = not missing
    held_to = [
        *objectives.read(objectives.EVERY_SUITE, run.where),
        *objectives.read(run.suite, run.where),
    ]
    lines = objectives.judge(held_to, found.measured, reached=reached and finished)
    failed = [one for one in lines if one.verdict == "missed"]
    unmeasured = [one for one in lines if one.verdict == "not measured"]
    word = word_for(
        fault=bool(fault),
        finished=finished,
        reached=reached,
        missed=bool(failed or unmeasured),
        missed_always=any(one.always for one in failed),
    )
    return Judged(word, lines, [text for text in (fault, *missing, error) if text])


def written(
    run: Run,
    found: Found,
    stats: Sequence[Stats],
    spent: Consumed,
    verdict: Judged,
    start: str,
    end: str,
) -> Path:
    """Write the evidence into the run's folder."""
    path = Path(run.directory) / FILE
    evidence = _evidence(run, found, stats, spent, verdict) | {"start": start, "end": end}
    path.write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
    return path


def read(directory: Path) -> dict[str, Any]:
    """The evidence in a folder."""
    found: dict[str, Any] = json.loads((directory / FILE).read_text(encoding="utf-8"))
    return found


def _evidence(
    run: Run, found: Found, stats: Sequence[Stats], spent: Consumed, verdict: Judged
) -> dict[str, Any]:
    config = {"board": run.board, "seed": run.seed, "processes": run.processes, **run.sizes}
    measured = [one for one in found.outcomes if one.phase.measured]
    requests = sum(one.requests for one in stats)
    cpu_seconds = sum(one.cpu_seconds for one in measured)
    return {
        "format": FORMAT,
        "suite": run.suite,
        "stage": run.stage,
        "local": run.where != "aws",
        "commit": run.commit,
        "config": config,
        "verdict": verdict.word,
        "exit_code": verdict.exit_code,
        "reasons": verdict.reasons,
        "objectives": objectives.as_rows(verdict.lines),
        "phases": [as_row(one) for one in found.outcomes],
        "offered": {one.phase.label: round(one.offered, 3) for one in measured},
        "achieved": {one.phase.label: round(one.achieved, 3) for one in measured},
        "requests": {
            one.name: {"requests": one.requests, "failures": one.failures} for one in stats
        },
        "percentiles": {one.name: one.percentiles() for one in stats},
        "samples": _samples(found),
        "measured": found.measured,
        "counts": dict(sorted(found.notes.counts.items())),
        "consumed": {"write_units": spent.writes, "read_units": spent.reads},
        "share": spent.share,
        "client": {
            "cpu": round(max((one.cpu for one in measured), default=0.0), 3),
            "cpu_ms_a_request": round(1000 * cpu_seconds / requests, 3) if requests else None,
            "late_seconds": round(max((one.late_seconds for one in measured), default=0.0), 4),
        },
        "cost_dollars": run.cost,
        "tables": [asdict(one) for one in found.tables],
        "series": _series(found, spent),
        "words": [*found.notes.words, *found.words],
        "limits": [*run.limits, *spent.words],
    }


def _samples(found: Found) -> dict[str, dict[str, Any]]:
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {
        name: {
            "count": sum(histogram.values()),
            "mean": mean(histogram),
            **{label: interval(histogram, share) for label, share in shares.items()},
        }
        for name, histogram in sorted(found.notes.samples.items())
    }


def _series(found: Found, spent: Consumed) -> dict[str, Any]:
    return {
        "seconds": sorted([at, *both] for at, both in found.notes.seconds.items()),
        "write_units": {name: sorted(one.items()) for name, one in spent.series.items()},
        "latency": found.history,
        "count_lag_ms": spent.lag,
        "phases": [
            [one.phase.label, round(one.started, 1), round(one.ended, 1)]
            for one in found.outcomes
            if one.phase.measured
        ],
    }
