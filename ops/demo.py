"""`make demo`: the real deployment, on this machine, with real results in it.

Starts the local deployment, makes two boards, sends a road race and a list of films through the
signed HTTP API, waits until the stream has been counted, and shows what the boards answer. Leaves
the deployment up. May be run again: what is up is kept, and scores already there change nothing.
"""

import sys
from functools import partial
from typing import Final

from rich.console import Console
from rich.text import Text

from ops.audit import WindowAudit, audit_boards
from ops.client import ApiError, Client, ClientError, read_outputs, state_dir
from ops.demo_data import DemoBoard, Line, film_board, race_board
from ops.demo_load import load
from ops.demo_report import (
    Stopwatch,
    print_board,
    print_load,
    print_next_steps,
    print_timing,
    progress_bar,
)
from ops.local import deployment
from ops.present import audit_lines

DRAIN_SECONDS: Final = 120
EXIT_FAILED: Final = 1
EXIT_INTERRUPTED: Final = 130  # as a shell reports it


def main() -> int:
    """Run the demo; returns the exit code."""
    console = Console(highlight=False)
    try:
        return run(console)
    except KeyboardInterrupt:
        console.print(f"\nInterrupted. {_leftover()}", soft_wrap=True)
        return EXIT_INTERRUPTED
    except (ApiError, ClientError, deployment.DeploymentError) as error:
        console.print(Text(f"The demo failed: {error}", style="bold red"), soft_wrap=True)
        console.print(_leftover(), soft_wrap=True)
        return EXIT_FAILED


def run(console: Console) -> int:
    """Deploy, load, audit and show; returns 1 if the counters never agreed with a recount."""
    stopwatch = Stopwatch()
    with stopwatch.part("Reading the data sets"):
        demos = [race_board(), film_board()]
    client = deploy(console, stopwatch)
    accepted = {demo.board: send(console, stopwatch, client, demo) for demo in demos}
    with stopwatch.part("Waiting for the stream, and auditing"):
        audits = wait_until_counted(console, client, demos)
    with stopwatch.part("Reading tops and ranks"):
        for demo in demos:
            print_board(console, client, demo, accepted[demo.board])
    console.print()
    for audit in audits:
        for line in audit_lines(audit):
            console.print(Text(line), soft_wrap=True)
    print_timing(console, stopwatch)
    print_next_steps(console, client.outputs.api_url, demos[0].board)
    return EXIT_FAILED if any(audit.differences for audit in audits) else 0


def deploy(console: Console, stopwatch: Stopwatch) -> Client:
    """Start the local deployment, or keep the one that is up."""
    status = console.status("Starting the local deployment")
    with status, stopwatch.steps(lambda text: status.update(Text(text))) as progress:
        deployment.up(state_dir(), progress=progress)
    client = Client(read_outputs("local", state_dir()))
    console.print(Text(f"Deployed: {client.outputs.api_url}"), soft_wrap=True)
    return client


def send(console: Console, stopwatch: Stopwatch, client: Client, demo: DemoBoard) -> list[Line]:
    """Make a board and send its lines; returns those that were accepted."""
    with stopwatch.part(f"Sending {demo.board}"):
        client.put_board(demo.board, demo.config)
        with progress_bar(console) as progress:
            task = progress.add_task(demo.board, total=len(demo.lines))
            report = load(client, demo.board, demo.lines, partial(progress.advance, task))
    print_load(console, demo, report)
    return report.accepted


def wait_until_counted(
    console: Console, client: Client, demos: list[DemoBoard]
) -> list[WindowAudit]:
    """Audit until counters and recount agree, or the time is up."""
    with console.status("Waiting for the stream to be counted"):
        boards = [demo.board for demo in demos]
        return audit_boards(client.outputs, boards, wait_seconds=DRAIN_SECONDS)


def _leftover() -> str:
    if deployment.status(state_dir()).state == deployment.DOWN:
        return "Nothing is left running."
    return "The deployment is left running; stop it with: .venv/bin/tally local down"


if __name__ == "__main__":
    sys.exit(main())
