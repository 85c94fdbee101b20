"""The reads that are timed: every route of the read function, as the gateway hands it over."""

import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from lambdas.domain import cursors
from lambdas.domain.cursors import Cursor
from lambdas.domain.windows import ALL
from lambdas.store import keys
from ops.rig.events import http_event, json_body
from ops.studies.latency_boards import Loaded

RANK: Final = "rank"
_PAGE: Final = 100
_NEIGHBOURS: Final = 5
_FRIENDS: Final = 150
_SCORES: Final = 10

Event = dict[str, Any]


class Place(NamedTuple):
    """Where on a board a read looks: the same on each board of a round.

    Attributes:
        share: how far down, from 0 up to 1.
        seed: of what else a read draws.
    """

    share: float
    seed: str


def _path(loaded: Loaded, rest: str = "") -> str:
    return f"/api/leaderboards/{loaded.board.id}{rest}"


def rank(loaded: Loaded, place: Place) -> Event:
    """A player's rank."""
    return http_event("GET", _path(loaded, f"/players/{loaded.at(place.share).player}/rank"))


def _around(loaded: Loaded, place: Place) -> Event:
    path = _path(loaded, f"/players/{loaded.at(place.share).player}/around")
    return http_event("GET", path, query={"k": str(_NEIGHBOURS)})


def _top(loaded: Loaded, _: Place) -> Event:
    return http_event("GET", _path(loaded, "/top"), query={"limit": str(_PAGE)})


def _page(loaded: Loaded, place: Place) -> Event:
    board = loaded.board
    key = keys.entry_key(board.order, loaded.at(place.share))
    cursor = cursors.encode(Cursor(key, 1, 1), board, ALL)  # any place: it is only passed on
    return http_event("GET", _path(loaded, "/top"), query={"limit": str(_PAGE), "cursor": cursor})


def _from_rank(loaded: Loaded, place: Place) -> Event:
    query = {"limit": str(_PAGE), "start_rank": str(_rank_at(loaded, place))}
    return http_event("GET", _path(loaded, "/top"), query=query)


def _friends(loaded: Loaded, place: Place) -> Event:
    player = loaded.at(place.share).player
    drawn = _some(loaded, place, _FRIENDS + 1)
    friends = [entry.player for entry in drawn if entry.player != player][:_FRIENDS]
    body = json_body({"player_id": player, "friend_ids": friends})
    return http_event("POST", _path(loaded, "/friends"), body=body, headers=_JSON)


def _ranks(loaded: Loaded, place: Place) -> Event:
    body = json_body({"scores": [entry.score for entry in _some(loaded, place, _SCORES)]})
    return http_event("POST", _path(loaded, "/ranks"), body=body, headers=_JSON)


def _standing_at_rank(loaded: Loaded, place: Place) -> Event:
    query = {"rank": str(_rank_at(loaded, place))}
    return http_event("GET", _path(loaded, "/standing"), query=query)


def _standing_at_percentile(loaded: Loaded, place: Place) -> Event:
    percentile = 100 * _rank_at(loaded, place) / loaded.players
    return http_event("GET", _path(loaded, "/standing"), query={"percentile": f"{percentile:.5f}"})


def _distribution(loaded: Loaded, _: Place) -> Event:
    return http_event("GET", _path(loaded, "/distribution"))


def _info(loaded: Loaded, _: Place) -> Event:
    return http_event("GET", _path(loaded))


def _rank_at(loaded: Loaded, place: Place) -> int:
    return 1 + int(place.share * loaded.players)


def _some(loaded: Loaded, place: Place, count: int) -> list[Any]:
    rng = random.Random(place.seed)  # noqa: S311 - a sample, not a secret
    return rng.sample(loaded.kept, min(count, len(loaded.kept)))


_JSON: Final = {"Content-Type": "application/json"}
READS: Final[dict[str, Callable[[Loaded, Place], Event]]] = {
    RANK: rank,
    f"around, k {_NEIGHBOURS}": _around,
    f"top {_PAGE}": _top,
    f"{_PAGE} after a cursor": _page,
    f"{_PAGE} from a rank": _from_rank,
    f"friends, {_FRIENDS} ids": _friends,
    f"ranks of {_SCORES} scores": _ranks,
    "standing at a rank": _standing_at_rank,
    "standing at a percentile": _standing_at_percentile,
    "distribution": _distribution,
    "board info": _info,
}
