"""`tally study`: studies that settle the numbers of a layout, with pictures."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ops.client import ClientError
from ops.commands.common import err, out, reported
from ops.studies.study import SEED, Study

app = typer.Typer(
    no_args_is_help=True,
    help="Compute, model or measure what a layout comes to: a page with tables and pictures.",
)

Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")]
Output = Annotated[
    Path | None,
    typer.Option(
        file_okay=False, metavar="FOLDER", help="Where to write; default: docs/studies here."
    ),
]


@app.command(epilog="Example: tally study widths --players 10000 --players 100000 --output build")
def widths(
    players: Annotated[
        list[int] | None,
        typer.Option(
            min=1, max=40_000_000, help="How many a board has; repeat it. Default: 10^4 to 10^7."
        ),
    ] = None,
    seed: Seed = SEED,
    output: Output = None,
) -> None:
    """How wide a rank's range is by buckets and levels, and how many ranks are exact."""
    from ops.studies.widths import PLAYERS, Widths  # numpy takes a while to import

    sizes = sorted(set(players or PLAYERS))
    _run(Widths(sizes), seed, output, [f"--players {n}" for n in sizes if players])


@app.command(epilog="Example: tally study contention --runs 5 --output build")
def contention(
    runs: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="Runs behind each figure. Default: 20.")
    ] = None,
    seed: Seed = SEED,
    output: Output = None,
) -> None:
    """How often submits fail that share a counter item, by load, counter shards and retries."""
    from ops.studies.contention import RUNS, Contention

    _run(Contention(runs or RUNS), seed, output, [f"--runs {runs}"] if runs else [])


@app.command(epilog="Example: tally study cost --submits 100 --output build")
def cost(
    submits: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="The most submits a figure. Default: 1,000."),
    ] = None,
    seed: Seed = SEED,
    output: Output = None,
) -> None:
    """What ranks and submits consume and cost, and where exact ranks end."""
    from ops.studies.cost import Cost

    study = Cost(submits=submits) if submits else Cost()
    _run(study, seed, output, [f"--submits {submits}"] if submits else [])


@app.command(epilog="Example: tally study latency --players 1000 --players 20000 --output build")
def latency(
    players: Annotated[
        list[int] | None,
        typer.Option(
            min=200, max=2_000_000, help="How many a board has; repeat it. Default: 10^3 to 10^6."
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=2, max=1_000, help="Samples of each read. Default: 40.")
    ] = None,
    seed: Seed = SEED,
    output: Output = None,
) -> None:
    """How the time of each read grows with a board, and where it goes: on DynamoDB Local.

    Takes 4 GB of memory, and times that change from run to run: only ratios are told.
    """
    from ops.studies.latency import PLAYERS, ROUNDS, Latency

    sizes = sorted(set(players or PLAYERS))
    given = [f"--players {n}" for n in sizes if players] + [f"--rounds {rounds}"] * bool(rounds)
    _run(Latency(sizes, rounds or ROUNDS), seed, output, given)


def _run(study: Study, seed: int, output: Path | None, given: list[str]) -> None:
    from ops.studies import report

    if seed != SEED:
        given = [*given, f"--seed {seed}"]
    console = err()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with reported(as_json=False), Progress(*columns, TimeElapsedColumn(), console=console) as bar:
        task = bar.add_task(study.name, total=study.steps)
        started = False

        def step(about: str) -> None:
            nonlocal started
            bar.update(task, description=f"{study.name}: {about}", advance=int(started))
            started = True

        findings = study.run(seed, step)
        bar.update(task, description=study.name, completed=study.steps)
        made = {
            "command": " ".join(["tally study", study.name, *given]),
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "seed": str(seed),
        }
        try:
            page = report.write(study, findings, output or report.FOLDER, made)
        except OSError as error:
            raise ClientError(f"The study cannot be written: {error}") from error
    out().print(f"Written: {page}", soft_wrap=True)
