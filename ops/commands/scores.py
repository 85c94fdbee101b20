"""`tally submit`, `tally rank`, `tally top`: scores in, ranks out."""

from typing import Annotated, Any

import typer
from rich.text import Text

from ops import present
from ops.commands.common import AsJson, Board, Player, Stage, deployed, out, print_json


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    # An unknown option is taken for an argument, so that a score may be written -5.
    negative = {"ignore_unknown_options": True}
    example = "Examples: tally submit arena ada 120 · tally submit golf bo -5"
    app.command(context_settings=negative, epilog=example)(submit)
    app.command(epilog="Example: tally rank ten-mile runner-00042 --explain")(rank)
    app.command(epilog="Example: tally top films --limit 5")(top)


def submit(
    board: Board,
    player: Player,
    score: Annotated[int, typer.Argument(help="A whole number.", metavar="SCORE")],
    stage: Stage = "local",
    as_json: AsJson = False,
    achieved_at: Annotated[
        int | None, typer.Option(help="When, in milliseconds since 1970; default: now.")
    ] = None,
) -> None:
    """Submit a player's score and show the rank it earns."""
    submission: dict[str, Any] = {"player_id": player, "score": score}
    if achieved_at is not None:
        submission["achieved_at"] = achieved_at
    with deployed(stage, as_json) as client:
        answer = client.submit(board, submission)
        if as_json:
            print_json(answer)
            return
        out().print(Text(f"{answer['outcome']}: {player} has {present.number(answer['score'])}"))
        for window, standing in answer.get("windows", {}).items():
            if "kind" in standing:
                out().print(Text(f"{window}: {present.rank_line(standing)}"))


def rank(
    board: Board,
    player: Player,
    stage: Stage = "local",
    as_json: AsJson = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how it was found and what that consumed.")
    ] = False,
) -> None:
    """Show a player's rank: exact, or a range that contains it."""
    with deployed(stage, as_json) as client:
        answer = client.rank(board, player, explain=explain or None)
        if as_json:
            print_json(answer)
        else:
            out().print(present.rank_panel(answer))


def top(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many entries.")] = 10,
) -> None:
    """Show the first entries of a board."""
    with deployed(stage, as_json) as client:
        answer = client.top(board, limit=limit)
        if as_json:
            print_json(answer)
        else:
            out().print(present.top_table(answer))
