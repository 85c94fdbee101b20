"""`tally import` and `tally export`: a board's entries from a file, and into one."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final, Literal

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from ops import present
from ops.client import ClientError, read_outputs, state_dir
from ops.commands.common import EXIT_FAILED, AsJson, Board, Stage, err, out, print_json, reported

if TYPE_CHECKING:
    from ops.transfer.importing import Progress as Reached
    from ops.transfer.rows import FileFormat

FORMATS: Final[dict[str, "FileFormat"]] = {".csv": "csv", ".jsonl": "jsonl"}

Window = Annotated[str | None, typer.Option(help="The window by its name; default: all.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command(
        "import",
        epilog="Examples: tally import arena scores.csv --dry-run · "
        "tally import arena january.jsonl --window m2027-01 --stage dev",
    )(import_file)
    app.command(
        epilog="Examples: tally export arena --output arena.csv · "
        "tally export arena --window d2027-01-31 --format jsonl"
    )(export)


def _known_format(path: Path) -> Path:
    if path.suffix.lower() not in FORMATS:
        raise typer.BadParameter("a file to import ends in .csv or .jsonl")
    return path


def import_file(
    board: Board,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            readable=True,
            callback=_known_format,
            help="Entries: .csv with a header, or .jsonl with an object a line.",
        ),
    ],
    stage: Stage = "local",
    as_json: AsJson = False,
    window: Window = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and check every line, and write nothing.")
    ] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew, not where a former try ended.")
    ] = False,
    ignore_unknown: Annotated[
        bool, typer.Option("--ignore-unknown", help="Pass over columns the board does not have.")
    ] = False,
    refused: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            metavar="FILE",
            help="Where to list refused lines; default: beside FILE.",
        ),
    ] = None,
) -> None:
    """Import a file of entries into one window of a board; exit code 1 if any line is refused.

    Columns: player_id, score, the board's tie-breakers by name, and if you like achieved_at
    (milliseconds since 1970, or ISO 8601 with a zone) and metadata (a JSON object). A line counts
    if it is better than what the player has, so an import can be run again; one that was stopped
    or killed goes on where it was. It writes the tables with your own credentials.
    """
    from ops.transfer import report
    from ops.transfer.importing import run_import  # boto3 takes a third of a second to import
    from ops.transfer.starting import Asked
    from ops.transfer.tables import explained, tables_of

    asked = Asked(
        board=board,
        path=file,
        file_format=FORMATS[file.suffix.lower()],
        window=window,
        refused=refused,
        ignore_unknown=ignore_unknown,
        restart=restart,
        dry_run=dry_run,
    )
    with reported(as_json):
        outputs = read_outputs(stage)
        with explained(outputs), bar() as progress:
            imported = run_import(tables_of(outputs), state_dir(), asked, progress)
    if as_json:
        print_json(report.summary(imported, dry_run=dry_run))
    else:
        for line in report.lines(board, imported, dry_run=dry_run):
            out().print(Text(line), soft_wrap=True)
    if imported.refused:
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def bar() -> Iterator[Callable[["Reached"], None]]:
    """A bar with the rate and the time left, where somebody looks on."""
    console = err()
    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as shown:
        task = shown.add_task("reading", total=None)

        def show(reached: "Reached") -> None:
            seconds = shown.tasks[0].elapsed or 0
            rate = f", {present.number(round(reached.lines / seconds))} a second" if seconds else ""
            described = f"{present.many(reached.lines, 'line')}{rate}"
            shown.update(task, total=reached.size, completed=reached.offset, description=described)

        yield show


def export(
    board: Board,
    stage: Stage = "local",
    window: Annotated[
        str | None, typer.Option(help="The window, such as all; default: the board's first.")
    ] = None,
    file_format: Annotated[
        Literal["csv", "jsonl"], typer.Option("--format", help="csv has a header.")
    ] = "csv",
    output: Annotated[
        Path | None,
        typer.Option(dir_okay=False, metavar="FILE", help="Where to write; default: stdout."),
    ] = None,
) -> None:
    """Export a window in rank order: rank, player_id, score, tie-breakers, achieved_at.

    `tally import` reads such a file back to equal standings. It reads the index page by page, so a
    player who moves meanwhile may be met twice or missed; metadata is not in the index. A file
    appears when it is whole. It reads the tables with your own credentials.
    """
    from lambdas.logic.tables import window_of  # boto3 takes a third of a second to import
    from ops.transfer import exporting
    from ops.transfer.tables import explained, tables_of

    with reported(False):
        outputs = read_outputs(stage)
        with explained(outputs), err().status("reading") as status:
            tables = tables_of(outputs)
            found = tables.boards.get(board)
            name = window_of(found, window, tables.now_ms())
            with _opened(output) as file:
                count = exporting.export(
                    tables,
                    found,
                    name,
                    file,
                    file_format,
                    bom=output is not None,
                    progress=lambda count: status.update(present.number(count)),
                )
    if output:
        out().print(
            Text(f"{board}, window {name}: {present.entries(count)} in {output}"), soft_wrap=True
        )


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """The file, which takes its place when it is whole; or stdout."""
    if output is None:
        yield sys.stdout.buffer
        return
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(output)
    except OSError as error:
        raise ClientError(f"{output} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
