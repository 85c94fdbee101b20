"""`make bench`: runs every benchmark, each on an engine of its own, and writes the report.

`python -m ops.bench NAME ...` runs some and prints their rows without writing anything; with
`--update` they take their places in the report, beside the others as they were.
"""

import json
import sys
from typing import Final

from rich.console import Console

from ops.bench import fixtures, report
from ops.bench.catalogue import BENCHMARKS
from ops.bench.targets import judge
from ops.rig.engine import DynamoDBLocal

HEAP_MB: Final = 4_096  # two boards of a million take 2,600


UPDATE: Final = "--update"


def main(arguments: list[str]) -> int:
    """Runs the benchmarks that are named, or all of them with their report.

    Returns:
        The exit code: 1 if a target was missed.
    """
    console = Console(stderr=True, highlight=False)
    names = [name for name in arguments if name != UPDATE]
    results = report.read() if UPDATE in arguments else {}
    for name in names or BENCHMARKS:
        run, title, _ = BENCHMARKS[name]
        with console.status(f"{title} ..."), DynamoDBLocal(heap_mb=HEAP_MB) as engine:
            client = engine.client()
            fixtures.create_tables(client)
            results[name] = report.Ran.now(run(client))
        console.print(f"{title}: done")
    if names and UPDATE not in arguments:
        rows = {name: ran.rows for name, ran in results.items()}
        print(json.dumps(rows, indent=2))  # noqa: T201 - the answer of a command
        return 0
    texts = {name: (one.title, one.text) for name, one in BENCHMARKS.items()}
    targets = judge({name: ran.rows for name, ran in results.items()})
    report.write({name: results[name] for name in BENCHMARKS}, texts, targets)
    console.print(f"Written: {report.DOCS / 'benchmarks.md'}")
    missed = [target for target in targets if not target.met]
    for target in missed:
        console.print(f"Missed: {target.what}: {target.measured:g}, {target.limit}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
