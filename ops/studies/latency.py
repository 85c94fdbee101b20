"""How the time of each read grows with a board, and where it goes: ratios alone.

Every board lies in one DynamoDB Local, and each round asks every read of every board: what slows
the machine for a while slows what is compared with one another alike.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar, Final, NamedTuple

from mypy_boto3_dynamodb import DynamoDBClient

from ops.bench.article_way import CAP
from ops.bench.fixtures import create_tables
from ops.rig.engine import DynamoDBLocal
from ops.studies import latency_page
from ops.studies.latency_boards import Loaded, fixture_of, steps_of, write
from ops.studies.latency_ratios import EVERYBODY, Asked, rows
from ops.studies.latency_reads import RANK, READS, Place
from ops.studies.latency_times import (
    ARTICLE,
    NOTHING_CACHED,
    ROOT_CACHED,
    Clock,
    Timer,
    Took,
    timing,
)
from ops.studies.study import Findings, Step

PLAYERS: Final = (10**3, 10**4, 10**5, 10**6)
ARTICLE_PLAYERS: Final = 2_501
ROUNDS: Final = 40
WARM_UP: Final = 4  # rounds that are thrown away: the engine has written so far, and not read
_HEAP_MB: Final = 3_072  # a million items take 1,300


class _Ask(NamedTuple):
    """A read to time: of whom, and where the round's place lies among them."""

    asked: Asked
    loaded: Loaded
    starts_at: float

    def place(self, place: Place) -> Place:
        return place._replace(share=self.starts_at + place.share * (1 - self.starts_at))


@dataclass(frozen=True)
class Latency:
    """The study of latency, over boards of so many players and of the article's size.

    Attributes:
        rounds: how often each read of each board is timed.
        past: the rank on the article's board past which ranks are asked for apart as well.
        warm_up: rounds before the first that counts.
        clock: what times them.
    """

    players: Sequence[int] = PLAYERS
    rounds: int = ROUNDS
    article_players: int = ARTICLE_PLAYERS
    past: int = CAP
    warm_up: int = WARM_UP
    clock: Clock = time.perf_counter
    name: ClassVar = "latency"
    title: ClassVar = "What a read costs in time, by the size of the board"
    lead: ClassVar = latency_page.LEAD
    limits: ClassVar = latency_page.LIMITS

    @property
    def sizes(self) -> list[int]:
        """The boards to load, the article's among them."""
        return sorted({*self.players, self.article_players})

    @property
    def steps(self) -> int:
        """Those of loading, one to warm up, and one for each round."""
        return sum(map(steps_of, self.sizes)) + 1 + self.rounds

    def run(self, seed: int, step: Step) -> Findings:
        """Loads the boards and times the reads: the same reads for a seed, in times of their own.

        A million players take 3 GiB and most of the minutes.

        Raises:
            EngineUnavailableError: DynamoDB Local cannot be had or does not start.
        """
        with DynamoDBLocal(heap_mb=_HEAP_MB) as engine:
            client = engine.client(checks_parameters=False)
            create_tables(client)
            boards = [write(client, fixture_of(client, n, seed), step) for n in self.sizes]
            results = self._time(client, boards, seed, step)
        return Findings(results, latency_page.sections(results))

    def _time(
        self, client: DynamoDBClient, boards: Sequence[Loaded], seed: int, step: Step
    ) -> dict[str, Any]:
        asks = list(self._asks(boards))
        found: dict[Asked, list[Took]] = {ask.asked: [] for ask in asks}
        get_items: dict[int, list[float]] = defaultdict(list)
        with timing(client, boards, self.clock) as timer:
            step("warming up")
            for place in _places(self.warm_up, f"{seed}/warm-up"):
                _round(timer, asks, place)
            for number, place in enumerate(_places(self.rounds, str(seed)), start=1):
                step(f"round {number} of {self.rounds}")
                took, references = _round(timer, asks, place)
                for asked, one in took.items():
                    found[asked].append(one)
                for players, times in references.items():
                    get_items[players].append(median(times))
        return {
            "players": [*self.players],
            "article_players": self.article_players,
            "rounds": self.rounds,
            "reads": list(rows(found, get_items, min(self.players))),
        }

    def _asks(self, boards: Sequence[Loaded]) -> Iterator[_Ask]:
        """What a round asks, what is compared with one another close together."""
        for read in READS:
            for loaded in boards:
                asked = Asked(read, loaded.players, EVERYBODY, ROOT_CACHED)
                yield _Ask(asked, loaded, 0.0)
                yield _Ask(asked._replace(way=NOTHING_CACHED), loaded, 0.0)
                if read == RANK:
                    yield _Ask(asked._replace(way=ARTICLE), loaded, 0.0)
        article = next(one for one in boards if one.players == self.article_players)
        for way in (ROOT_CACHED, NOTHING_CACHED, ARTICLE):
            asked = Asked(RANK, article.players, latency_page.PAST, way)
            yield _Ask(asked, article, self.past / article.players)


def _round(
    timer: Timer, asks: Sequence[_Ask], place: Place
) -> tuple[dict[Asked, Took], dict[int, list[float]]]:
    """Each read once, in an order of the round's own, a `GetItem` of the same board before it."""
    took: dict[Asked, Took] = {}
    get_items: dict[int, list[float]] = defaultdict(list)
    for ask in _shuffled(asks, place.seed):
        loaded, here = ask.loaded, ask.place(place)
        get_items[loaded.players].append(timer.get_item(loaded, here.share))
        event = READS[ask.asked.read](loaded, here)
        took[ask.asked] = timer.ask(ask.asked.way, loaded, event)
    return took, get_items


def _shuffled(asks: Sequence[_Ask], seed: str) -> list[_Ask]:
    """Reads in a random order, and the boards of each, which stay together."""
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    reads = rng.sample([*READS], len(READS))
    return [ask for read in reads for ask in _of_read(asks, read, rng.random)]


def _of_read(asks: Sequence[_Ask], read: str, draw: Callable[[], float]) -> list[_Ask]:
    return sorted((ask for ask in asks if ask.asked.read == read), key=lambda _: draw())


def _places(rounds: int, seed: str) -> list[Place]:
    """A place for each round: spread evenly down the board, in a random order."""
    rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
    shares = [(number + rng.random()) / rounds for number in range(rounds)]
    rng.shuffle(shares)
    return [Place(share, f"{seed}/{number}") for number, share in enumerate(shares)]
