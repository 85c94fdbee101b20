"""`tally local`: the deployment on this machine."""

from typing import TYPE_CHECKING

import typer

from ops import present
from ops.client import ClientError, state_dir
from ops.commands.common import EXIT_NOT_UP, AsJson, err, out, print_facts, print_json, reported

if TYPE_CHECKING:
    from ops.local.deployment import Deployment

app = typer.Typer(
    no_args_is_help=True,
    help="Start, look at and stop the local deployment (an emulator, and the real cdk deploy).",
)


@app.command(epilog="Example: tally local up")
def up(as_json: AsJson = False) -> None:
    """Start the emulator and deploy the stacks to it; one that is up already is kept."""
    from ops.local import deployment

    console = err()
    with reported(as_json), console.status("starting") as status:
        try:
            started = deployment.up(state_dir(), progress=lambda text: status.update(text))
        except deployment.DeploymentError as error:
            raise ClientError(str(error)) from error
    _show(started, as_json)


@app.command(epilog="Example: tally local status --json")
def status(as_json: AsJson = False) -> None:
    """Show whether the local deployment is up, and where; exit code 3 if it is not."""
    from ops.local import deployment

    found = deployment.status(state_dir())
    _show(found, as_json)
    if found.state != deployment.UP:
        raise typer.Exit(EXIT_NOT_UP)


@app.command(epilog="Example: tally local down")
def down(as_json: AsJson = False) -> None:
    """Stop the local deployment; all it holds is gone. Stopping what is not up is no error."""
    from ops.local import deployment

    with reported(as_json):
        try:
            stopped = deployment.down(state_dir())
        except deployment.DeploymentError as error:
            raise ClientError(str(error)) from error
    if as_json:
        print_json({"stopped": stopped})
    else:
        out().print("Stopped." if stopped else "It was not running.")


def _show(found: "Deployment", as_json: bool) -> None:
    rows = [
        ("state", found.state),
        ("API", found.api_url),
        ("emulator", found.endpoint_url and f"{found.endpoint_url}, process {found.pid}"),
        ("started", found.started_at and present.time_of(int(found.started_at * 1000))),
        ("files", found.state_dir),
    ]
    hint = "Start it with: tally local up" if not found.pid else "Stop it with: tally local down"
    print_facts(found, rows, hint, as_json)
