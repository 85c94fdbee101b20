"""How what is stored of a player looks to people."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ops.players import Found
from ops.present import Answer, many, number, rank_line, time_of


def found_table(found: Found, *, ranks: bool) -> RenderableType:
    """All that is stored of a player, a line a board and window, and the ledger below."""
    table = Table()
    for name in ("board", "window"):
        table.add_column(name, overflow="fold")  # cut short they could not be asked for
    if ranks:
        table.add_column("rank")
    table.add_column("score", justify="right")
    table.add_column("achieved at")
    table.add_column("hidden")
    for board in found.as_json()["boards"]:
        for one in board["windows"]:
            rank = [_rank(board, one)] if ranks else []
            hidden = "hidden" if one["hidden"] else ""
            score, time = number(one["score"]), time_of(one["achieved_at"])
            table.add_row(_board_name(board, one), one["window"], *rank, score, time, hidden)
    lines = [Text(line, style="dim") for line in _lines(found)]
    return Group(table, *lines) if found.scores else Group(*lines)


def total_line(found: Found) -> str:
    """How much there is: `3 score items and 2 ledger items on 2 boards`."""
    items = f"{many(found.scores, 'score item')} and {many(found.ledger_items, 'ledger item')}"
    return f"{items} on {many(len(found.boards), 'board')}"


def _board_name(board: Answer, window: Answer) -> str:
    if board["deleted"]:
        return f"{board['board']} (deleted)"
    return f"{board['board']} (former life)" if window["former_life"] else str(board["board"])


def _rank(board: Answer, window: Answer) -> str:
    if window["rank"] is not None:
        return rank_line(window["rank"])
    gone = board["deleted"] or window["former_life"]
    return "-" if gone else "no longer read"


def _lines(found: Found) -> Iterator[str]:
    for board in found.as_json()["boards"]:
        if board["ledger_items"]:
            yield f"{board['board']}: {many(board['ledger_items'], 'ledger item')}"
        if board["visibility_kept"]:
            yield f"{board['board']}: a visibility flag"
