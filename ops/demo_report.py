"""What the demo prints."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.table import Table
from rich.text import Text

from ops import present
from ops.client import LOCAL_KEY, SIGNING_SERVICE, Client
from ops.demo_data import DemoBoard, Line
from ops.demo_load import LoadReport
from ops.outputs import LOCAL_REGION

TOP: Final = 5
REASONS_SHOWN: Final = 6
CURL_PLAYER: Final = "runner-00042"  # needs no escaping, which older curls sign wrongly


@dataclass
class Stopwatch:
    """Where the time went: the named parts of the demo, in order, in seconds."""

    parts: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time one part."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.parts.append((name, time.monotonic() - started))

    @contextmanager
    def steps(self, show: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
        """Time parts that follow each other: each lasts until the next is announced."""
        name, started = "", time.monotonic()

        def next_step(following: str) -> None:
            nonlocal name, started
            if name:
                self.parts.append((name, time.monotonic() - started))
            name, started = following, time.monotonic()
            if following:
                show(following)

        yield next_step
        next_step("")


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} scores/s" if speed else "", style="dim")


def progress_bar(console: Console) -> Progress:
    """A bar that shows how many scores are through, and how fast."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate())
    return Progress(*columns, Elapsed(), console=console)


def print_load(console: Console, demo: DemoBoard, report: LoadReport) -> None:
    """What became of the lines: outcomes, and what was refused and why."""
    outcomes = ", ".join(f"{present.number(n)} {name}" for name, n in report.outcomes.items())
    rate = len(demo.lines) / report.seconds if report.seconds else 0
    console.print(
        f"{demo.board}: {present.number(len(demo.lines))} lines sent, {outcomes or 'none taken'}, "
        f"{present.number(report.refused.total())} refused; {rate:,.0f} scores/s",
        soft_wrap=True,
    )
    rules = set()
    for reason, count in report.refused.most_common(REASONS_SHOWN):
        fault, _, rule = reason.partition(". ")
        rules.add(rule)
        console.print(Text(f"  {count} refused: {fault}"), soft_wrap=True)
    for rule in sorted(rules - {""}):
        console.print(Text(f"  {rule}"), soft_wrap=True)


def print_board(console: Console, client: Client, demo: DemoBoard, accepted: list[Line]) -> None:
    """The top five, and a rank near the top, in the middle and far down, each with its cost."""
    console.print()
    console.print(Text(f"{demo.config['display_name']}: the first {TOP}", style="bold"))
    console.print(present.top_table(client.top(demo.board, limit=TOP), times=False))
    ordered = demo.in_order(accepted)
    for where, position in _positions(len(ordered)):
        line = ordered[position - 1]
        answer = client.rank(demo.board, line.player_id, explain=True)
        print_rank(console, where, answer, position)


def _positions(population: int) -> list[tuple[str, int]]:
    """Positions, from 1, worth a look on a board."""
    places = [
        ("near the top", min(10, population)),
        ("in the middle", (population + 1) // 2),
        ("far down", population * 4 // 5),
    ]
    return [(where, position) for where, position in places if position]


def print_rank(console: Console, where: str, answer: dict[str, Any], position: int) -> None:
    """One rank, beside the position a sort of the data gives."""
    rows = [
        (where, f"{answer['player_id']} with {present.number(answer['score'])}"),
        ("", f"{present.rank_line(answer)}; a sort of the data says {present.number(position)}"),
        ("", f"consumed {present.explain_line(answer)}"),
    ]
    table = Table.grid(padding=(0, 2))
    table.add_column(width=len("in the middle"))
    for name, text in rows:
        table.add_row(Text(name, style="bold"), Text(text))
    console.print(table)


def print_timing(console: Console, stopwatch: Stopwatch) -> None:
    """Where the time went, and all of it."""
    table = Table("where the time went", title_justify="left")
    table.add_column("seconds", justify="right")
    for name, seconds in stopwatch.parts:
        table.add_row(Text(name), f"{seconds:.1f}")
    table.add_section()
    table.add_row("all", f"{sum(seconds for _, seconds in stopwatch.parts):.1f}")
    console.print()
    console.print(table)


def print_next_steps(console: Console, api_url: str, board: str) -> None:
    """The address, a command that works as printed, and how to stop."""
    url = f"{api_url}/api/leaderboards/{board}/players/{quote(CURL_PLAYER, safe='')}/rank"
    signing = f"aws:amz:{LOCAL_REGION}:{SIGNING_SERVICE}"
    curl = f"curl --aws-sigv4 '{signing}' --user {LOCAL_KEY}:{LOCAL_KEY} '{url}'"
    lines: Sequence[tuple[str, str]] = (
        ("The API", api_url),
        ("Try", curl),
        ("Or", f".venv/bin/tally rank {board} {CURL_PLAYER} --explain"),
        ("Stop it", ".venv/bin/tally local down"),
    )
    console.print()
    for name, text in lines:
        # Unwrapped and unstyled, so that what is copied is what was meant.
        console.print(Text.assemble((f"{name:<9}", "bold"), text), soft_wrap=True)
