"""`tally boards`: make, change, show and list boards."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from ops import present
from ops.commands import board_options as options
from ops.commands import deletions
from ops.commands.common import AsJson, Board, Stage, deployed, out, print_json
from ops.configs import config_of, entry_ttl_of, given, schedule_of, tie_breaker_of

app = typer.Typer(no_args_is_help=True, help="Make, change, show, list and delete boards.")
deletions.register(app)


@app.command(epilog="Example: tally boards create ten-mile --order asc --min 0 --max 20000")
def create(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    policy: options.Policy = None,
    order: options.Order = None,
    ties: options.Ties = None,
    minimum: options.Minimum = None,
    maximum: options.Maximum = None,
    tie_breaker: options.TieBreakers = None,
    window: options.Windows = None,
    time_zone: options.TimeZone = None,
    retention_days: options.RetentionDays = None,
    grace_seconds: options.GraceSeconds = None,
    entry_ttl: options.EntryTtl = None,
    dimension: options.Dimensions = None,
    levels: options.Levels = None,
    buckets: options.Buckets = None,
    spacing: options.Spacing = None,
    counter_shards: options.CounterShards = None,
    index_shards: options.IndexShards = None,
    exact_limit: options.ExactLimit = None,
    count_limit: options.CountLimit = None,
    top_exact: options.TopExact = None,
    display_name: options.DisplayName = None,
    description: options.Description = None,
) -> None:
    """Make a board; what you leave out takes the server's default.

    Making the same board again changes nothing and succeeds; `update` changes one that stands.
    """
    layout = given(
        {
            "buckets": buckets,
            "spacing": spacing,
            "levels": levels,
            "counter_shards": counter_shards,
            "index_shards": index_shards,
        }
    )
    with _usage():
        columns = [tie_breaker_of(one) for one in tie_breaker or ()]
        schedule = schedule_of(window, time_zone, retention_days, "UTC")
    config = {
        "policy": policy,
        "order": order,
        "ties": ties,
        "score_range": _score_range(minimum, maximum),
        "tie_breakers": columns or None,
        "grace_seconds": grace_seconds,
        "dimensions": dimension or None,
        "exact_limit": exact_limit,
        "count_limit": count_limit,
        "top_exact": top_exact,
        "display_name": display_name,
        "description": description,
        "layout": layout or None,
    }
    with deployed(stage, as_json) as client:
        status, answer = client.put_board(board, given(config) | schedule | entry_ttl_of(entry_ttl))
        stood = "It was there already, with this config."
        _show(answer, as_json, "Made." if status == 201 else stood)


@app.command(epilog="Example: tally boards update ten-mile --display-name 'Ten miles'")
def update(
    board: Board,
    stage: Stage = "local",
    as_json: AsJson = False,
    window: options.Windows = None,
    time_zone: options.TimeZone = None,
    retention_days: options.RetentionDays = None,
    grace_seconds: options.GraceSeconds = None,
    entry_ttl: options.EntryTtl = None,
    dimension: options.Dimensions = None,
    exact_limit: options.ExactLimit = None,
    count_limit: options.CountLimit = None,
    top_exact: options.TopExact = None,
    display_name: options.DisplayName = None,
    description: options.Description = None,
) -> None:
    """Change a live board; what you leave out stays as it is, and a dimension is added.

    If somebody else changes it meanwhile, nothing is changed: run it again. How a board ranks,
    and its layout, stay for its life.
    """
    plain = entry_ttl_of(entry_ttl) | given(
        {
            "grace_seconds": grace_seconds,
            "exact_limit": exact_limit,
            "count_limit": count_limit,
            "top_exact": top_exact,
            "display_name": display_name,
            "description": description,
        }
    )
    with _usage():
        schedule_of(window, time_zone, retention_days, "UTC")
    with deployed(stage, as_json) as client:
        standing = client.board(board)
        schedule = schedule_of(window, time_zone, retention_days, standing["time_zone"])
        if dimension:
            plain["dimensions"] = list(dict.fromkeys((*standing["dimensions"], *dimension)))
        _, answer = client.put_board(board, config_of(standing) | plain | schedule)
        _show(answer, as_json, _what_changed(standing, answer))


def _what_changed(before: Any, after: Any) -> str:
    if before["version"] == after["version"]:
        return "It was so already."
    names = ("windows", "time_zone", "retention_days", "grace_seconds")
    if any(before.get(name) != after.get(name) for name in names):
        return "Changed. Its windows come into force in 70 seconds, open ones end as they are."
    return "Changed."


@app.command(epilog="Example: tally boards show ten-mile")
def show(board: Board, stage: Stage = "local", as_json: AsJson = False) -> None:
    """Show a board's config and its layouts."""
    with deployed(stage, as_json) as client:
        _show(client.board(board), as_json)


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


def _show(answer: Any, as_json: bool, what: str = "") -> None:
    if as_json:
        print_json(answer)
        return
    if what:
        out().print(what)
    out().print(present.board_facts(answer))


@contextmanager
def _usage() -> Iterator[None]:
    """Turn what cannot be read into wrong usage."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _score_range(minimum: int | None, maximum: int | None) -> list[int] | None:
    if (minimum is None) != (maximum is None):
        raise typer.BadParameter("--min and --max are given together, or neither")
    return None if minimum is None or maximum is None else [minimum, maximum]
