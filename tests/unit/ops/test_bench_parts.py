"""Where a handler's time went: stacks put down to parts, and parts to rows."""

import time
from collections import Counter

import pytest

from ops.bench.handler_profile import OUTSIDE, rows_of
from ops.bench.parts import OTHER, Looker, part_of

PACKAGES = "/venv/site-packages"


@pytest.mark.parametrize(
    ("files", "part"),
    [
        (["/repo/lambdas/store/counters.py", "/repo/lambdas/logic/rank.py"], "adding up"),
        (["/repo/lambdas/store/dynamo.py", "/repo/lambdas/store/counters.py"], "the rest of"),
        (["/lib/json/encoder.py", f"{PACKAGES}/aws_lambda_powertools/metrics/emf.py"], "metrics"),
        (["/lib/logging/__init__.py", f"{PACKAGES}/aws_lambda_powertools/logging/l.py"], "log"),
        ([f"{PACKAGES}/pydantic/main.py", "/repo/lambdas/api/answers.py"], "validation"),
        ([f"{PACKAGES}/aws_lambda_powertools/event_handler/api_gateway.py"], "routing"),
        (["/repo/lambdas/domain/walk.py", "/repo/lambdas/handlers/read.py"], "logic"),
    ],
)
def test_the_innermost_code_that_is_known_decides(files: list[str], part: str) -> None:
    """The standard library counts for whoever called it."""
    assert part in part_of(files)


def test_code_that_nobody_named_is_the_rest() -> None:
    """So that shares always add up to one."""
    assert part_of(["/lib/threading.py"]) == part_of([]) == OTHER


def test_looking_notes_what_runs_within_and_not_what_runs_without() -> None:
    """A stack counts by the files it holds; what is left out is left out at any depth."""
    within, without = Looker(within=__file__, without="-"), Looker(within="-", without="-")
    neither = Looker(within=__file__, without=__file__)
    for looker in (within, without, neither):
        with looker.looking():
            ends = time.perf_counter() + 0.05
            while time.perf_counter() < ends:
                pass
    assert within.seen[OTHER] > 0
    assert not without.seen
    assert not neither.seen


def test_rows_split_the_time_by_what_was_seen_the_largest_first() -> None:
    """Shares add up to one, and the parts to the whole."""
    rows = rows_of(2.0, Counter({"a": 1, "b": 3}))
    assert [(row["part"], row["ms_a_call"], row["share_of_all_else"]) for row in rows] == [
        (OUTSIDE, 2.0, 1.0),
        ("b", 1.5, 0.75),
        ("a", 0.5, 0.25),
    ]
