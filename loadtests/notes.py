"""What the processes of a run note down, and how it comes together on the master.

Everything here can be merged in any order and stays small however long a run takes: samples are
kept as counts of values rounded to three digits.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

MOST_WORDS: Final = 20
DIGITS: Final = 3

Histogram = Counter[float]


class Notes:
    """Notes of one process, or of all.

    Attributes:
        counts: how often something happened.
        samples: values, rounded to three digits, and how often each came.
        seconds: requests done and failed, by the second (UTC) in which they ended.
        best: by player, the best score that was surely stored.
        unsure: by player, the best score that was sent without an answer that settles it.
        words: the first complaints.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.counts: Counter[str] = Counter()
        self.samples: defaultdict[str, Histogram] = defaultdict(Counter)
        self.seconds: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
        self.best: dict[str, int] = {}
        self.unsure: dict[str, int] = {}
        self.words: list[str] = []

    def sample(self, name: str, value: float) -> None:
        """Note a value."""
        self.samples[name][rounded(value)] += 1

    def request(self, at: float, failed: bool) -> None:
        """Note that a request ended."""
        second = self.seconds[int(at)]
        second[0] += 1
        second[1] += failed

    def stored(self, player: str, score: int) -> None:
        """Note a score that was surely stored."""
        self.best[player] = max(score, self.best.get(player, score))
        if score >= self.unsure.get(player, score):
            self.unsure.pop(player, None)

    def sent(self, player: str, score: int) -> None:
        """Note a score that may have been stored or not."""
        self.unsure[player] = max(score, self.unsure.get(player, score))

    def complain(self, words: str) -> None:
        """Note a complaint in words; the first ones are kept."""
        if len(self.words) < MOST_WORDS:
            self.words.append(words)

    def taken(self) -> dict[str, Any]:
        """Hand over what was noted, and begin anew; plain enough for any message format."""
        data = {
            "counts": list(self.counts.items()),
            "samples": [(name, list(one.items())) for name, one in self.samples.items()],
            "seconds": list(self.seconds.items()),
            "best": list(self.best.items()),
            "unsure": list(self.unsure.items()),
            "words": self.words,
        }
        self._begin()
        return data

    def absorb(self, data: Mapping[str, Any]) -> None:
        """Add what another process handed over."""
        for name, count in data["counts"]:
            self.counts[name] += count
        for name, pairs in data["samples"]:
            for value, count in pairs:
                self.samples[name][value] += count
        for second, (done, failed) in data["seconds"]:
            self.seconds[second][0] += done
            self.seconds[second][1] += failed
        for player, score in data["best"]:
            self.stored(player, score)
        for player, score in data["unsure"]:
            self.sent(player, score)
        for words in data["words"]:
            self.complain(words)


def rounded(value: float) -> float:
    """A value to three digits."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, DIGITS - 1 - math.floor(math.log10(abs(value))))


def percentile(histogram: Mapping[Any, int], share: float) -> float | None:
    """The value that this share of the samples does not exceed; None without samples."""
    total = sum(histogram.values())
    return at_place(histogram, max(1, math.ceil(share * total))) if total else None


def at_place(histogram: Mapping[Any, int], place: int) -> float:
    """The value at a place, counted from 1, of the samples in order."""
    seen, value = 0, 0.0
    for value in sorted(histogram):
        seen += histogram[value]
        if seen >= place:
            break
    return float(value)


def interval(histogram: Mapping[Any, int], share: float) -> list[float] | None:
    """A percentile, and the ends of its 95 % interval by order statistics."""
    total = sum(histogram.values())
    found = percentile(histogram, share)
    if found is None:
        return None
    reach = 1.96 * math.sqrt(total * share * (1 - share))
    low = max(1, math.floor(share * total - reach))
    high = min(total, math.ceil(share * total + reach) + 1)
    return [found, at_place(histogram, low), at_place(histogram, high)]


def mean(histogram: Mapping[Any, int]) -> float | None:
    """The mean of the samples; None without any."""
    total = sum(histogram.values())
    return sum(value * count for value, count in histogram.items()) / total if total else None


def merged(histograms: Iterable[Mapping[Any, int]]) -> Histogram:
    """Several histograms as one."""
    whole: Histogram = Counter()
    for one in histograms:
        whole.update(one)
    return whole
