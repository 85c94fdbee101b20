"""The report of a run: what its evidence says, for people."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

Evidence = dict[str, Any]
FILE: Final = "report.html"
WHOLE_FROM: Final = 1_000  # figures from here on are shown without decimals
_STYLE: Final = """
.tally{font:14px/1.45 system-ui,sans-serif;max-width:1000px;margin:1.5em auto;padding:0 1em;
color:#111827;background:#fff}.tally h1{font-size:22px}.tally h2{font-size:16px;margin-top:1.6em}
.tally table{border-collapse:collapse;margin:.4em 0}.tally td,.tally th{border-bottom:1px solid
#e5e7eb;padding:3px 12px 3px 0;text-align:left;font-weight:400;vertical-align:top}
.tally th{color:#6b7280}.tally .bad{color:#b91c1c;font-weight:600}.tally .good{color:#047857}
.tally .limits{background:#fef3c7;padding:.5em .8em}.tally svg{max-width:100%;height:auto}
"""
_GOOD: Final = ("met", "objectives met")


def written(directory: Path, evidence: Evidence, locust_page: Path) -> Path:
    """Write the report: ours, followed by Locust's own page where that was written.

    Locust's page is taken into ours and removed.
    """
    path = directory / FILE
    if locust_page.exists():
        text = locust_page.read_text(encoding="utf-8")
        head, body, rest = text.partition("<body>")
        path.write_text(head + body + _section(evidence) + rest, encoding="utf-8")
        locust_page.unlink()
    else:
        path.write_text(page(evidence), encoding="utf-8")
    return path


def page(evidence: Evidence) -> str:
    """The report without Locust's page: small enough to be kept."""
    title = escape(f"{evidence['suite']} on {evidence['stage']}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body>{_section(evidence)}</body></html>\n"
    )


def table(evidence: Evidence) -> str:
    """The end of a run on a terminal: offered and achieved, objectives, the verdict."""
    lines = ["", _aligned(_PHASE_HEAD, _phase_rows(evidence)), ""]
    lines.append(_aligned(_OBJECTIVE_HEAD, _objective_rows(evidence)))
    lines += ["", *(f"{one}" for one in evidence["reasons"] + evidence["words"][:5])]
    lines.append(f"{evidence['verdict']} (exit code {evidence['exit_code']})")
    return "\n".join(lines)


_PHASE_HEAD: Final = ("phase", "offered", "achieved", "", "in time", "client CPU", "load")
_OBJECTIVE_HEAD: Final = ("measure", "objective", "measured", "verdict")


def _phase_rows(evidence: Evidence) -> list[list[str]]:
    return [
        [
            one["phase"],
            number(one["offered"]),
            number(one["achieved"]),
            one["unit"],
            f"{one['done']:,} of {one['operations']:,}",
            f"{one['client_cpu']:.0%}",
            "reached" if one["reached"] else one["why_not"],
        ]
        for one in evidence["phases"]
        if one["measured"]
    ]


def _objective_rows(evidence: Evidence) -> list[list[str]]:
    return [
        [one["measure"], one["objective"], number(one["measured"]), one["verdict"]]
        for one in evidence["objectives"]
    ]


def number(value: Any) -> str:
    """A figure for people; texts stay as they are, and what is not there is a dash."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or abs(value) >= WHOLE_FROM:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _section(evidence: Evidence) -> str:
    from loadtests.charts import charts  # matplotlib takes its time, and refusals need none

    verdict = evidence["verdict"]
    parts = [
        f"<style>{_STYLE}</style>",
        f"<h1>{escape(evidence['suite'])} on {escape(evidence['stage'])}: "
        f"{_coloured(verdict)}</h1>",
        _list("limits", evidence["limits"]),
        _list("bad", evidence["reasons"]),
        _facts(evidence),
        "<h2>Objectives</h2>" + _html_table(_OBJECTIVE_HEAD, _objective_rows(evidence)),
        "<h2>Offered and achieved</h2>" + _html_table(_PHASE_HEAD, _phase_rows(evidence)),
        "<h2>Latency of each named request, ms (95 % interval)</h2>" + _percentiles(evidence),
        *(
            f"<h2>{escape(one['title'])}</h2>"
            + _html_table(one["columns"], [[number(cell) for cell in row] for row in one["rows"]])
            for one in evidence["tables"]
        ),
        "<h2>Consumed units</h2>" + _consumed(evidence),
        *(f"<h2>{escape(title)}</h2>{svg}" for title, svg in charts(evidence).items()),
        "<h2>Remarks</h2>" + _list("", evidence["words"]) if evidence["words"] else "",
    ]
    return f'<div class="tally">{"".join(parts)}</div>'


def _facts(evidence: Evidence) -> str:
    config = ", ".join(f"{name} {value}" for name, value in evidence["config"].items())
    client = evidence["client"]
    facts = [
        ("from, to (UTC)", f"{evidence['start']}, {evidence['end']}"),
        ("commit", evidence["commit"]),
        ("config", config),
        (
            "client",
            f"{client['cpu']:.0%} of a core at most, {number(client['cpu_ms_a_request'])} ms of "
            f"CPU a request, its timer {number(client['late_seconds'])} s late",
        ),
    ]
    return _html_table(("", ""), facts)


def _percentiles(evidence: Evidence) -> str:
    rows = [
        [
            name,
            number(evidence["requests"][name]["requests"]),
            number(evidence["requests"][name]["failures"]),
            *(_with_ends(found.get(one)) for one in ("p50", "p95", "p99", "p100")),
        ]
        for name, found in evidence["percentiles"].items()
    ]
    return _html_table(("request", "requests", "failures", "p50", "p95", "p99", "p100"), rows)


def _with_ends(found: list[float] | None) -> str:
    if found is None:
        return "-"
    value, low, high = found
    return number(value) if low == high else f"{number(value)} ({number(low)} to {number(high)})"


def _consumed(evidence: Evidence) -> str:
    spent = evidence["consumed"]
    tables = [
        *spent["write_units"],
        *(x for x in spent["read_units"] if x not in spent["write_units"]),
    ]
    rows = [
        [one, number(spent["write_units"].get(one)), number(spent["read_units"].get(one))]
        for one in tables
    ]
    share = evidence["share"]
    said = "" if share is None else f"<p>The counters' share of write units: {share:.1%}.</p>"
    if not rows:
        return "<p>This stage does not tell.</p>"
    return _html_table(("table or index", "write units", "read units"), rows) + said


def _html_table(head: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    heading = "".join(f"<th>{escape(one)}</th>" for one in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{_coloured(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{heading}</tr>{lines}</table>"


def _coloured(text: str) -> str:
    bad = text in ("missed", "not measured", "objective missed", "load not reached")
    kind = "good" if text in _GOOD else "bad" if bad else ""
    return f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text)


def _list(kind: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return f'<p class="{kind}">' + "<br>".join(escape(one) for one in lines) + "</p>"
