"""Charts and pages of the studies: well-formed, complete, and saying how they were made."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from ops.cli import app
from ops.commands.study import app as study_app
from ops.rig.engine import DynamoDBLocal
from ops.rig.package import EngineUnavailableError
from ops.studies import contention_page, latency_page, report, widths_page
from ops.studies.charts import dots, lines
from ops.studies.contention import Contention
from ops.studies.contention_fit import GIVEN_UP, LEAST_WITHOUT_FAILURE, Fit
from ops.studies.contention_model import Rules
from ops.studies.latency import PLAYERS, ROUNDS, Latency
from ops.studies.study import SEED, Figure, Findings, Section, Step, Study
from ops.studies.svg import COLOURS, MARKS, Axis
from ops.studies.widths import Widths

AXIS = Axis("percent", 1, 100, [(1, "1"), (100, "100 %")], is_log=True)
ROOT: Final = Path(__file__).parents[3]
SVG = "{http://www.w3.org/2000/svg}"


def study(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["study", *arguments], env={"COLUMNS": "120"})


def parsed(svg: str) -> ElementTree.Element:
    """A picture of our own making."""
    return ElementTree.fromstring(svg)  # noqa: S314


def texts(svg: str) -> list[str]:
    """What a picture says, having been parsed."""
    return [one.text or "" for one in parsed(svg).iter(f"{SVG}text")]


def test_an_axis_keeps_its_ends() -> None:
    """Values in between lie where their logarithm says; beyond an end they lie at that end."""
    assert [AXIS.share(value) for value in (0, 1, 10, 100, 1_000)] == [0, 0, 0.5, 1, 1]
    assert Axis("", 0, 4, []).share(1) == 0.25


def test_dots_show_every_row_series_and_label() -> None:
    """What looks like markup in a name is text, and every series has its place in the legend."""
    rows = {"a < b": {"one & two": 1.0, "floor": 100.0}, "c": {"one & two": 10.0, "floor": 10.0}}
    svg = dots("A <title>", AXIS, rows, floor="floor")
    said = texts(svg)
    assert {"A <title>", "a < b", "c", "one & two", "floor", "percent", "1", "100 %"} <= set(said)
    circles = list(parsed(svg).iter(f"{SVG}circle"))
    assert len(circles) == 1 + len(rows)  # the legend's and one a row


def test_lines_share_their_series_between_panels() -> None:
    """A series has one colour and mark wherever it is drawn; an unjoined one has no line."""
    panels = {
        "left": {"a": [(1.0, 1.0), (10.0, 2.0)], "b": [(1.0, 3.0)]},
        "right": {"b": [(1.0, 5.0)], "c": [(1.0, 1.0), (100.0, 1.0)]},
    }
    svg = lines("T", AXIS, AXIS, panels, unjoined="c")
    said = texts(svg)
    assert [said.count(name) for name in ("left", "right", "a", "b", "c")] == [1] * 5
    drawn = [one.get("stroke") for one in parsed(svg).iter(f"{SVG}polyline")]
    assert COLOURS[0] in drawn
    assert COLOURS[2] not in drawn


def test_every_series_can_be_told_without_colours() -> None:
    """There are as many marks as colours, and none twice."""
    assert len(set(MARKS)) == len(set(COLOURS)) == len(MARKS) == len(COLOURS)


class Stub:
    """A study of one number."""

    name = "stub"
    title = "Title"
    lead = "Lead."
    limits = "Its limits."
    steps = 1

    def run(self, seed: int, step: Step) -> Findings:
        step("now")
        figure = Figure("chart", "What it shows", dots("T", AXIS, {"row": {"one": 1.0}}))
        return Findings({"answer": seed}, [Section("Part", "Words.", [{"n": seed}], [figure])])


def test_a_page_says_what_was_found_how_and_with_which_limits(tmp_path: Path) -> None:
    """The page names its command, date, seed and limits; numbers and pictures lie beside it."""
    made = {"command": "tally study stub", "date": "2026-12-01", "seed": "7"}
    findings = Stub().run(7, lambda _: None)
    for _ in range(2):  # what a former run wrote is replaced
        page = report.write(Stub(), findings, tmp_path / "new", made)
    text = page.read_text()
    for part in ("# Title", "Lead.", *made.values(), "## Part", "| 7 |", "## Limits"):
        assert part in text
    assert text.endswith("Its limits.\n")
    assert "![What it shows](stub-chart.svg)" in text
    numbers = json.loads((page.parent / "stub.json").read_text())
    assert (numbers["results"], numbers["limits"]) == ({"answer": 7}, "Its limits.")
    assert numbers["made"].items() >= made.items()
    assert parsed((page.parent / "stub-chart.svg").read_text()).tag == f"{SVG}svg"
    assert sorted(path.name for path in page.parent.iterdir()) == [
        "stub-chart.svg",
        "stub.json",
        "stub.md",
    ]


def test_a_study_is_written_where_it_is_told(tmp_path: Path) -> None:
    """With the command that makes it again, the same numbers the second time."""
    found = []
    for folder in ("first", "second"):
        arguments = ["--players", "200", "--players", "50", "--players", "200", "--seed", "3"]
        result = study("widths", *arguments, "--output", str(tmp_path / folder))
        assert result.exit_code == 0, result.output
        assert result.stdout == f"Written: {tmp_path / folder / 'widths.md'}\n"
        assert "20/" not in result.stdout  # progress goes to stderr
        found.append(json.loads((tmp_path / folder / "widths.json").read_text()))
    assert found[0]["results"] == found[1]["results"]
    command = "tally study widths --players 50 --players 200 --seed 3"
    assert found[0]["made"]["command"] == command
    assert {row["players"] for row in found[0]["results"]["widths"]} >= {50, 200}


@pytest.mark.parametrize(
    "arguments",
    [
        ["lengths"],
        [],
        ["widths", "--players", "-1"],
        ["widths", "--players", "0"],
        ["widths", "--players", "1.5"],
        ["widths", "--players", "40000001"],
        ["widths", "--seed", "-1"],
        ["widths", "extra"],
        ["contention", "--runs", "0"],
        ["contention", "--runs", "-3"],
        ["contention", "--players", "5"],
        ["cost", "--submits", "0"],
        ["latency", "--players", "199"],
        ["latency", "--players", "2000001"],
        ["latency", "--rounds", "1"],
    ],
)
def test_bad_input_exits_2_and_writes_nothing(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown study, and numbers that no board or model has."""
    monkeypatch.setattr(report, "FOLDER", tmp_path / "studies")
    assert study(*arguments).exit_code == 2
    assert not (tmp_path / "studies").exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """In a line, with exit code 1, however late it is found."""
    (tmp_path / "file").touch()
    result = study("widths", "--players", "10", "--output", str(tmp_path / "file" / "below"))
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["cost", "latency"])
def test_an_engine_that_cannot_be_had_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In a line before anything is computed, with exit code 1, and nothing is written."""

    def start(_: DynamoDBLocal) -> None:
        raise EngineUnavailableError("No engine today.")

    monkeypatch.setattr(DynamoDBLocal, "start", start)
    result = study(name, "--output", str(tmp_path / "new"))
    assert result.exit_code == 1
    assert "No engine today." in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "new").exists()


def committed(name: str) -> dict[str, Any]:
    """The numbers of a study as they lie in docs/studies."""
    return dict(json.loads((report.FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def check_page(study: Study, numbers: dict[str, Any], sections: list[Section]) -> None:
    """Checks that page and pictures in docs/studies are what its numbers give."""
    page = report.page_text(study, Findings(numbers["results"], sections), numbers["made"])
    assert (report.FOLDER / f"{study.name}.md").read_text(encoding="utf-8") == page
    for figure in (figure for section in sections for figure in section.figures):
        drawn = report.FOLDER / f"{study.name}-{figure.name}.svg"
        assert drawn.read_text(encoding="utf-8") == figure.svg


def test_the_page_of_widths_follows_from_its_numbers() -> None:
    """No table or picture is older than the numbers beside it."""
    numbers, study = committed("widths"), Widths()
    check_page(study, numbers, widths_page.sections(numbers["results"], study.shown, 128))


def test_the_page_of_contention_follows_from_its_numbers() -> None:
    """Its fits can be had again from the numbers, each with every run."""
    numbers = committed("contention")
    names = [field.name for field in fields(Rules)]
    fits = [
        Fit(
            Rules(**{name: one[name] for name in names}),
            {int(in_flight): failed for in_flight, failed in one["failed_of_1000"].items()},
        )
        for one in numbers["results"]["fits"]
    ]
    sections = contention_page.sections(fits, numbers["results"]["counter_shards"])
    check_page(Contention(), numbers, sections)


def test_the_page_of_latency_follows_from_its_numbers() -> None:
    """Its ratios are all it has: no number of it is a time."""
    numbers = committed("latency")
    check_page(Latency(), numbers, latency_page.sections(numbers["results"]))
    assert numbers["results"]["players"] == [*PLAYERS]
    assert {row["samples"] for row in numbers["results"]["reads"]} == {ROUNDS}
    assert not re.search(r"\d (ms|milliseconds|seconds)\b|_ms\b|_seconds", json.dumps(numbers))


@pytest.mark.parametrize("name", ["widths", "contention", "cost", "latency"])
def test_the_repository_holds_a_full_run(name: str) -> None:
    """Made by the bare command with the seed that is the default, and every picture is there."""
    made = committed(name)["made"]
    assert made["command"] == f"tally study {name}"
    assert made["seed"] == str(SEED)
    page = (report.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\((\S+\.svg)\)", page)
    assert sorted(pictures) == sorted(path.name for path in report.FOLDER.glob(f"{name}-*.svg"))
    assert f"({name}.md)" in (report.FOLDER / "README.md").read_text(encoding="utf-8")


def test_make_redoes_every_study() -> None:
    """`make studies` names all that `tally study` has."""
    named = re.findall(r"^STUDIES := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = [(one.name or one.callback.__name__) for one in study_app.registered_commands]
    assert named == [" ".join(commands)]


def test_the_committed_model_keeps_to_both_points() -> None:
    """Every fit meets 475 of 1,000, and what is called possible had runs without a failure."""
    fits = committed("contention")["results"]["fits"]
    assert all(abs(one["residual_at_64"]) < 15 for one in fits)
    for one in fits:
        none_failed = one["failed_of_1000"]["8"].count(0) / len(one["failed_of_1000"]["8"])
        assert one["without_failure_at_8"] == none_failed
        assert one["is_possible"] == (none_failed >= LEAST_WITHOUT_FAILURE)
    assert [one["is_possible"] for one in fits if one["way"] == GIVEN_UP] == [False]
