"""`tally rig`: the official local engine with an event source mapping and an HTTP front of ours."""

import dataclasses

import typer
from rich.text import Text

from ops import present
from ops.client import state_dir
from ops.commands.common import AsJson, err, out, print_json, reported

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
    """Show whether the rig is up, and where."""
    from ops.rig import lifecycle

    _show(lifecycle.status(state_dir()), as_json)


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


def _show(found: "object", as_json: bool) -> None:
    facts = {name: _plain(value) for name, value in dataclasses.asdict(found).items()}  # type: ignore[call-overload]
    if as_json:
        print_json(facts)
    else:
        out().print(present.facts([(name, str(value)) for name, value in facts.items()]))
        out().print(Text("Stop it with: tally rig down", style="dim"))


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | bool | None) else str(value)
