"""`python -m loadtests`: run a suite against a stage, remove what a killed run left, keep a run."""

import json
import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from loadtests import boards, cost, report, starting
from loadtests.evidence import read as read_evidence
from loadtests.run import AWS, kind_of
from loadtests.suites import SUITES, suite_of
from loadtests.verdict import EXIT_CODES
from ops.client import ApiError, Client, ClientError, read_outputs

REFUSED_STAGES: Final = ("prod",)
USAGE: Final = EXIT_CODES["wrong usage"]
app = typer.Typer(
    name="loadtests",
    no_args_is_help=True,
    help="Load tests of a deployed stage, from outside.",
    epilog="Exit codes: "
    + ", ".join(f"{code} {word}" for word, code in EXIT_CODES.items())
    + ". Example: python -m loadtests run contention --stage rig",
)

Stage = Annotated[str, typer.Option(envvar="TALLY_STAGE", help="dev, local, rig, or another.")]


@app.command()
def run(
    suite: Annotated[str, typer.Argument(help=", ".join(SUITES), metavar="SUITE")],
    stage: Stage = "rig",
    yes: Annotated[bool, typer.Option("--yes", help="Agree to what it costs on AWS.")] = False,
    web: Annotated[bool, typer.Option("--web", help="Serve Locust's page while it runs.")] = False,
    web_port: Annotated[int, typer.Option(help="Of that page; 0 for a free one.")] = 0,
    processes: Annotated[int, typer.Option(min=1, help="Processes that send load.")] = 1,
    seed: Annotated[int, typer.Option(help="Of players and scores.")] = 1,
    reports: Annotated[Path, typer.Option(help="Where evidence goes.")] = Path("reports"),
    changed: Annotated[
        list[str] | None, typer.Option("--set", help="A size of the suite: NAME=JSON.")
    ] = None,
) -> None:
    """Run a suite; evidence and report go to `reports/SUITE/<UTC start>/`."""
    if suite not in SUITES:
        _stop(f"There is no suite '{suite}': {', '.join(SUITES)}.", USAGE)
    if stage in REFUSED_STAGES:
        _stop(f"Stage '{stage}' serves players: load tests refuse it.", USAGE)
    try:
        sizes = starting.sizes_of(SUITES[suite].sizes[kind_of(stage)], changed or [])
    except ValueError as error:
        _stop(str(error), USAGE)
    asked = starting.Asked(suite, stage, sizes, seed, processes, reports, web, web_port)
    try:
        client = Client(read_outputs(stage))
        planned = starting.planned(asked)
        for line in (planned.limits or (f"Stage {stage}",))[:1]:
            typer.echo(line)
        _agree(planned.stage, suite_of(planned), yes)
        code = starting.run(client, planned, asked)
    except ClientError as error:
        _stop(str(error), error.exit_code)
    except ApiError as error:
        _stop(*starting.failure_of(client, error))
    except boards.NotPreparedError as error:
        _stop(str(error), EXIT_CODES["not finished"])
    raise typer.Exit(code)


@app.command()
def cleanup(
    stage: Stage = "rig",
    everything: Annotated[
        bool, typer.Option("--all", help="Also of runs begun within six hours: none may be going.")
    ] = False,
) -> None:
    """Delete the boards of runs that were killed; running it twice is no error."""
    try:
        client = Client(read_outputs(stage))
        before = starting.now() if everything else None
        gone = boards.removed(client, boards.left_behind(client, before=before))
    except ClientError as error:
        _stop(str(error), error.exit_code)
    except ApiError as error:
        _stop(*starting.failure_of(client, error))
    typer.echo("\n".join(f"Deleted {one}." for one in gone) or "Nothing was left behind.")


@app.command()
def keep(
    directory: Annotated[Path, typer.Argument(help="A run's folder.")],
    into: Annotated[Path, typer.Option(help="Where chosen runs are kept.")] = Path("docs/evidence"),
) -> None:
    """Copy a run's evidence, and a report without Locust's own page, to be committed."""
    evidence = read_evidence(directory)
    target = into / f"{evidence['suite']}-{evidence['stage']}"
    target.mkdir(parents=True, exist_ok=True)
    (target / "evidence.json").write_text(compact(evidence), encoding="utf-8")
    (target / "report.html").write_text(report.page(evidence), encoding="utf-8")
    typer.echo(f"Kept in {target}.")


def compact(evidence: Any) -> str:
    """JSON with a line for each value at the top, so that series take one."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in evidence.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _agree(stage: str, suite: Any, yes: bool) -> None:
    if kind_of(stage) != AWS:
        return
    typer.echo(f"This run makes {cost.in_words(starting.calls_of(suite))}.")
    if not yes:
        _stop("Say --yes to agree.", USAGE)


def _stop(words: str, code: int) -> Any:
    typer.echo(words, err=True)
    raise typer.Exit(code)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    app()
