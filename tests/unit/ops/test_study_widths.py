"""The study of range widths: the points that are known, and the same numbers from the same seed."""

from typing import Any

import pytest

from lambdas.domain.boards import DEFAULT_RANGE
from lambdas.domain.cells import cells_of
from ops.studies.cells import cells_by_level
from ops.studies.populations import REAL, SYNTHETIC, TEN_MILE, Population, real, synthetic
from ops.studies.range_widths import ties, widths
from ops.studies.shares import percent
from ops.studies.study import SEED
from ops.studies.widths import Widths

MILLION = 10**6


def at_levels(population: Population, levels: int) -> Any:
    """The widths of a population on 128 buckets of the default range."""
    cells = list(cells_by_level(cells_of(DEFAULT_RANGE, 128, "log", levels), population.scores))
    return widths(population, cells[-1])


@pytest.mark.parametrize(
    ("name", "median_at_1", "p99_at_2"),
    [
        ("lognormal(8,1)", 6.5, 0.08),
        ("uniform 0-9999", 11, 0.17),
        ("Elo N(1500,300)", 36, 0.40),
        ("lap times N(92000,6000)", 57, 1.14),
    ],
)
def test_a_million_players_are_as_wide_as_the_design_says(
    name: str, median_at_1: float, p99_at_2: float
) -> None:
    """The middle player's bucket to the digits given, and the p99 of sub-buckets."""
    population = synthetic(name, MILLION, SEED)
    assert population.players == MILLION
    assert at_levels(population, 1).median == pytest.approx(median_at_1, abs=0.5)
    assert at_levels(population, 2).p99 == pytest.approx(p99_at_2, abs=0.03)


def test_the_ten_mile_race_is_as_wide_as_computed_before() -> None:
    """39 % at level 1, to the percent, and 0.3 % at level 2, within 0.03 points."""
    population = real(TEN_MILE)
    assert population.players == 8_636
    assert round(at_levels(population, 1).median) == 39
    assert at_levels(population, 2).median == pytest.approx(0.3, abs=0.03)


def test_careers_have_one_player_each() -> None:
    """Home runs and games are those of the same players, and nobody played a negative number."""
    assert real("career home runs").players == real("career games").players == 1_228
    assert all(real(name).scores.min() >= 0 for name in REAL)


@pytest.mark.parametrize("name", SYNTHETIC)
def test_players_are_drawn_from_the_seed(name: str) -> None:
    """The same ones again for the same seed, others for another, all of them in the range."""
    drawn, again, other = (synthetic(name, 2_000, seed) for seed in (1, 1, 2))
    assert drawn.players == 2_000
    assert DEFAULT_RANGE.low <= drawn.scores.min() <= drawn.scores.max() <= DEFAULT_RANGE.high
    assert drawn.scores.tolist() == again.scores.tolist()
    assert drawn.holders.tolist() == again.holders.tolist()
    assert (drawn.scores.tolist(), drawn.holders.tolist()) != (
        other.scores.tolist(),
        other.holders.tolist(),
    )


def test_distributions_are_what_they_are_called() -> None:
    """Multiples of 100 are, and levels run from 1 to 100."""
    assert not (synthetic("lognormal(8,1), multiples of 100", 5_000, 1).scores % 100).any()
    levels = synthetic("levels 1-100, 100 Beta(1,3)", 10**6, 1).scores
    assert (levels.min(), levels.max()) in {(1, 99), (1, 100)}


def test_one_player_is_exact_and_the_whole_board() -> None:
    """A board of one has no range, however coarse its cells."""
    found = at_levels(synthetic("uniform 0-9999", 1, 1), 1)
    assert found == (100, 100, 100, 100, 100)
    assert ties(synthetic("uniform 0-9999", 1, 1)) == found


def test_a_second_run_gives_the_same_numbers() -> None:
    """The same seed, the same results, tables and pictures; told of every step."""
    study, told = Widths([100, 1_000]), list[str]()
    first, second = study.run(7, told.append), study.run(7, lambda _: None)
    assert first == second
    assert len(told) == study.steps


def test_every_layout_of_every_board_is_in_the_numbers() -> None:
    """Three counts of buckets, four levels, and the floor that ties set."""
    results = Widths([100]).run(7, lambda _: None).results
    boards = len(SYNTHETIC) + len(REAL)
    assert len(SYNTHETIC) >= 8
    assert len(results["widths"]) == boards * 3 * 4
    assert len(results["ties"]) == boards
    floors = {row["distribution"]: row["p99"] for row in results["ties"]}
    assert all(row["p99"] >= floors[row["distribution"]] for row in results["widths"])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0 %"),
        (100, "100 %"),
        (99.99, "> 99.9 %"),
        (39.18, "39.2 %"),
        (1.159, "1.16 %"),
        (0.0808, "0.081 %"),
        (0.00004, "0.00004 %"),
    ],
)
def test_a_share_claims_no_more_than_it_is(value: float, said: str) -> None:
    """What is short of all is not printed as all, and what is small not as nothing."""
    assert percent(value) == said
