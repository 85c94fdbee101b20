"""Tables of the reports that are written as Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The lines of a table: a column for each key of the first row, underscores as spaces."""
    columns = list(rows[0])
    head = " | ".join(column.replace("_", " ") for column in columns)
    lines = [f"| {head} |", "|" + "---|" * len(columns)]
    return lines + [
        "| " + " | ".join(_cell(row[column]) for column in columns) + " |" for row in rows
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_cell(one)}" for name, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
