"""`tally submit`, `tally rank`, `tally top`: scores in, ranks out."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from ops import present
from ops.client import MOST_ENTRIES
from ops.commands.common import (
    AsJson,
    Board,
    Explain,
    Player,
    Segment,
    Stage,
    Window,
    deployed,
    err,
    out,
    print_json,
    print_lines,
)

LIMIT: Final = 10
TIE: Final = "NAME=VALUE"
SEGMENT: Final = "DIMENSION:VALUE"


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    # An unknown option is taken for an argument, so that a score may be written -5.
    negative = {"ignore_unknown_options": True}
    example = (
        "Examples: tally submit arena ada 120 · tally submit golf bo -5 --tie strokes=71 · "
        "tally submit coins cy 3 --submission-id match-7"
    )
    app.command(context_settings=negative, epilog=example)(submit)
    app.command(epilog="Example: tally rank ten-mile runner-00042 --explain")(rank)
    app.command(
        epilog="Examples: tally top films --start-rank 41 --limit 5 · tally top films --all --json"
    )(top)


def submit(
    board: Board,
    player: Player,
    score: Annotated[int, typer.Argument(help="A whole number.", metavar="SCORE")],
    stage: Stage = "local",
    as_json: AsJson = False,
    achieved_at: Annotated[
        int | None, typer.Option(help="When, in milliseconds since 1970; default: now.")
    ] = None,
    submission_id: Annotated[
        str | None,
        typer.Option(help="Names the submission, so that a repeat is known; a sum needs one."),
    ] = None,
    tie: Annotated[
        list[str] | None,
        typer.Option(help="A tie-breaker's value; once for each that the board has.", metavar=TIE),
    ] = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(help="A segment to feed, too; once for each dimension.", metavar=SEGMENT),
    ] = None,
) -> None:
    """Submit a player's score and show the rank it earns."""
    optional = {
        "achieved_at": achieved_at,
        "submission_id": submission_id,
        "tie_breakers": dict(map(_tie_breaker, tie or ())) or None,
        "segments": dict(map(_segment, segment or ())) or None,
    }
    given = {name: value for name, value in optional.items() if value is not None}
    submission: dict[str, Any] = {"player_id": player, "score": score, **given}
    with deployed(stage, as_json) as client:
        answer = client.submit(board, submission)
        if as_json:
            print_json(answer)
            return
        out().print(Text(f"{answer['outcome']}: {player} has {present.number(answer['score'])}"))
        for window, standing in answer.get("windows", {}).items():
            if "kind" in standing:
                out().print(Text(f"{window}: {present.rank_line(standing)}"))


def _tie_breaker(text: str) -> tuple[str, int]:
    found = re.fullmatch("([^=]+)=(-?[0-9]+)", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not {TIE} with a whole number", param_hint="--tie")
    return found[1], int(found[2])


def _segment(text: str) -> tuple[str, str]:
    dimension, separator, value = text.partition(":")
    if not (dimension and separator and value):
        raise typer.BadParameter(f"{text!r} is not {SEGMENT}", param_hint="--segment")
    return dimension, value


def rank(
    board: Board,
    player: Player,
    stage: Stage = "local",
    as_json: AsJson = False,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> None:
    """Show a player's rank: exact, or a range that contains it."""
    with deployed(stage, as_json) as client:
        answer = client.rank(board, player, window=window, segment=segment, explain=explain)
        if as_json:
            print_json(answer)
        else:
            out().print(present.rank_panel(answer))


def top(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    limit: Annotated[
        int | None, typer.Option(min=1, max=MOST_ENTRIES, help="How many entries; default: 10.")
    ] = None,
    start_rank: Annotated[
        int | None, typer.Option(min=1, help="The rank of the first entry shown.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every entry, to the end of the board.")
    ] = False,
    window: Window = None,
    segment: Segment = None,
    explain: Explain = False,
) -> None:
    """Show entries of a board, best first.

    --all asks for page after page, so a player who moves meanwhile may be met twice or missed;
    with --json it prints an entry a line, as they come.
    """
    if everything and limit is not None:
        raise typer.BadParameter("--all has no --limit: it ends where the board does")
    if everything and explain:
        raise typer.BadParameter("--all is many reads; --explain tells of one")
    with deployed(stage, as_json) as client:
        if everything:
            _walk(
                client.pages(board, start_rank=start_rank, window=window, segment=segment), as_json
            )
            return
        answer = client.top(
            board,
            limit=limit or LIMIT,
            start_rank=start_rank,
            window=window,
            segment=segment,
            explain=explain,
        )
        if as_json:
            print_json(answer)
        else:
            out().print(present.top_table(answer))


def _walk(pages: Iterator[Any], as_json: bool) -> None:
    """Print every page: entries a line each as they come, or one table at the end."""
    entries: list[Any] = []
    count = 0
    page: Any = {}
    with err().status("reading") as status:
        for page in pages:
            count += len(page["entries"])
            status.update(f"{present.number(count)} of {present.number(page.get('population'))}")
            if as_json:
                print_lines(page["entries"])
            else:
                entries += page["entries"]
    if not as_json:
        out().print(present.top_table({**page, "entries": entries}))
