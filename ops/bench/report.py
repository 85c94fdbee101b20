"""Writes `docs/benchmarks.md` and the numbers behind it, `docs/benchmarks.json`."""

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from ops.bench.populations import SEED
from ops.bench.targets import Target
from ops.markdown import table

DOCS: Final = Path(__file__).parents[2] / "docs"
NUMBERS: Final = DOCS / "benchmarks.json"
COMMAND: Final = "make bench"
LIMITS: Final = (
    "All units are the engine's own count (`ReturnConsumedCapacity`) on DynamoDB Local, which "
    "rounds as AWS does but charges nothing for an empty query (AWS half a unit) and 4 for a "
    "transactional write of one item (AWS 2). Nothing here was run on AWS; no latency, throttle or "
    "conflict is shown. Boards are loaded in bulk into tables without a stream, their counters "
    "written from the same data by the domain's code, with the marks of 30 hours of stream shards "
    "of 4 hours. Batches are cut in virtual time. Records a second are this machine's, which runs "
    "the engine on the same two cores."
)

Rows = Sequence[dict[str, Any]]


class Ran(NamedTuple):
    """The rows of a benchmark, and when they were made."""

    date: str
    rows: Rows

    @classmethod
    def now(cls, rows: Rows) -> "Ran":
        """Rows that were made just now."""
        return cls(datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), rows)


def environment() -> dict[str, str]:
    """What the numbers were made with."""
    return {
        "command": COMMAND,
        "seed": str(SEED),
        "python": platform.python_version(),
        "boto3": version("boto3"),
        "engine": "DynamoDB Local (amplify-dynamodb-simulator 2.9.30)",
        "machine": f"{platform.machine()}, 2 cores",
    }


def read() -> dict[str, Ran]:
    """What the last report holds, by the name of each benchmark."""
    held = json.loads(NUMBERS.read_text(encoding="utf-8"))["results"]
    return {name: Ran(**one) for name, one in held.items()}


def write(
    results: Mapping[str, Ran], texts: Mapping[str, tuple[str, str]], targets: Sequence[Target]
) -> None:
    """Writes both files.

    Args:
        results: what each benchmark came to, by its name.
        texts: the title of each benchmark, and what to read in its table.
        targets: what the results were held against.
    """
    made_with = environment()
    held = {name: ran._asdict() for name, ran in results.items()}
    numbers = {"environment": made_with, "limits": LIMITS, "results": held}
    NUMBERS.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    parts = ["# Benchmarks", "", "  \n".join(f"{k}: {v}" for k, v in made_with.items()), "", LIMITS]
    parts += ["", "## Targets", "", *table([target._asdict() for target in targets])]
    for name, ran in results.items():
        title, text = texts[name]
        made = f"`python -m ops.bench --update {name}`, {ran.date}"
        parts += ["", f"## {title}", "", made, "", text, "", *table(ran.rows)]
    (DOCS / "benchmarks.md").write_text("\n".join(parts) + "\n", encoding="utf-8")
