"""The decision page on defaults says what the studies found and what the code does."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from lambdas.api.config import ConfigBody, config_of
from lambdas.domain.boards import BoardConfig, LayoutSpec
from ops.studies.shares import percent

DOCS: Final = Path(__file__).parents[3] / "docs"
SERVICE: Final = Path(__file__).parents[2] / "infrastructure/snapshots/service.json"
PAGE: Final = (DOCS / "decisions/0013-the-defaults-follow-from-the-studies.md").read_text()
ELO: Final = "Elo N(1500,300)"
LAPS: Final = "lap times N(92000,6000)"
LOGNORMAL: Final = "lognormal(8,1)"
WIDE: Final = "wide lognormal(12,3)"
# Default, what it trades, and the numbers.
ROWS: Final = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ")
][1:]


@cache
def results(study: str) -> Any:
    return json.loads((DOCS / f"studies/{study}.json").read_text())["results"]


def the_one(rows: Iterable[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    (row,) = [one for one in rows if wanted.items() <= one.items()]
    return row


def width(buckets: int, levels: int, distribution: str) -> Mapping[str, Any]:
    board = {"players": 10**6, "spacing": "log", "buckets": buckets, "levels": levels}
    return the_one(results("widths")["widths"], distribution=distribution, **board)


def widest(buckets: int, levels: int) -> str:
    return " / ".join(percent(width(buckets, levels, one)["p99"]) for one in (ELO, LAPS))


def exact(levels: int) -> str:
    return " / ".join(percent(width(128, levels, one)["exact"]) for one in (LOGNORMAL, WIDE))


def written(figure: str, levels: int = 2, rate: int = 100, shards: tuple[int, int] = (4, 4)) -> str:
    streams, counters = shards
    wanted = {"levels": levels, "rate": rate, "stream_shards": streams, "counter_shards": counters}
    found = the_one(results("cost")["writes"], shape="new players", **wanted)
    return f"{found[figure]:.3g}"


def submit(levels: int) -> str:
    return written("units_a_submit", levels)


def counting(**wanted: Any) -> str:
    return written("counter_units_a_submit", **wanted)


def read(figure: str = "mean_units", **wanted: Any) -> str:
    base = {"distribution": WIDE, "players": 40_000_000, "asked": "whole board", "levels": 2}
    shards = {"stream_shards": 4, "counter_shards": 4}
    return f"{the_one(results('cost')['reads'], **base | shards | wanted)[figure]:.3g}"


def within(figure: str) -> str:
    return read(figure, asked="first 2,000", distribution=LOGNORMAL)


def capped() -> str:
    return f"{the_one(results('cost')['capped'], asked='whole board')['mean_units']:.3g}"


def benchmarked(index_shards: int) -> str:
    text = (DOCS / "benchmarks.md").read_text()
    row = rf"\| {re.escape(LOGNORMAL)} \| 100,000 \| {index_shards} \| rank \|.*"
    (line,) = re.findall(row, text)
    with_empty_queries = line.split("|")[7]
    return str(re.search(r"p99 ([0-9.]+)", with_empty_queries)[1])  # type: ignore[index]


def expected() -> dict[str, list[str]]:
    """The cells with numbers, by the default or else by the first words of what it trades."""
    return {
        "`buckets`": [
            f"64: {widest(64, 2)}",
            f"**128**: {widest(128, 2)}",
            f"256: {widest(256, 2)}",
        ],
        "`levels`": [f"1: {widest(128, 1)}", f"**2**: {widest(128, 2)}", f"3: {widest(128, 3)}"],
        "ordinal ranks": [f"1: {exact(1)}", f"**2**: {exact(2)}", f"3: {exact(3)}"],
        "write units a submit": [f"1: {submit(1)}", f"**2**: {submit(2)}", f"3: {submit(3)}"],
        "read units a rank": [
            f"1: {read(levels=1)}",
            f"**2**: {read()}",
            f"3: {read(levels=3)}",
        ],
        "`exact_limit`": [f"**2000**: {within('mean_units')}, {within('most_units')}; {capped()}"],
        "`counter_shards`": [
            f"**4**: {read()}, {counting()}",
            f"32: {read(counter_shards=32)}, {counting(shards=(4, 32))}",
        ],
        "counter units a submit, 64": [
            f"**4**: {counting(shards=(64, 4))}",
            f"32: {counting(shards=(64, 32))}",
        ],
        "`index_shards`": [
            f"**1**: {benchmarked(1)}",
            f"4: {benchmarked(4)}; 16: {benchmarked(16)}",
        ],
        "batching window": [
            f"**1 s**: {counting(rate=10)} / {counting(rate=100)}",
            f"10 s: {counting(rate=100)} / {counting(rate=1_000)}",
        ],
    }


def test_every_number_of_the_table_is_the_studies() -> None:
    """Row by row, and no row is there that nothing holds."""
    wanted = expected()
    assert len(ROWS) == len(wanted)
    for (name, trade, *cells), (begins, numbers) in zip(ROWS, wanted.items(), strict=True):
        assert (name or trade).startswith(begins)
        assert [cell for cell in cells if cell] == numbers, begins


@pytest.mark.parametrize(
    ("name", "value"),
    [("buckets", 128), ("levels", 2), ("counter_shards", 4), ("index_shards", 1)],
)
def test_layouts_have_the_defaults_of_the_page(name: str, value: int) -> None:
    """In the domain and at the door alike."""
    config, layout = config_of(ConfigBody())
    assert getattr(layout, name) == getattr(LayoutSpec(), name) == value
    assert f"**{value}**" in chosen(name)
    assert config == BoardConfig()


def test_exact_limit_is_the_pages() -> None:
    """What is counted at most."""
    assert f"**{BoardConfig().exact_limit}**" in chosen("exact_limit")


def test_the_batching_window_is_the_pages() -> None:
    """As every stage is deployed."""
    (window,) = re.findall(r'"MaximumBatchingWindowInSeconds": (\d+)', SERVICE.read_text())
    assert f"**{window} s**" in chosen("batching window")


def chosen(name: str) -> str:
    (row,) = [one for one in ROWS if one[0].strip("`") == name]
    return " ".join(row)
