"""`tally rig`: the official local engine with an event source mapping and an HTTP front of ours."""

from typing import TYPE_CHECKING

import typer

from ops.client import state_dir
from ops.commands.common import EXIT_NOT_UP, AsJson, err, out, print_facts, print_json, reported

if TYPE_CHECKING:
    from ops.rig.lifecycle import RigStatus

app = typer.Typer(
    no_args_is_help=True,
    help="Start, look at and stop the rig: DynamoDB Local, the functions in process, stage `rig`.",
)


@app.command(epilog="Example: tally rig up, then tally boards create arena --stage rig")
def up(as_json: AsJson = False) -> None:
    """Start the rig; ready in seconds. One that is up already is kept."""
    from ops.rig import lifecycle

    with reported(as_json), err().status("starting"):
        started = lifecycle.up(state_dir())
    _show(started, as_json)


@app.command(epilog="Example: tally rig status --json")
def status(as_json: AsJson = False) -> None:
    """Show whether the rig is up, and where; exit code 3 if it is not."""
    from ops.rig import lifecycle

    found = lifecycle.status(state_dir())
    _show(found, as_json)
    if found.state != lifecycle.UP:
        raise typer.Exit(EXIT_NOT_UP)


@app.command(epilog="Example: tally rig down")
def down(as_json: AsJson = False) -> None:
    """Stop the rig; all it holds is gone. Stopping what is not up is no error."""
    from ops.rig import lifecycle

    with reported(as_json):
        stopped = lifecycle.down(state_dir())
    if as_json:
        print_json({"stopped": stopped})
    else:
        out().print("Stopped." if stopped else "It was not running.")


def _show(found: "RigStatus", as_json: bool) -> None:
    rows = [
        ("state", found.state),
        ("API", found.api_url),
        ("DynamoDB", found.endpoint_url and f"{found.endpoint_url}, process {found.pid}"),
        ("files", found.state_dir),
    ]
    hint = "Start it with: tally rig up" if not found.pid else "Stop it with: tally rig down"
    print_facts(found, rows, hint, as_json)
