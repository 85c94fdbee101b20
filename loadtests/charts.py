"""Charts of a run as SVG, drawn from its evidence alone."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import matplotlib

matplotlib.use("svg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure

Evidence = Mapping[str, Any]
WIDTH, HEIGHT = 9.0, 2.6  # inches
COLOURS: Final = ("#2563eb", "#d97706", "#059669", "#7c3aed", "#db2777", "#475569")
MOST_POINTS: Final = 300  # of a line; longer runs are drawn in longer steps
SHARE_STEP_SECONDS: Final = 5


def charts(evidence: Evidence) -> dict[str, str]:
    """Title and SVG of each chart that the evidence holds the numbers for."""
    drawn: dict[str, tuple[Callable[[Axes, Evidence, float], None], bool]] = {
        "Requests a second": (_rate, bool(evidence["series"]["seconds"])),
        "Latency by request, ms": (_latency, bool(evidence["percentiles"])),
        "Latency over time, ms": (_latency_over_time, bool(evidence["series"].get("latency"))),
        "Write units a second": (_units, bool(evidence["series"]["write_units"])),
        "The counters' share of write units": (_share, bool(_shares(evidence))),
        "Lag, ms": (_lag, bool(_lags(evidence))),
        "Age of the newest record of a batch, ms": (
            _count_lag,
            bool(evidence["series"].get("count_lag_ms")),
        ),
    }
    return {title: _svg(draw, evidence) for title, (draw, there) in drawn.items() if there}


def _svg(draw: Callable[[Axes, Evidence, float], None], evidence: Evidence) -> str:
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tally", "font.size": 8}):
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        axes = figure.add_subplot()
        draw(axes, evidence, _begin(evidence))
        axes.grid(visible=True, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return "<svg" + text.getvalue().partition("<svg")[2]


def _begin(evidence: Evidence) -> float:
    phases = evidence["series"]["phases"]
    return float(phases[0][1]) if phases else 0.0


def _rate(axes: Axes, evidence: Evidence, begin: float) -> None:
    rows = evidence["series"]["seconds"]
    done = _stepped([(at, requests) for at, requests, _ in rows])
    failed = _stepped([(at, failures) for at, _, failures in rows])
    axes.plot([at - begin for at, _ in done], [one for _, one in done], COLOURS[0], label="done")
    if any(one for _, one in failed):
        axes.plot([at - begin for at, _ in failed], [one for _, one in failed], "r", label="failed")
    for label, start, end in evidence["series"]["phases"]:
        axes.axvspan(start - begin, end - begin, alpha=0.05, color=COLOURS[5])
        axes.annotate(label, (start - begin, 1), xycoords=("data", "axes fraction"), fontsize=7)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds since the first measured phase")


def _latency(axes: Axes, evidence: Evidence, begin: float) -> None:
    del begin
    names = list(evidence["percentiles"])
    if isinstance(axes.figure, Figure):
        axes.figure.set_size_inches(WIDTH, max(HEIGHT, 0.5 + 0.3 * len(names)))
    for number, name in enumerate(("p50", "p95", "p99")):
        found = [evidence["percentiles"][one][name] for one in names]
        values = [one[0] for one in found]
        reach = [
            [max(0, one[0] - one[1]) for one in found],
            [max(0, one[2] - one[0]) for one in found],
        ]
        places = [place + 0.2 * (number - 1) for place in range(len(names))]
        axes.errorbar(values, places, xerr=reach, fmt="o", ms=4, color=COLOURS[number], label=name)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")


def _latency_over_time(axes: Axes, evidence: Evidence, begin: float) -> None:
    points = evidence["series"]["latency"]
    for number, name in enumerate(("p50", "p95")):
        place = 1 + number
        axes.plot(
            [one[0] - begin for one in points],
            [one[place] for one in points],
            COLOURS[number],
            label=name,
        )
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds since the first measured phase")


def _units(axes: Axes, evidence: Evidence, begin: float) -> None:
    for number, (table, points) in enumerate(evidence["series"]["write_units"].items()):
        stepped = _stepped(points)
        axes.plot(
            [at - begin for at, _ in stepped],
            [one for _, one in stepped],
            COLOURS[number],
            label=table,
        )
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds since the first measured phase")


def _share(axes: Axes, evidence: Evidence, begin: float) -> None:
    points = _shares(evidence)
    axes.plot([at - begin for at, _ in points], [one for _, one in points], COLOURS[0])
    axes.set_ylim(0, 1)
    axes.set_xlabel("seconds since the first measured phase")


def _lag(axes: Axes, evidence: Evidence, begin: float) -> None:
    del begin
    found = _lags(evidence)
    for number, name in enumerate(("p50", "p95", "p99")):
        values = [one[name][0] for one in found.values()]
        places = [place + 0.2 * (number - 1) for place in range(len(found))]
        axes.plot(values, places, "o", ms=4, color=COLOURS[number], label=name)
    axes.set_yticks(range(len(found)), list(found))
    axes.invert_yaxis()


def _count_lag(axes: Axes, evidence: Evidence, begin: float) -> None:
    points = evidence["series"]["count_lag_ms"]
    axes.plot([at - begin for at, _ in points], [one for _, one in points], COLOURS[0])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds since the first measured phase")


def _lags(evidence: Evidence) -> dict[str, Any]:
    return {name: one for name, one in evidence["samples"].items() if name.startswith("lag")}


def _shares(evidence: Evidence) -> list[tuple[int, float]]:
    """Counters' share of write units, step by step; steps without a write are left out."""
    steps: dict[int, dict[str, float]] = {}
    for table, points in evidence["series"]["write_units"].items():
        for at, units in points:
            step = steps.setdefault(int(at) // SHARE_STEP_SECONDS * SHARE_STEP_SECONDS, {})
            step[table] = step.get(table, 0.0) + units
    return [
        (at, one.get("Counters", 0.0) / sum(one.values()))
        for at, one in sorted(steps.items())
        if sum(one.values())
    ]


def _stepped(points: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Points by the second as averages of longer steps, where there are too many to draw."""
    if not points:
        return []
    first, last = points[0][0], points[-1][0]
    width = max(1, -(-int(last - first + 1) // MOST_POINTS))
    sums: dict[int, float] = dict.fromkeys(range(int(last - first) // width + 1), 0.0)
    for at, value in points:
        sums[int(at - first) // width] += value
    return [(first + step * width, total / width) for step, total in sums.items()]
