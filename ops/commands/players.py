"""`tally players`: what is stored of a player, shown, erased, hidden or taken out of a board."""

import shlex
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from ops.client import Client
from ops.commands.common import (
    EXIT_INTERRUPTED,
    AsJson,
    Board,
    Player,
    Stage,
    deployed,
    err,
    out,
    print_json,
)
from ops.player_listing import found_table, total_line
from ops.players import (
    Found,
    add_ranks,
    check_writable,
    look_through,
    now,
    report_of,
    write_report,
)

SETTLE_SECONDS: Final = 70  # a config that was cached, and the longest call that began with it

app = typer.Typer(
    no_args_is_help=True,
    help="Show, hide, remove and erase players. Every command needs the admin routes.",
)


@app.command(epilog="Example: tally players show runner-00042")
def show(player: Player, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Show all that is stored of a player: boards and windows, with ranks, and the ledger.

    Windows past their retention, closed ones and what is left of deleted boards are listed too. A
    rank is shown where it can still be read.
    """
    with deployed(stage, as_json) as client:
        found = Found(player)
        _look(client, found, dry_run=True)
        add_ranks(client, found)
        if as_json:
            print_json(found.as_json())
        elif found.boards:
            out().print(found_table(found, ranks=True))
        else:
            out().print(Text(f"Nothing is stored of {player}."))


@app.command(epilog="Example: tally players erase runner-00042 --report erased.json")
def erase(
    player: Player,
    stage: Stage = "local",
    as_json: AsJson = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be removed, and remove nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, metavar="FILE", help="Where to write what was removed, as JSON."
        ),
    ] = None,
) -> None:
    """Erase a player from every board and window; nothing brings it back.

    It removes score items, closed windows' and deleted boards' among them, ledger items and what
    is kept of the player being hidden. Lists and counts follow within seconds. Logs and backups
    keep what they hold until they expire (docs/operations.md). It can be run again at any time;
    what a game sends of the player meanwhile or afterwards is stored anew.
    """
    if not dry_run and not yes:
        question = f"Erase all that is stored of player '{player}' on stage '{stage}'?"
        typer.confirm(question, abort=True, err=True)
    with deployed(stage, as_json) as client:
        if report:
            check_writable(report)
        found, started_at = Found(player), now()
        try:
            _look(client, found, dry_run=dry_run)
        finally:  # also of an erasure that breaks off it is told what is gone
            said = report_of(found, stage, started_at, now(), dry_run=dry_run)
            if found.is_complete or found.boards:
                _print(found, said, stage, as_json=as_json, dry_run=dry_run)
            if report:
                write_report(report, said)


@app.command(epilog="Example: tally players remove ten-mile runner-00042")
def remove(board: Board, player: Player, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Take a player out of every window of one board; they may submit again.

    Who is in none of its windows stays so: it can be sent again.
    """
    with deployed(stage, as_json) as client:
        client.remove_player(board, player)
        _done(board, player, f"{player} is in no window of {board} any more.", as_json=as_json)


@app.command(epilog="Example: tally players hide ten-mile runner-00042")
def hide(board: Board, player: Player, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Take a player out of a board's lists and counts, now and in windows to come.

    Results are kept, also those that come while the player is hidden; `unhide` shows them.
    """
    with deployed(stage, as_json) as client:
        client.set_hidden(board, player, hidden=True)
        _done(board, player, f"{player} is hidden on {board}.", as_json=as_json, hidden=True)


@app.command(epilog="Example: tally players unhide ten-mile runner-00042")
def unhide(board: Board, player: Player, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Put a hidden player back into a board's lists and counts, with what they achieved."""
    with deployed(stage, as_json) as client:
        client.set_hidden(board, player, hidden=False)
        _done(board, player, f"{player} is shown on {board}.", as_json=as_json, hidden=False)


def _look(client: Client, found: Found, *, dry_run: bool) -> None:
    """Erases, or looks at what that would remove, and notes it page by page."""
    ask = client.player if dry_run else client.erase_player
    with err().status("looking" if dry_run else "erasing") as status:
        try:
            for _ in look_through(ask, found):
                status.update(total_line(found))
        except KeyboardInterrupt:
            raise typer.Exit(EXIT_INTERRUPTED) from None


def _print(
    found: Found, report: dict[str, object], stage: str, *, as_json: bool, dry_run: bool
) -> None:
    if as_json:
        print_json(report)
        return
    if found.boards:
        out().print(found_table(found, ranks=False))
    did = "Would remove" if dry_run else "Removed"
    out().print(Text(f"{did} {total_line(found)}."))
    again = _again(found.player, stage)
    if not found.is_complete:
        out().print(Text(f"Not all of it yet; this goes on: {again}"), soft_wrap=True)
    elif not dry_run:
        under_way = f"If results of the player were under way, run it again in {SETTLE_SECONDS} s"
        out().print(Text(f"{under_way}: {again}"), soft_wrap=True)


def _again(player: str, stage: str) -> str:
    """The command that goes on, or looks once more; an id that begins with a dash is no option."""
    option = "" if stage == "local" else f" --stage {stage}"
    dashes = " --" if player.startswith("-") else ""
    return f"tally players erase{option}{dashes} {shlex.quote(player)}"


def _done(board: str, player: str, said: str, *, as_json: bool, **more: bool) -> None:
    if as_json:
        print_json({"board": board, "player_id": player, **more})
    else:
        out().print(Text(said))
