"""`tally boards`: make, show and list boards."""

from typing import Annotated, Any, Literal

import typer

from ops import present
from ops.commands.common import AsJson, Board, Stage, deployed, out, print_json

app = typer.Typer(no_args_is_help=True, help="Make, show and list boards.")

Whole = int | None


@app.command(epilog="Example: tally boards create ten-mile --order asc --min 0 --max 20000")
def create(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    order: Annotated[
        Literal["asc", "desc"] | None, typer.Option(help="desc: more is better; asc: less is.")
    ] = None,
    ties: Annotated[
        Literal["ordinal", "shared"] | None,
        typer.Option(help="ordinal: the earlier leads; shared: equal scores share a rank."),
    ] = None,
    minimum: Annotated[Whole, typer.Option("--min", help="The lowest score accepted.")] = None,
    maximum: Annotated[Whole, typer.Option("--max", help="The highest score accepted.")] = None,
    levels: Annotated[Whole, typer.Option(help="Levels of counters, 1 to 6.")] = None,
    buckets: Annotated[Whole, typer.Option(help="First-level buckets: 64, 128, 256.")] = None,
    spacing: Annotated[
        Literal["log", "linear"] | None, typer.Option(help="How buckets divide the scores.")
    ] = None,
    counter_shards: Annotated[Whole, typer.Option(help="Shards a node, 1 to 32.")] = None,
    index_shards: Annotated[Whole, typer.Option(help="Shards of the index, 1 to 32.")] = None,
    exact_limit: Annotated[Whole, typer.Option(help="Ranks up to here are exact.")] = None,
    count_limit: Annotated[Whole, typer.Option(help="Largest cell counted when deeper.")] = None,
    top_exact: Annotated[Whole, typer.Option(help="Ranks counted from the index alone.")] = None,
    display_name: Annotated[str | None, typer.Option(help="A name for people.")] = None,
    description: Annotated[str | None, typer.Option(help="What the board ranks.")] = None,
) -> None:
    """Make a board; what you leave out takes the server's default.

    Making the same board again changes nothing and succeeds.
    """
    config: dict[str, Any] = {
        "order": order,
        "ties": ties,
        "score_range": _score_range(minimum, maximum),
        "exact_limit": exact_limit,
        "count_limit": count_limit,
        "top_exact": top_exact,
        "display_name": display_name,
        "description": description,
        "layout": _given(
            buckets=buckets,
            spacing=spacing,
            levels=levels,
            counter_shards=counter_shards,
            index_shards=index_shards,
        )
        or None,
    }
    with deployed(stage, as_json) as client:
        status, answer = client.put_board(board, _given(**config))
        if as_json:
            print_json(answer)
            return
        out().print("Made." if status == 201 else "It was there already, with this config.")
        out().print(present.board_facts(answer))


@app.command(epilog="Example: tally boards show ten-mile")
def show(board: Board, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Show a board's config and its layouts."""
    with deployed(stage, as_json) as client:
        answer = client.board(board)
        if as_json:
            print_json(answer)
        else:
            out().print(present.board_facts(answer))


@app.command("list", epilog="Example: tally boards list --stage dev")
def list_boards(stage: Stage = "local", as_json: AsJson = False) -> None:
    """List all boards."""
    with deployed(stage, as_json) as client:
        answer = client.boards()
        if as_json:
            print_json(answer)
        elif answer["boards"]:
            out().print(present.boards_table(answer["boards"]))
        else:
            out().print("No boards yet. Make one with: tally boards create BOARD")


def _given(**values: Any) -> dict[str, Any]:
    """What was given; the server has the defaults."""
    return {name: value for name, value in values.items() if value is not None}


def _score_range(minimum: int | None, maximum: int | None) -> list[int] | None:
    if (minimum is None) != (maximum is None):
        raise typer.BadParameter("--min and --max are given together, or neither")
    return None if minimum is None or maximum is None else [minimum, maximum]
