"""A batch of submissions: each on its own, side by side, answered in order."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from lambdas.domain.submissions import Submission

THREADS: Final = 16  # a write waits some milliseconds and takes under one of CPU

T = TypeVar("T")
R = TypeVar("R")


def submit_each(
    read: Sequence[Submission | T], submit_one: Callable[[Submission | T], R]
) -> list[R]:
    """Calls `submit_one` with each, those of one player one after the other.

    Two submissions of one player in one batch are thereby answered as if they had come in the
    order they stand in. What is no `Submission` could not be read, and is a group of its own.
    """
    groups: dict[str | int, list[int]] = defaultdict(list)
    for index, one in enumerate(read):
        groups[one.player_id if isinstance(one, Submission) else index].append(index)

    def submit_in_order(indexes: list[int]) -> list[tuple[int, R]]:
        return [(index, submit_one(read[index])) for index in indexes]

    with ThreadPoolExecutor(THREADS) as pool:
        done = [pair for pairs in pool.map(submit_in_order, groups.values()) for pair in pairs]
    return [result for _, result in sorted(done, key=lambda pair: pair[0])]
