"""`tally evidence`: what load tests found."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from ops import evidence
from ops.commands.common import EXIT_FAILED, AsJson, out, print_json, reported

app = typer.Typer(no_args_is_help=True, help="Look at what load tests found.")
Run = Annotated[Path, typer.Argument(help="A run's folder, or its evidence file.")]


@app.callback()
def group() -> None:
    """Look at what load tests found."""


@app.command(epilog="Example: tally evidence compare docs/evidence/soak-rig reports/soak/...")
def compare(
    first: Run,
    second: Run,
    everything: Annotated[bool, typer.Option("--all", help="Show also what did not move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show two runs side by side; exit code 1 if something moved beyond noise.

    A percentile moved if its 95 % interval meets the other's nowhere and the values differ by more
    than a tenth; another figure if it differs by more than a tenth, or one of the two is zero.
    """
    with reported(as_json):
        runs = evidence.read(first), evidence.read(second)
        rows, unlike = evidence.compare(*runs), evidence.unlike(*runs)
    shown = [row for row in rows if everything or row.moved]
    if as_json:
        print_json(
            {"unlike": unlike, "rows": [vars(row) | {"change": row.change} for row in shown]}
        )
    else:
        _print(shown, unlike, len(rows))
    if any(row.moved for row in rows):
        raise typer.Exit(EXIT_FAILED)


def _print(rows: list[evidence.Row], unlike: list[str], compared: int) -> None:
    for line in unlike:
        out().print(f"Not alike: {line}", markup=False)
    moved = sum(row.moved for row in rows)
    if rows:
        table = Table("figure", "first", "second", "change", "", box=None)
        for row in rows:
            change = "" if row.change is None else f"{row.change:+.0%}"
            told = (_told(one) for one in (row.first, row.second))
            table.add_row(row.name, *told, change, "moved" if row.moved else "")
        out().print(table)
    out().print(f"{moved} of {compared} figures moved beyond noise.")


def _told(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, float) else str(value)
