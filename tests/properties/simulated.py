"""Boards in memory: entries, the counters that count them, and the index that lists them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hypothesis import strategies as st

from lambdas.domain import ranking
from lambdas.domain.boards import Board, BoardConfig, Layout, check_config
from lambdas.domain.cells import BUCKET_CHOICES, CODE_LENGTH, MAX_LEVELS, Cells, Span, log_serves
from lambdas.domain.entries import Entry
from lambdas.domain.errors import ThrottledError, UnavailableError
from lambdas.domain.ranking import Standing
from lambdas.domain.walk import Node, NodeReader, Subject, Walk, walk
from tests.properties.strategies import scores, spans

AS_OF: Final = 1_795_000_000_000
SLOW: Final = ThrottledError("ThrottlingException")
AWAY: Final = UnavailableError("ReadTimeoutError")

Nodes = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Game:
    """A board with its entries, in rank order."""

    board: Board
    entries: tuple[Entry, ...]

    @property
    def cells(self) -> Cells:
        """The cells of its one layout."""
        return self.board.cells(self.board.written_layout)

    def path(self, entry: Entry) -> str:
        """The cell path of an entry."""
        return self.cells.path(entry.score)

    def standing(self, entry: Entry) -> tuple[int, int, bytes]:
        """What sorts entries: score, then the earlier, then the player's bytes."""
        score = -entry.score if self.board.config.order == "desc" else entry.score
        return score, entry.achieved_at, entry.player.encode()

    def is_ahead(self, other: Entry, entry: Entry) -> bool:
        """Whether an entry ranks better than another one; equal scores may share a rank."""
        if self.board.shares_ranks:
            return self.standing(other)[0] < self.standing(entry)[0]
        return self.standing(other) < self.standing(entry)

    def rank_of(self, entry: Entry) -> int:
        """The true rank of an entry, whether or not it is among the entries."""
        return 1 + sum(self.is_ahead(other, entry) for other in self.entries)

    def with_entries(self, entries: Iterable[Entry]) -> "Game":
        """The same board with other entries."""
        return replace(self, entries=tuple(sorted(entries, key=self.standing)))


class Index:
    """The rank index as one entry's rank asks it; notes how many entries it counted."""

    def __init__(self, game: Game, entry: Entry, *, away: bool = False) -> None:
        self._game = game
        self._ahead = [
            other
            for other in game.entries
            if game.is_ahead(other, entry) and other.player != entry.player
        ]
        self._away = away
        self.counted = 0

    def ahead(self, limit: int) -> int:
        """Counts from the top."""
        return self._count(len(self._ahead), limit)

    def ahead_in_cell(self, path: str, limit: int) -> int:
        """Counts from the best end of a cell."""
        low, high = self._game.cells.bounds(path)
        return self._count(sum(low <= entry.score <= high for entry in self._ahead), limit)

    def _count(self, there_are: int, limit: int) -> int:
        assert limit >= 1, "DynamoDB refuses a limit of 0"
        if self._away:
            raise AWAY
        counted = min(there_are, limit)
        self.counted += counted
        return counted


def exact_nodes(game: Game) -> dict[str, dict[str, int]]:
    """The nodes as they are when the stream has drained."""
    nodes: dict[str, Counter[str]] = {}
    for path in map(game.path, game.entries):
        for end in range(0, len(path), CODE_LENGTH):
            nodes.setdefault(path[:end], Counter())[path[end : end + CODE_LENGTH]] += 1
    return {path: dict(counts) for path, counts in nodes.items()}


def reader(nodes: Nodes, *, fails_at: int | None = None) -> NodeReader:
    """Reads nodes; those deeper than so many levels are throttled."""

    def read(path: str) -> Node:
        if fails_at is not None and len(path) >= fails_at * CODE_LENGTH:
            raise SLOW
        return Node(nodes.get(path, {}), AS_OF + len(path))

    return read


def walk_to(game: Game, subject: Subject, read: NodeReader, enough: int | None = None) -> Walk:
    """Walks as a rank read does."""
    return walk(
        subject,
        descending=game.board.order.scores.descending,
        read=read,
        enough=game.board.config.top_exact if enough is None else enough,
    )


def rank_in(
    game: Game, entry: Entry, read: NodeReader, index: Index, counted_at: str | None
) -> tuple[Walk, Standing]:
    """The rank of an entry that the counters know under a cell path, or nowhere."""
    walked = walk_to(game, Subject(game.path(entry), counted_at), read)
    best = game.board.order.scores.best_of(game.cells.bounds(walked.path))
    ahead_in_cell = 0 if game.board.shares_ranks and entry.score == best else None
    standing = ranking.rank(game.board.config, walked, index, ahead_in_cell=ahead_in_cell)
    return walked, standing


@st.composite
def configs(draw: st.DrawFn, span: Span) -> BoardConfig:
    """Configs whose limits a few dozen players can meet."""
    exact_limit = draw(st.integers(1, 40))
    config = BoardConfig(
        order=draw(st.sampled_from(("desc", "asc"))),
        ties=draw(st.sampled_from(("ordinal", "shared"))),
        score_range=span,
        top_exact=draw(st.integers(1, exact_limit)),
        exact_limit=exact_limit,
        count_limit=draw(st.integers(1, exact_limit)),
    )
    check_config(config, Layout(spacing="linear"))
    return config


@st.composite
def score_lists(draw: st.DrawFn, span: Span) -> Sequence[int]:
    """Scores of a board: apart, of a few values, all the same, or close together."""
    pool = draw(st.lists(scores(span), min_size=1, max_size=60))
    shape = draw(st.sampled_from(("apart", "few", "same", "close")))
    if shape == "apart":
        return pool
    size = draw(st.integers(1, 60))
    if shape == "few":
        return [pool[i % min(4, len(pool))] for i in range(size)]
    if shape == "same":
        return [pool[0]] * size
    return [min(span.high, pool[0] + i * i // 3) for i in range(size)]


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Boards of up to 60 players, of every range, order, spacing, depth and limit."""
    span = draw(spans())
    layout = Layout(
        number=1,
        buckets=draw(st.sampled_from(BUCKET_CHOICES)),
        spacing=draw(st.sampled_from(("log", "linear"))) if log_serves(span) else "linear",
        levels=draw(st.integers(1, MAX_LEVELS)),
    )
    board = Board("arena", draw(configs(span)), 1, (layout,))
    drawn = draw(score_lists(span))
    at = draw(st.lists(st.integers(0, 3), min_size=len(drawn), max_size=len(drawn)))
    entries = [Entry(f"p{i}", score, at[i]) for i, score in enumerate(drawn)]
    return Game(board, ()).with_entries(entries)


@st.composite
def wrong_nodes(draw: st.DrawFn, game: Game) -> dict[str, dict[str, int]]:
    """Nodes that lag, run ahead, miss or were edited, each in its own way."""
    nodes = exact_nodes(game)
    for path, counts in list(nodes.items()):
        fate = draw(st.sampled_from(("right", "right", "gone", "off", "random")))
        if fate == "gone":
            del nodes[path]
        elif fate == "off":
            changes = draw(st.lists(st.sampled_from((-9, -1, 0, 1, 9)), min_size=1, max_size=5))
            nodes[path] = {
                code: changed
                for i, (code, count) in enumerate(counts.items())
                if (changed := count + changes[i % len(changes)]) > 0
            }
        elif fate == "random":
            codes = st.sampled_from(("00", "01", "1r", "3j", *counts))
            nodes[path] = draw(st.dictionaries(codes, st.integers(1, 90), max_size=5))
    return nodes
