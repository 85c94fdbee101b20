"""How answers look to people: tables and lines, used by `tally` and by the demo alike."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ops.audit import Difference, WindowAudit  # brings boto3, which few commands need

Answer = Mapping[str, Any]
DIFFERENCES_SHOWN: Final = 20
MARK: Final = "\N{BLACK LEFT-POINTING SMALL TRIANGLE}"  # points at what was asked for


def number(value: int | float | None) -> str:
    """A number with thousands separated; a dash for none."""
    return "-" if value is None else f"{value:,}"


def many(count: int, noun: str) -> str:
    """A number and its noun, `1 node` or `2 nodes`."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def entries(count: int) -> str:
    """A number of entries, `1 entry` or `2 entries`."""
    return f"{number(count)} {'entry' if count == 1 else 'entries'}"


def time_of(milliseconds: int | None) -> str:
    """A time of the API, in UTC to the second; a dash for none."""
    if milliseconds is None:
        return "-"
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"


def rank_line(answer: Answer) -> str:
    """A rank answer in one line, claiming no more than it does.

    Exact: `rank 14,238 of 40,000`; estimated: `rank 9,120 to 9,480 of 40,000, about 9,300`.
    """
    if answer["kind"] == "unranked":
        return "not ranked"
    population = number(answer.get("population"))
    if answer["kind"] == "exact":
        return f"rank {number(answer['rank'])} of {population} (exact, by {answer['basis']})"
    low, high = answer["rank_range"]
    about = number(answer["approximate_rank"])
    return f"rank {number(low)} to {number(high)} of {population}, about {about} (estimated)"


def percentile_line(answer: Answer) -> str:
    """The share of the board at or above the player; empty for a player without a rank."""
    if not answer.get("percentile_range"):
        return ""
    low, high = answer["percentile_range"]
    return f"top {low:g} %" if low == high else f"top {low:g} to {high:g} %"


def explain_line(answer: Answer) -> str:
    """What the read consumed; empty when the answer was not asked to explain itself."""
    explain = answer.get("explain")
    if not explain:
        return ""
    nodes, counted = explain["nodes_read"], explain["entries_counted"]
    cached = (" (cached)" if nodes == 1 else " (some cached)") if explain.get("cached") else ""
    if explain.get("stale"):
        cached = " (from a cache past its time: the table did not serve them)"
    return (
        f"{explain['read_units']:g} read units: {many(nodes, 'counter node')}"
        f"{cached}, {entries(counted)} counted"
    )


def rank_panel(answer: Answer) -> RenderableType:
    """One player's rank, a line a fact."""
    rows = [
        ("player", str(answer.get("player_id"))),
        ("score", number(answer.get("score"))),
        ("standing", rank_line(answer)),
        ("share", percentile_line(answer)),
        ("as of", time_of(answer.get("as_of"))),
        ("consumed", explain_line(answer)),
        ("path", path_line(answer)),
    ]
    return facts([(name, value) for name, value in rows if value not in {"", "-"}])


def path_line(answer: Answer) -> str:
    """The walk through the counters, as the answer explains it."""
    path = (answer.get("explain") or {}).get("path")
    return " > ".join(str(step) for step in path) if isinstance(path, list) else str(path or "")


def top_table(answer: Answer, *, times: bool = True) -> RenderableType:
    """The first entries of a board, with or without the times they were achieved."""
    entries = answer["entries"]
    listed = entries_table(entries, times=times) if entries else Text("No entries here.")
    population = answer.get("population")
    players = "" if population is None else many(population, "player")
    return with_lines(listed, players, explain_line(answer))


def entries_table(
    entries: Sequence[Answer],
    *,
    times: bool = True,
    marked: str | None = None,
    by_offset: bool = False,
) -> Table:
    """Entries, a line each.

    Args:
        entries: The entries as the API answers them.
        times: Whether to show when they were achieved.
        marked: The id of the player whose line stands out.
        by_offset: Whether to show places from the marked player, `-2` or `+2`, in place of ranks.
    """
    table = Table()
    table.add_column("place" if by_offset else "rank", justify="right")
    table.add_column("player")
    table.add_column("score", justify="right")
    if times:
        table.add_column("achieved at")
    for entry in entries:
        place = f"{entry['offset']:+,}" if by_offset else number(entry["rank"])
        time = [time_of(entry.get("achieved_at"))] if times else []
        player = Text(str(entry["player_id"]))  # no markup
        is_marked = entry["player_id"] == marked
        if is_marked:
            player.append(f" {MARK}")
            place = "0" if by_offset else place
        style = "bold" if is_marked else None
        table.add_row(place, player, number(entry["score"]), *time, style=style)
    return table


def boards_table(boards: Sequence[Answer]) -> RenderableType:
    """All boards, a line each."""
    table = Table("board", "order", "scores", "windows", "levels", "layout", "name")
    for board in boards:
        low, high = board["score_range"]
        layouts = board.get("layouts") or []
        states = ", ".join(f"{layout['number']} {layout['state']}" for layout in layouts)
        table.add_row(
            str(board["board"]),
            str(board["order"]),
            f"{number(low)} to {number(high)}",
            ", ".join(_window_name(window) for window in board["windows"]),
            str(board.get("layout", {}).get("levels", "-")),
            states or "-",
            Text(str(board.get("display_name") or "")),
        )
    return table


def board_facts(board: Answer) -> RenderableType:
    """The full config of one board."""
    rows = []
    for name, value in board.items():
        if name == "score_range":
            rows.append((name, " to ".join(number(edge) for edge in value)))
        elif name == "layout" and board.get("layouts"):
            continue  # it is the last of them
        elif name == "windows":
            rows += [("window", window_line(window)) for window in value]
        elif name == "dimensions" and value:
            rows.append((name, ", ".join(value)))
        elif name == "tie_breakers":
            rows += [("tie-breaker", tie_breaker_line(column)) for column in value]
        elif name == "retention_days" and value is None:
            rows.append((name, "for ever"))
        elif name == "layouts":
            rows += [(f"layout {layout['number']}", _settings(layout)) for layout in value]
        elif isinstance(value, Mapping):
            rows.append((name, _settings(value)))
        elif value is not None and value != []:
            rows.append((name, _plain(value)))
    return facts(rows)


def window_line(window: str | Answer) -> str:
    """A window of a config: a kind, or a season with its bounds."""
    if isinstance(window, str):
        return window
    start, end = time_of(window["start"]), time_of(window["end"])
    return f"{_window_name(window)}, {start} until {end}"


def tie_breaker_line(column: Answer) -> str:
    """A tie-breaker of a config."""
    low, high = column["range"]
    better = "more is better" if column["order"] == "desc" else "less is better"
    return f"{column['name']}: {better}, {number(low)} to {number(high)}"


def _window_name(window: str | Answer) -> str:
    return window if isinstance(window, str) else f"season {window['season']}"


def audit_lines(audit: "WindowAudit") -> list[str]:
    """What an audit found: one line when all agree, else the first differences as well."""
    window = "" if audit.window == "all" else f", window {audit.window}"
    what = (
        f"{audit.board}{window}: {many(audit.players, 'player')}, {many(audit.cells, 'cell')} in "
        f"{many(audit.nodes, 'node')}"
    )
    if not audit.differences:
        return [f"{what} agree with a recount"]
    count = len(audit.differences)
    lines = [f"{what}: {number(count)} differ from a recount"]
    lines += [f"  {difference_line(found)}" for found in audit.differences[:DIFFERENCES_SHOWN]]
    if count > DIFFERENCES_SHOWN:
        lines.append(f"  and {number(count - DIFFERENCES_SHOWN)} more (all of them with --json)")
    return lines


def difference_line(found: "Difference") -> str:
    """One difference of an audit."""
    node = found.node or "root"
    scores = "no such cell" if found.low is None else f"{number(found.low)} to {number(found.high)}"
    if found.kind == "sum":
        return (
            f"node {node} ({scores}): its children count {number(found.counted)} together, "
            f"its parent says {number(found.recounted)}"
        )
    return (
        f"node {node}, child {found.child} ({scores}): counted {number(found.counted)}, "
        f"recounted {number(found.recounted)}"
    )


def with_lines(shown: RenderableType, *lines: str) -> RenderableType:
    """What is shown, with those lines under it that say anything."""
    return Group(shown, *(Text(line, style="dim") for line in lines if line))


def facts(rows: Sequence[tuple[str, str]]) -> RenderableType:
    """Names and values side by side."""
    table = Table.grid(padding=(0, 2))
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(value))
    return table


def _settings(values: Answer) -> str:
    return ", ".join(f"{key} {_plain(value)}" for key, value in values.items() if key != "number")


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return number(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
