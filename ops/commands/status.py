"""`tally status`: is a stage well?"""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ops.client import read_outputs
from ops.commands.common import EXIT_FAILED, AsJson, Stage, out, print_json, reported

if TYPE_CHECKING:
    from ops.status import Status, Vital

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
    """Show the health of a stage on AWS: write shares, lag, throttles, drift, and its alarms.

    Values are CloudWatch's newest of the last 15 minutes, read with your own credentials, each
    beside the limit that its alarm has. Exit code 1 if any alarm fires. A stage on this machine
    has no CloudWatch: of it only drift is told, by a recount.
    """
    from ops.status import VITAL, read_status  # boto3 takes a third of a second to import

    with reported(as_json):
        outputs = read_outputs(stage)
        found = read_status(outputs)
    if outputs.is_local and not as_json:
        out().print("No CloudWatch watches a stage on this machine: drift alone is known.")
    shown = [one for one in found.vitals if every or one.state != "OK" or one.runbook in VITAL]
    if as_json:
        print_json(_plain(found))
    else:
        _print(found, shown)
    if any(one.fires for one in found.vitals):
        raise typer.Exit(EXIT_FAILED)


def _print(found: "Status", shown: list["Vital"]) -> None:
    table = Table(box=None)
    for heading in ("alarm", "state", "now", "limit"):
        table.add_column(heading, no_wrap=True)  # a name cut short cannot be looked up
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
    out().print(table)
    firing = sum(one.fires for one in found.vitals)
    quiet = len(found.vitals) - len(shown)
    out().print(f"{firing} of {len(found.vitals)} alarms fire; {quiet} quiet ones are not shown.")
    out().print("A runbook is the page of that name in docs/runbooks.")
    if found.hottest:
        out().print("Hottest counter items of 15 minutes, in write units:")
        for item, units in found.hottest:
            out().print(Text(f"  {units:>10,.0f}  {item}"))


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
    }
