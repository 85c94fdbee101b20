"""How answers about several players, scores or ranks look to people."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ops.present import (
    Answer,
    entries_table,
    explain_line,
    facts,
    many,
    number,
    percentile_line,
    rank_line,
    time_of,
    with_lines,
)


def around_table(answer: Answer, player: str) -> RenderableType:
    """A player among the neighbours: their ranks, or the places between where ranks are ranges."""
    entries = answer["entries"]
    if not entries:
        return Text(f"{player} is not ranked.")
    by_offset = any(entry.get("rank") is None for entry in entries)
    table = entries_table(entries, marked=player, by_offset=by_offset)
    return with_lines(table, _place_line(answer, player), explain_line(answer))


def friends_table(answer: Answer, player: str) -> RenderableType:
    """A player and the friends, ranked among themselves, and those who have no score."""
    lines: list[RenderableType] = []
    if answer["entries"]:
        lines.append(entries_table(answer["entries"], marked=player))
    if answer.get("unranked"):
        lines.append(Text(f"not ranked: {', '.join(answer['unranked'])}", style="dim"))
    return Group(*lines)


def ranks_table(answer: Answer) -> RenderableType:
    """The rank each score would have, a line each."""
    table = Table()
    table.add_column("score", justify="right")
    table.add_column("would be")
    table.add_column("share")
    shared = {"population": answer.get("population")}
    for one in answer["ranks"]:
        table.add_row(number(one["score"]), rank_line(shared | one), percentile_line(one))
    return with_lines(table, explain_line(answer))


def standing_panel(answer: Answer) -> RenderableType:
    """The score at a rank, a line a fact."""
    if answer.get("kind") == "vacant":
        population = many(answer.get("population") or 0, "player")
        return Text(
            f"Nobody stands at rank {number(answer.get('rank'))}: the board has {population}."
        )
    holders = answer.get("holders")
    player = answer.get("player_id")
    rows = [
        ("rank", f"{number(answer.get('rank'))} of {number(answer.get('population'))}"),
        ("score", score_line(answer)),
        ("known", _known_line(answer)),
        ("held by", "" if holders is None else many(holders, "player")),
        ("player", "" if player is None else str(player)),
        ("as of", time_of(answer.get("as_of"))),
        ("consumed", explain_line(answer)),
    ]
    return facts([(name, value) for name, value in rows if value not in {"", "-"}])


def info_panel(answer: Answer) -> RenderableType:
    """What players may know of a board, and its windows, a line each."""
    rows = [
        ("board", str(answer["board"])),
        ("name", str(answer.get("display_name") or "")),
        ("about", str(answer.get("description") or "")),
        ("ranks", f"{answer['policy']}, {answer['order']}, ties {answer['ties']}"),
        ("scores", range_line(*answer["score_range"])),
        ("dimensions", ", ".join(answer.get("dimensions", ()))),
    ]
    table = Table("window", "state")
    table.add_column("players", justify="right")
    table.add_column("as of")
    for window in answer["windows"]:
        players, as_of = number(window["population"]), time_of(window["as_of"])
        table.add_row(window["window"], window["state"], players, as_of)
    return Group(facts([(name, value) for name, value in rows if value]), table)


def score_line(answer: Answer) -> str:
    """A score, or the range that contains it; a dash where there is none."""
    if answer.get("score") is not None:
        return number(answer["score"])
    return "-" if answer.get("score_range") is None else range_line(*answer["score_range"])


def range_line(low: int, high: int) -> str:
    """A range of scores, both ends included: `1,200 to 1,299`, or the one score that it is."""
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _known_line(answer: Answer) -> str:
    if answer.get("score") is None:
        return "within the range of its cell"
    return f"exact, by {answer['basis']}" if answer.get("basis") else ""


def _place_line(answer: Answer, player: str) -> str:
    if answer.get("rank_range"):
        return f"{player}: {rank_line(answer)}"
    population = number(answer.get("population"))
    if answer.get("rank") is not None:
        return f"{player}: rank {number(answer['rank'])} of {population}"
    return f"{player}: somewhere among {population}"
