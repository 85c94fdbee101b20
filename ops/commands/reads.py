"""`tally around`, `friends`, `ranks`, `standing`, `distribution`, `info`: what else is asked."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from ops import chart, listings
from ops.commands.common import (
    AsJson,
    Board,
    Explain,
    Player,
    Segment,
    Stage,
    Window,
    deployed,
    out,
    print_json,
)


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command(epilog="Example: tally around ten-mile runner-00042 -k 3")(around)
    app.command(epilog="Example: tally friends ten-mile runner-00042 runner-00007 runner-00300")(
        friends
    )
    # An unknown option is taken for an argument, so that a score may be written -5.
    negative = {"ignore_unknown_options": True}
    example = "Examples: tally ranks ten-mile 3000 3600 · tally ranks golf -5"
    app.command(context_settings=negative, epilog=example)(ranks)
    example = "Examples: tally standing films --rank 100 · tally standing films --percentile 5"
    app.command(epilog=example)(standing)
    app.command(epilog="Example: tally distribution ten-mile --player runner-00042")(distribution)
    app.command(epilog="Example: tally info ten-mile")(info)


def around(
    board: Board,
    player: Player,
    stage: Stage = "local",
    as_json: AsJson = False,
    k: Annotated[
        int, typer.Option("-k", min=0, max=50, help="How many neighbours on either side.")
    ] = 5,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> None:
    """Show a player among the neighbours.

    At either end of the board the window shifts, so that it stays full. Where the player's rank
    is a range, neighbours are shown by how many places ahead (-) or behind (+) they are.
    """
    with deployed(stage, as_json) as client:
        answer = client.around(board, player, k, window=window, segment=segment, explain=explain)
        _show(answer, as_json, lambda: listings.around_table(answer, player))


def friends(
    board: Board,
    player: Player,
    friend_ids: Annotated[
        list[str], typer.Argument(help="The ids of up to 500 friends.", metavar="FRIEND...")
    ],
    stage: Stage = "local",
    as_json: AsJson = False,
    window: Window = None,
    segment: Segment = None,
) -> None:
    """Rank a player and friends among themselves."""
    with deployed(stage, as_json) as client:
        answer = client.friends(board, player, friend_ids, window=window, segment=segment)
        _show(answer, as_json, lambda: listings.friends_table(answer, player))


def ranks(
    board: Board,
    scores: Annotated[
        list[int], typer.Argument(help="Up to 100 whole numbers.", metavar="SCORE...")
    ],
    stage: Stage = "local",
    as_json: AsJson = False,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> None:
    """Show the ranks that scores would have, held by anyone or not.

    Each is the rank of one more player, who comes behind all with the same score, or shares their
    rank on a board whose ties do.
    """
    with deployed(stage, as_json) as client:
        answer = client.ranks(board, scores, window=window, segment=segment, explain=explain)
        _show(answer, as_json, lambda: listings.ranks_table(answer))


def standing(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    rank: Annotated[int | None, typer.Option(min=1, help="The rank to look at.")] = None,
    percentile: Annotated[
        float | None,
        typer.Option(min=0, max=100, help="The share of the board at or above, in percent."),
    ] = None,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> None:
    """Show the score at a rank or at a percentile, and who holds it."""
    if (rank is None) == (percentile is None):
        raise typer.BadParameter("give --rank or --percentile, one of the two")
    with deployed(stage, as_json) as client:
        answer = client.standing(
            board, rank=rank, percentile=percentile, window=window, segment=segment, explain=explain
        )
        _show(answer, as_json, lambda: listings.standing_panel(answer))


def distribution(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    player: Annotated[
        str | None, typer.Option(help="Mark the row that holds this player's score.")
    ] = None,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> None:
    """Show how a board's scores are spread, as a bar chart.

    With --json, the answer of --player is its field `player`, a rank answer.
    """
    with deployed(stage, as_json) as client:
        answer = client.distribution(board, window=window, segment=segment, explain=explain)
        found = (
            None if player is None else client.rank(board, player, window=window, segment=segment)
        )
        whole = answer if found is None else {**answer, "player": found}
        height = out().height
        _show(whole, as_json, lambda: chart.distribution_chart(answer, found, height=height))


def info(board: Board, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Show what players may know of a board: how it ranks, its windows and how many play."""
    with deployed(stage, as_json) as client:
        answer = client.info(board)
        _show(answer, as_json, lambda: listings.info_panel(answer))


def _show(answer: Any, as_json: bool, render: Callable[[], RenderableType]) -> None:
    """Print the API's own answer, or what people see of it."""
    if as_json:
        print_json(answer)
    else:
        out().print(render())
