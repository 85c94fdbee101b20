"""What every command shares: the stage, the form of the output, and how errors end a command."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ops import present
from ops.client import ApiError, Client, ClientError, read_outputs

EXIT_FAILED: Final = 1  # others: see `ClientError.exit_code`
EXIT_NOT_UP: Final = 3  # of a stage that was asked for its state
EXIT_INTERRUPTED: Final = 130  # as shells have it


def _valid_board(board: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{1,64}", board):
        raise typer.BadParameter("a board's id is 1 to 64 of a-z, 0-9 and '-'")
    return board


Stage = Annotated[
    str,
    typer.Option(envvar="TALLY_STAGE", help="The deployed stage to talk to.", show_envvar=True),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the answer as JSON, errors as JSON on stderr.")
]
Board = Annotated[
    str,
    typer.Argument(
        help="The board's id: a-z, 0-9 and '-'.", callback=_valid_board, metavar="BOARD"
    ),
]
Player = Annotated[str, typer.Argument(help="The player's id.", metavar="PLAYER")]

Window = Annotated[
    str | None, typer.Option(help="The window to read, such as all; default: the board's first.")
]
Segment = Annotated[
    str | None,
    typer.Option(metavar="DIMENSION:VALUE", help="A part of the window, such as region:eu."),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show how it was found and what that consumed.")
]


def out() -> Console:
    """The console of answers; made when used, so that it writes where stdout points then."""
    return Console(highlight=False)


def err() -> Console:
    """The console of errors and of progress."""
    return Console(stderr=True, highlight=False)


def print_json(answer: Any, *, to_stderr: bool = False) -> None:
    """Print a JSON value as it came, without colours or wrapping."""
    typer.echo(json.dumps(answer, indent=2, ensure_ascii=False), err=to_stderr)


def print_lines(answers: Iterable[Any]) -> None:
    """Print JSON values, a line each."""
    for answer in answers:
        typer.echo(json.dumps(answer, ensure_ascii=False))


def print_facts(found: Any, rows: list[tuple[str, Any]], hint: str, as_json: bool) -> None:
    """Print the state of a stage: its fields as JSON, or rows for people and what to do next."""
    if as_json:
        fields = dataclasses.asdict(found).items()
        plain = (str, int, float, bool, type(None))
        print_json({name: one if isinstance(one, plain) else str(one) for name, one in fields})
        return
    out().print(present.facts([(name, str(text)) for name, text in rows if text]))
    out().print(Text(hint, style="dim"))


@contextmanager
def deployed(stage: str, as_json: bool) -> Iterator[Client]:
    """A client of the stage; errors end the command (see `reported`)."""
    with reported(as_json):
        yield Client(read_outputs(stage))


@contextmanager
def reported(as_json: bool) -> Iterator[None]:
    """Turn errors into words, or a problem document, on stderr and an exit code.

    Raises:
        typer.Exit: 1 when the API refused, 3 when nothing is deployed or running, 2 when what was
            asked cannot be sent.
    """
    try:
        yield
    except ApiError as error:
        _print_problem(error.problem, as_json)
        raise typer.Exit(EXIT_FAILED) from None
    except ClientError as error:
        problem = {"type": "about:blank", "title": error.title, "detail": str(error)}
        _print_problem(problem | {"code": error.code}, as_json)
        raise typer.Exit(error.exit_code) from None


def _print_problem(problem: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(problem, to_stderr=True)
        return
    console = err()
    title, detail = escape(str(problem.get("title"))), escape(str(problem.get("detail") or ""))
    said_in_full = detail.startswith(title)
    console.print(
        f"[bold red]{detail}[/]"
        if said_in_full
        else f"[bold red]{title}[/]{detail and ': '}{detail}",
        soft_wrap=True,
    )
    for field in problem.get("errors") or []:
        if str(field.get("message")) in str(problem.get("detail")):
            continue  # said already
        console.print(
            f"  {escape(str(field.get('field')))}: {escape(str(field.get('message')))}",
            soft_wrap=True,
        )
