"""`tally boards delete` and `sweep`: a board made unreachable, then removed from the tables."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ops import present
from ops.client import ClientError, read_outputs
from ops.commands.common import (
    EXIT_INTERRUPTED,
    AsJson,
    Board,
    Stage,
    deployed,
    err,
    out,
    print_json,
    reported,
)

if TYPE_CHECKING:
    from ops.sweep import Swept  # brings boto3, which few commands need

Rate = Annotated[
    float | None, typer.Option(min=1, help="Items removed a second, at most; default: 500.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command(epilog="Example: tally boards delete ten-mile --yes")(delete)
    app.command(epilog="Example: tally boards sweep ten-mile")(sweep)


def delete(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    rate: Rate = None,
) -> None:
    """Delete a board with all its entries, then sweep the tables; nothing brings it back.

    Within 10 seconds nobody finds it any more. The sweep, with your own credentials, takes some
    minutes: it is done when the last late writer has ended and nothing is left.
    """
    question = f"Delete board '{board}' of stage '{stage}' with all its entries?"
    if not yes:
        typer.confirm(question, abort=True, err=True)
    with deployed(stage, as_json) as client:
        client.delete_board(board)
    if not as_json:
        out().print(f"Deleted. It can be made again in some 70 s: tally boards create {board}")
    _sweep(board, stage, as_json, rate)


def sweep(board: Board, stage: Stage = "local", as_json: AsJson = False, rate: Rate = None) -> None:
    """Remove what a deleted board left in the tables, also when it was made again since.

    It reads and writes the tables with your own credentials, never touches a life that stands,
    and can be stopped and run again at any time.
    """
    _sweep(board, stage, as_json, rate)


def _sweep(board: str, stage: str, as_json: bool, rate: float | None) -> None:
    from lambdas.logic.removing import REMOVALS_PER_SECOND
    from ops.sweep import Swept, sweep_board

    swept = Swept()
    with reported(as_json):
        try:
            with _progress(as_json) as progress:
                task = progress.add_task("sweeping", total=None, said="")
                for swept in sweep_board(read_outputs(stage), board, rate or REMOVALS_PER_SECOND):
                    _update(progress, task, swept)
        except KeyboardInterrupt:
            _print(board, stage, swept, as_json)
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except ClientError:
            if swept != Swept() and not as_json:
                _print(board, stage, swept, as_json)
            raise
    _print(board, stage, swept, as_json)


def _print(board: str, stage: str, swept: "Swept", as_json: bool) -> None:
    if as_json:
        counts = {"scores_removed": swept.scores, "counters_removed": swept.counters}
        print_json({"board": board, **counts, "is_swept": swept.is_done})
        return
    scores, counters = present.many(swept.scores, "score"), present.many(swept.counters, "counter")
    out().print(f"Removed {scores} and {counters}.")
    if swept.is_done:
        out().print("Nothing that was deleted is left.")
    else:
        option = "" if stage == "local" else f" --stage {stage}"
        out().print(f"Not all of it yet; this goes on: tally boards sweep {board}{option}")


def _progress(as_json: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[said]}"),
        TimeElapsedColumn(),
        console=err(),
        transient=True,
        disable=as_json,
    )


def _update(progress: Progress, task: TaskID, swept: "Swept") -> None:
    of = f" of {present.number(swept.population)}" if swept.population else ""
    scores, counters = f"{present.number(swept.scores)}{of} scores", present.number(swept.counters)
    said = f"{scores}, {counters} counters removed"
    waiting = f"waiting for late writers, {swept.wait_seconds:.0f} s"
    progress.update(
        task,
        description=waiting if swept.wait_seconds else "sweeping",
        completed=swept.scores,
        total=max(swept.population, swept.scores) if swept.population else None,
        said=said,
    )
