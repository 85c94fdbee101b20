"""Writes a study: its page, its pictures, and the numbers behind them as JSON."""

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from ops.markdown import table
from ops.studies.study import Findings, Section, Study

FOLDER: Final = Path(__file__).parents[2] / "docs" / "studies"


def write(study: Study, findings: Findings, folder: Path, made: dict[str, str]) -> Path:
    """Writes all files of a study; those of a former run are replaced.

    Args:
        folder: where to; it is made if it is missing.
        made: how the run was made, such as its command, seed and date.

    Returns:
        The page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = made | {"python": platform.python_version(), "numpy": version("numpy")}
    numbers = {"study": study.name, "made": made, "limits": study.limits}
    text = json.dumps(numbers | {"results": findings.results}, indent=1, ensure_ascii=False)
    (folder / f"{study.name}.json").write_text(text + "\n", encoding="utf-8")
    for section in findings.sections:
        for figure in section.figures:
            file = folder / f"{study.name}-{figure.name}.svg"
            file.write_text(figure.svg, encoding="utf-8")
    page = folder / f"{study.name}.md"
    page.write_text(page_text(study, findings, made), encoding="utf-8")
    return page


def page_text(study: Study, findings: Findings, made: Mapping[str, str]) -> str:
    """The page of a study, in Markdown."""
    facts = "  \n".join(f"{name}: {value}" for name, value in made.items())
    numbers = f"All numbers: [{study.name}.json]({study.name}.json)."
    parts = [f"# {study.title}", study.lead, facts, numbers]
    for section in findings.sections:
        parts += _section(study, section)
    return "\n\n".join([*parts, "## Limits", study.limits]) + "\n"


def _section(study: Study, section: Section) -> list[str]:
    pictures = [f"![{figure.shows}]({study.name}-{figure.name}.svg)" for figure in section.figures]
    rows = ["\n".join(table(section.rows))] if section.rows else []
    return [f"## {section.title}", section.text, *pictures, *rows]
