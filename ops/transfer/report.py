"""What an import did, as lines for people and as JSON."""

from collections.abc import Iterator
from typing import Any, Final

from lambdas.domain.submissions import Outcome
from ops import present
from ops.transfer.importing import Imported

_ALWAYS: Final = (Outcome.NEW, Outcome.IMPROVED, Outcome.KEPT)


def summary(imported: Imported, *, dry_run: bool) -> dict[str, Any]:
    """The figures of an import; seconds and rate are those of the last try."""
    return {
        "window": imported.window,
        "lines": imported.taken + imported.refused,
        "taken": imported.taken,
        **_outcomes(imported),
        "refused": imported.refused,
        "seconds": round(imported.seconds, 3),
        "lines_per_second": round(imported.lines_per_second, 1),
        "refused_file": imported.refused_file,
        "resumed_behind": imported.resumed_behind,
        "dry_run": dry_run,
    }


def lines(board: str, imported: Imported, *, dry_run: bool) -> Iterator[str]:
    """What became of the lines, and the first that were refused."""
    if imported.resumed_behind:
        yield f"Went on behind line {present.number(imported.resumed_behind)}."
    read = present.many(imported.taken + imported.refused, "line")
    became = [f"{present.number(imported.taken)} would be taken"]
    if not dry_run:
        became = [f"{present.number(count)} {one}" for one, count in _outcomes(imported).items()]
    became.append(f"{present.number(imported.refused)} refused")
    rate = f"{present.number(round(imported.lines_per_second))} a second"
    yield (
        f"{board}, window {imported.window}: {read} in {imported.seconds:.1f} s ({rate}): "
        f"{', '.join(became)}"
    )
    for refusal in imported.shown:
        yield f"  line {present.number(refusal.line)}: {refusal.reason}"
    if imported.refused > len(imported.shown):
        yield f"  and {present.number(imported.refused - len(imported.shown))} more"
    if imported.refused_file:
        yield f"All refused lines: {imported.refused_file}"


def _outcomes(imported: Imported) -> dict[str, int]:
    """Lines by outcome; those that only other policies have are left out where there are none."""
    return {
        str(one): imported.counts[one] for one in Outcome if one in _ALWAYS or imported.counts[one]
    }
