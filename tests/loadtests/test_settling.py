"""Who holds what after a run: answers decide, and where none came the stage is asked."""

from typing import Any, cast

import pytest

from loadtests.notes import Notes
from loadtests.settling import held_to, known, settled
from loadtests.suite import Found
from loadtests.truth import Standings
from ops.client import Client


class Held:
    """A client of a board whose players hold these scores, and whose counters follow late."""

    def __init__(self, scores: dict[str, int | None], late: int = 0) -> None:
        self.scores, self.late, self.asked = scores, late, list[str]()

    def rank(self, board: str, player: str, **_: Any) -> dict[str, Any]:
        del board
        self.asked.append(player)
        score = self.scores.get(player)
        kind = "unranked" if score is None else "exact"
        return {
            "player_id": player,
            "score": score,
            "kind": kind,
            "rank": 1,
            "rank_range": [1, 1],
            "population": 1,
        }

    def distribution(self, board: str, **_: Any) -> dict[str, Any]:
        del board
        self.late -= 1
        count = len(self.scores) if self.late < 0 else 0
        return {"population": count, "buckets": [{"low": 0, "high": 99, "count": count}]}


def client(scores: dict[str, int | None], late: int = 0) -> Client:
    return cast(Client, Held(scores, late))


@pytest.mark.parametrize(
    ("stored", "sent", "held", "known_as"),
    [
        ({"a": 5}, {}, {}, {"a": 5, "old": 1}),
        ({}, {"a": 7}, {"a": 7}, {"a": 7, "old": 1}),  # it arrived, the answer did not
        ({}, {"a": 7}, {}, {"old": 1}),  # it never arrived
        ({"a": 5}, {"a": 7}, {"a": 5}, {"a": 5, "old": 1}),
        ({"a": 5}, {"a": 7}, {"a": 7}, {"a": 7, "old": 1}),
        ({"a": 9}, {"a": 7}, {"a": 9}, {"a": 9, "old": 1}),
        ({}, {"old": 3}, {"old": 1}, {"old": 1}),
    ],
)
def test_what_was_never_answered_is_asked_for(
    stored: dict[str, int], sent: dict[str, int], held: dict[str, int | None], known_as: Any
) -> None:
    """Stored or not, and nothing between; nobody else is asked."""
    notes = Notes()
    for player, score in stored.items():
        notes.stored(player, score)
    for player, score in sent.items():
        notes.sent(player, score)
    asked = Held(held)
    assert known(cast(Client, asked), "board", notes, {"old": 1}) == known_as
    assert asked.asked == list(sent)


@pytest.mark.parametrize("held", [None, 4, 8])
def test_a_score_that_cannot_be_there_ends_the_run(held: int | None) -> None:
    """5 was stored and 7 sent: less, more or nothing is no lost answer but a wrong one."""
    notes = Notes()
    notes.stored("a", 5)
    notes.sent("a", 7)
    with pytest.raises(ValueError, match="a holds"):
        known(client({"a": held}), "board", notes, {})


def test_settling_waits_for_counters_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lag is waited for; what still differs when patience ends is told."""
    monkeypatch.setattr("loadtests.settling.POLL_SECONDS", 0.001)
    seconds, differing = settled(client({"a": 1, "b": 2}, late=3), "board", {"a": 1, "b": 2})
    assert differing == []
    assert seconds > 0
    monkeypatch.setenv("TALLY_LOADTEST_PATIENCE", "0.01")
    _, differing = settled(client({"a": 1}), "board", {"a": 1, "b": 2})
    assert differing == ["0 to 99: 1 counted, 2 there", "population 1, 2 there"]


def test_wrong_ranks_at_the_end_are_counted() -> None:
    found = Found()
    standings = Standings({"a": 5, "b": 9})
    held_to(client({"a": 5, "b": 9}), "board", standings, ["a", "b"], found)
    assert found.notes.counts == {"checked": 2, "wrong": 1}
    assert found.notes.words == ["a: rank 1 to 1, but it is 2 to 2"]
