"""Notes of several processes come together whatever their order, and percentiles are honest."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.notes import Notes, interval, mean, percentile, rounded

VALUES = st.floats(0.001, 1e9)


@given(st.lists(st.tuples(st.sampled_from("ab"), VALUES), max_size=40), st.integers(1, 4))
def test_merging_is_the_same_in_any_order(found: list[tuple[str, float]], parts: int) -> None:
    """However samples are spread over processes, the whole holds each once."""
    whole = Notes()
    for name, value in found:
        whole.sample(name, value)
        whole.counts[name] += 1
    processes = [Notes() for _ in range(parts)]
    for number, (name, value) in enumerate(found):
        processes[number % parts].sample(name, value)
        processes[number % parts].counts[name] += 1
    merged = Notes()
    for one in reversed(processes):
        merged.absorb(one.taken())
        merged.absorb(one.taken())  # what was handed over is not handed over again
    assert merged.samples == whole.samples
    assert merged.counts == whole.counts


def test_the_best_score_that_was_stored_is_kept() -> None:
    first, second = Notes(), Notes()
    first.stored("a", 5)
    second.stored("a", 3)
    second.sent("a", 9)
    first.absorb(second.taken())
    assert (first.best, first.unsure) == ({"a": 5}, {"a": 9})
    first.stored("a", 9)  # the answer came after all
    assert (first.best, first.unsure) == ({"a": 9}, {})


@given(st.lists(st.integers(1, 1000), min_size=1), st.sampled_from([0.5, 0.95, 0.99, 1.0]))
def test_a_percentile_is_a_sample_within_its_interval(values: list[int], share: float) -> None:
    """At least that share of the samples does not exceed it, and its ends enclose it."""
    histogram = {value: values.count(value) for value in values}
    found = percentile(histogram, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9
    ends = interval(histogram, share)
    assert ends is not None
    assert ends[1] <= ends[0] == found <= ends[2]


def test_nothing_comes_of_no_samples() -> None:
    assert percentile({}, 0.5) is None
    assert interval({}, 0.5) is None
    assert mean({}) is None


@pytest.mark.parametrize(("value", "kept"), [(0, 0), (1234.5, 1230), (0.0012345, 0.00123)])
def test_samples_keep_three_digits(value: float, kept: float) -> None:
    assert math.isclose(rounded(value), kept)
