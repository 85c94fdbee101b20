"""`tally`, the operator's command."""

import typer

from ops.commands import (
    audit,
    boards,
    evidence,
    local,
    players,
    reads,
    rig,
    scores,
    status,
    study,
    transfer,
)

app = typer.Typer(
    name="tally",
    no_args_is_help=True,
    help="Operate a Tallyboard deployment: its boards, scores, ranks and counters.",
    epilog=(
        "A stage is found by its outputs file, .tally/<stage>.outputs.json (TALLY_HOME names "
        "another folder). Exit codes: 0 done, 1 refused or drift found, 2 wrong usage, 3 nothing "
        "is deployed or running. Example: tally local up, then tally boards create arena"
    ),
)
app.add_typer(local.app, name="local")
app.add_typer(rig.app, name="rig")
app.add_typer(boards.app, name="boards")
app.add_typer(players.app, name="players")
app.add_typer(study.app, name="study")
app.add_typer(evidence.app, name="evidence")
scores.register(app)
reads.register(app)
audit.register(app)
status.register(app)
transfer.register(app)


def main() -> None:
    """Run `tally`."""
    app()


if __name__ == "__main__":
    main()
