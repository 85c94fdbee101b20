"""What a run knows for itself, and how answers are held to it.

A run makes its own boards, so it knows who holds which score. Players who move meanwhile are known
to lie in a band; a rank is then known to lie in a range, and an answer must not contradict it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

Json = Any
DESC: Final = "desc"
ASC: Final = "asc"


class Standings:
    """Who holds which score on a board of a run.

    Equal scores are ordered by time, which is the server's: a rank among them is a range here.
    """

    def __init__(
        self,
        scores: Mapping[str, int],
        order: str = DESC,
        moving: Mapping[str, tuple[int, int]] | None = None,
        doubt: int = 0,
        index_doubt: int = 0,
    ) -> None:
        """Know the players.

        Args:
            scores: Of those who stay.
            order: `desc` if more is better.
            moving: Of those who move: the lowest and the highest score they may hold.
            doubt: How many of those may be counted twice, or not at all, for a moment: nodes are
                written and cached one by one, so an answer on `counters` may be places off.
            index_doubt: How many may be listed twice, or not at all, in the index.
        """
        self.scores = scores
        self.moving = moving or {}
        self.population = len(scores) + len(self.moving)
        self.doubt, self.index_doubt = (doubt, index_doubt) if moving else (0, 0)
        self._sign = -1 if order == DESC else 1
        self._sorted = sorted(self._key(score) for score in scores.values())
        ends = [sorted(map(self._key, band)) for band in self.moving.values()]
        self._at_best = sorted(best for best, _ in ends)
        self._at_worst = sorted(worst for _, worst in ends)

    def bounds(self, score: int, player: str = "") -> tuple[int, int]:
        """The best and the worst rank that a player with a score may hold, both included."""
        key = self._key(score)
        surely = bisect_left(self._sorted, key) + bisect_left(self._at_worst, key)
        perhaps = bisect_right(self._sorted, key) + bisect_right(self._at_best, key)
        if player in self.scores or player in self.moving:
            perhaps -= 1  # nobody is ahead of themselves
        return surely + 1, max(perhaps, surely) + 1

    def holds(self, player: str, score: int) -> bool:
        """Whether a player may hold a score."""
        if player in self.moving:
            low, high = self.moving[player]
            return low <= score <= high
        return self.scores.get(player) == score

    def in_order(self, scores: Sequence[int]) -> bool:
        """Whether scores are listed best first."""
        keys = [self._key(score) for score in scores]
        return keys == sorted(keys)

    def _key(self, score: int) -> int:
        return self._sign * score


def wrong_rank(answer: Json, standings: Standings, player: str) -> str | None:
    """What is wrong with a rank answer; None if nothing is.

    An exact rank must lie where the run knows it to; a range must hold a rank that can be.
    """
    if answer.get("player_id") != player:
        return f"asked for {player}, told of {answer.get('player_id')}"
    if answer.get("kind") == "unranked" or answer.get("score") is None:
        return f"{player} is unranked"
    if not standings.holds(player, answer["score"]):
        return f"{player} does not hold {answer['score']}"
    return _wrong_range(answer, standings, player)


def doubt_of(answer: Json, standings: Standings) -> int:
    """By how many places an answer may be off, by what it rests on."""
    return standings.index_doubt if answer.get("basis") == "index" else standings.doubt


def _wrong_range(answer: Json, standings: Standings, who: str) -> str | None:
    first, last = answer["rank_range"]
    best, worst = standings.bounds(answer["score"], who)
    doubt = doubt_of(answer, standings)
    if first > worst + doubt or last < best - doubt:
        return f"{who}: rank {first} to {last}, but it is {best} to {worst}"
    if answer["kind"] == "exact" and not first == last == answer["rank"]:
        return f"{who}: exact, yet {answer['rank']} of {first} to {last}"
    if answer["kind"] == "estimated" and answer["rank"] is not None:
        return f"{who}: estimated, yet rank {answer['rank']}"
    population = answer.get("population")
    if population is not None and population < first:
        return f"{who}: rank {first} of {population}"
    return None


def wrong_list(
    entries: Sequence[Json], standings: Standings, *, ranked: bool = True, doubt: int = 0
) -> str | None:
    """What is wrong with a list of entries.

    Args:
        entries: As they were listed.
        standings: What is known.
        ranked: Whether the entries' ranks are those of the whole board.
        doubt: By how many places these may be off.
    """
    if not standings.in_order([one["score"] for one in entries]):
        return "the list is not in order"
    staying = [one["player_id"] for one in entries if one["player_id"] not in standings.moving]
    if len(set(staying)) != len(staying):
        return "a player is listed twice"
    for one in entries:
        if not standings.holds(one["player_id"], one["score"]):
            return f"{one['player_id']} does not hold {one['score']}"
        if not ranked or one.get("rank") is None:
            continue
        best, worst = standings.bounds(one["score"], one["player_id"])
        if not best - doubt <= one["rank"] <= worst + doubt:
            return f"{one['player_id']}: rank {one['rank']}, but it is {best} to {worst}"
    return None


def drift(distribution: Json, scores: Iterable[int]) -> list[str]:
    """Where the counters of a board differ from the scores it holds; empty if nowhere.

    Each bucket that the answer lists is recounted, and so are the scores that lie in none.
    """
    ordered = sorted(scores)
    found, listed = [], 0
    for bucket in distribution["buckets"]:
        low, high, counted = bucket["low"], bucket["high"], bucket["count"]
        true = bisect_right(ordered, high) - bisect_left(ordered, low)
        listed += true
        if true != counted:
            found.append(f"{low} to {high}: {counted} counted, {true} there")
    if listed != len(ordered):
        found.append(f"{len(ordered) - listed} players in no bucket")
    if distribution["population"] != len(ordered):
        found.append(f"population {distribution['population']}, {len(ordered)} there")
    return found
