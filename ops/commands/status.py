"""`tally status`: is a stage well?"""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ops.client import read_outputs
from ops.commands.common import EXIT_FAILED, AsJson, Stage, out, print_json, reported
from ops.vitals import MINUTES, VITAL

if TYPE_CHECKING:
    from ops.vitals import Status, Vital

_WIDTH = 130  # narrower, a name or a page would be cut short, and could not be looked up
_COLOURS = {"OK": "green", "ALARM": "bold red", "INSUFFICIENT_DATA": "yellow"}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(epilog="Example: tally status --stage prod")(status)


def status(
    stage: Stage = "local",
    as_json: AsJson = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show every alarm, those that are quiet too.")
    ] = False,
) -> None:
    """Show the health of a stage: write shares, lag, throttles, drift, and its alarms.

    Values are CloudWatch's newest of the last 15 minutes, read with your own credentials, each
    beside the limit that its alarm has. Exit code 1 if any alarm fires. A stage on this machine
    has no CloudWatch: the rig keeps metrics of its own, and production's alarms are evaluated
    over them; of the emulator only drift is told. Drift is recounted on both.
    """
    from ops.status import read_status  # boto3 takes a third of a second to import

    with reported(as_json):
        found = read_status(read_outputs(stage))
    shown = [one for one in found.vitals if every or one.fires or one.runbook in VITAL]
    if as_json:
        print_json(_plain(found))
    else:
        _print(found, shown)
    if any(one.fires for one in found.vitals):
        raise typer.Exit(EXIT_FAILED)


def _print(found: "Status", shown: list["Vital"]) -> None:
    table = Table(box=None)
    for heading in ("alarm", "state", "now", "limit"):
        table.add_column(heading, no_wrap=True)
    table.add_column("of what")
    table.add_column("runbook", no_wrap=True)
    for one in shown:
        table.add_row(
            one.name,
            Text(one.state, style=_COLOURS.get(one.state, "")),
            "" if one.value is None else f"{one.value:,.4g}",
            "" if one.limit is None else f"{'<' if one.below else '>'} {one.limit:g}",
            one.label,
            one.runbook,
        )
    console = out()
    console.width = max(console.width, _WIDTH)
    console.print(table)
    firing = sum(one.fires for one in found.vitals)
    quiet = len(found.vitals) - len(shown)
    out().print(f"{firing} of {len(found.vitals)} alarms fire; {quiet} quiet ones are not shown.")
    out().print("A runbook is the page of that name in docs/runbooks.")
    if found.counters_percent is not None:
        out().print(
            f"Of {found.total:,.0f} write units in up to {MINUTES} minutes counters took "
            f"{found.counters_percent:.1f} %, their hottest item {found.hottest_percent:.1f} %."
        )
    if found.hottest:
        out().print(f"Hottest counter items of {MINUTES} minutes, in write units:")
        for item, units in found.hottest:
            out().print(Text(f"  {units:>10,.0f}  {item}"))
    if found.unknown:
        out().print(found.unknown)


def _plain(found: "Status") -> dict[str, Any]:
    return {
        "alarms": [
            {
                "name": one.name,
                "state": one.state,
                "value": one.value,
                "limit": one.limit,
                "bad_if": "below" if one.below else "above",
                "label": one.label,
                "runbook": one.runbook,
            }
            for one in found.vitals
        ],
        "hottest_items": [{"item": item, "write_units": units} for item, units in found.hottest],
        "write_units": dict(found.written),
        "counters_percent": found.counters_percent,
        "hottest_percent": found.hottest_percent,
        "unknown": found.unknown or None,
    }
