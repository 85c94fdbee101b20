"""`tally local`: the deployment on this machine."""

import dataclasses
from typing import Any

import typer
from rich.text import Text

from ops import present
from ops.client import ClientError, state_dir
from ops.commands.common import AsJson, err, out, print_json, reported

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
    """Show whether the local deployment is up, and where."""
    from ops.local import deployment

    _show(deployment.status(state_dir()), as_json)


@app.command(epilog="Example: tally local down")
def down(as_json: AsJson = False) -> None:
    """Stop the local deployment; all it holds is gone. Stopping what is not up is no error."""
    from ops.local import deployment

    stopped = deployment.down(state_dir())
    if as_json:
        print_json({"stopped": stopped})
    else:
        out().print("Stopped." if stopped else "It was not running.")


def _show(found: Any, as_json: bool) -> None:
    facts = {name: _plain(value) for name, value in dataclasses.asdict(found).items()}
    if as_json:
        print_json(facts)
    else:
        out().print(present.facts([(name, str(value)) for name, value in facts.items()]))
        out().print(Text("Stop it with: tally local down", style="dim"))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | list | dict | None) else str(value)
