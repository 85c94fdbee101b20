"""`tally audit`: counters against a recount."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ops import present
from ops.client import read_outputs
from ops.commands.common import EXIT_FAILED, AsJson, Stage, out, print_json, reported

if TYPE_CHECKING:
    from ops.audit import WindowAudit


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(epilog="Example: tally audit ten-mile films --wait 30")(audit)


def audit(
    boards: Annotated[
        list[str] | None, typer.Argument(help="Ids of boards; default: all.", metavar="[BOARD]...")
    ] = None,
    stage: Stage = "local",
    as_json: AsJson = False,
    wait: Annotated[
        float, typer.Option(min=0, help="Seconds to try again while counters still catch up.")
    ] = 0,
) -> None:
    """Compare every counter with a recount of the entries; exit code 1 if any differs.

    It reads the tables with your own credentials. Counters follow writes by a second or two: on a
    busy board, what differs once may be that alone, and --wait tries again.
    """
    from ops.audit import audit_boards  # boto3 takes a third of a second to import

    with reported(as_json):
        audits = audit_boards(read_outputs(stage), boards or (), wait_seconds=wait)
    if as_json:
        print_json([_plain(found) for found in audits])
    else:
        _print(audits)
    if any(found.differences for found in audits):
        raise typer.Exit(EXIT_FAILED)


def _print(audits: list["WindowAudit"]) -> None:
    if not audits:
        out().print("No boards yet.")
    for found in audits:
        for line in present.audit_lines(found):
            out().print(Text(line), soft_wrap=True)


def _plain(found: "WindowAudit") -> dict[str, Any]:
    return {
        "board": found.board,
        "window": found.window,
        "players": found.players,
        "nodes": found.nodes,
        "cells": found.cells,
        "differences": [difference._asdict() for difference in found.differences],
    }
