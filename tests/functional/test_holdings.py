"""A player's items on a board are all found, whichever windows and lives they are of."""

from typing import Any

import pytest

from lambdas.domain.errors import ThrottledError
from lambdas.domain.lives import windows_fed
from lambdas.store.boards import Boards
from lambdas.store.dynamo import MOST_AT_ONCE, Dynamo
from lambdas.store.holdings import Holdings
from lambdas.store.keys import score_pk
from lambdas.store.meter import Meter
from ops.rig.tables import TableNames
from tests.functional.clocks import Clock
from tests.functional.failing import WatchedClient
from tests.functional.lives import LAPSED_MS, AdminClock, forget
from tests.functional.test_board_changes import path_of

WINDOWS = [f"d{day:03d}" for day in range(2 * MOST_AT_ONCE + 1)]


def found(
    client: Any, tables: TableNames, board: str, player: str, clock: AdminClock
) -> dict[str, str]:
    """The player's items by their keys: the rank partitions."""
    dynamo = Dynamo(client, Meter())
    stored = Boards(dynamo, tables.boards).find(board)
    assert stored is not None
    items = Holdings(dynamo, tables.scores).of_player(
        board, windows_fed(stored, clock.now_ms), player
    )
    return {item["pk"]["S"]: item["rank_partition"]["S"] for item in items}


def test_items_of_every_window_and_life_are_found(
    api: Any,
    board: str,
    clock: Clock,
    admin_clock: AdminClock,
    client: WatchedClient,
    table_names: TableNames,
) -> None:
    """Days long past, a season, a changed zone and a former life: each item, and no one else's."""
    season = {"season": "x", "start": 1, "end": 10**13 - 1}
    expected = set[str]()

    def submit(time: str) -> None:
        admin_clock.now_ms = clock(time)
        answer = api.call("POST", f"{path}/scores", {"player_id": "Zoë", "score": 1})[1]
        expected.update(score_pk(board, window, "Zoë") for window in answer["windows"])

    path = f"/api/leaderboards/{board}"
    admin_clock.now_ms = clock("2024-02-28T12:00")
    api.make_board(board, windows=["all", "daily", "weekly", season])
    submit("2024-02-28T23:59:59")
    submit("2026-11-30T12:00")
    assert api.call("DELETE", path_of(board))[0] == 204
    forget(api.handlers)
    assert found(client, table_names, board, "Zoë", admin_clock).keys() == expected
    admin_clock.wait(LAPSED_MS)
    api.make_board(board, windows=["monthly"])
    zoned = {"windows": ["monthly", "daily"], "time_zone": "Pacific/Apia"}
    assert api.call("PUT", path_of(board), zoned)[0] == 200
    submit("2026-12-31T12:00")
    api.submit(board, "Zo", 1)
    assert found(client, table_names, board, "Zoë", admin_clock).keys() == expected
    assert found(client, table_names, board, "nobody", admin_clock) == {}


class Reluctant:
    """A client that reads some keys at a time and leaves the others."""

    def __init__(self, served: int) -> None:
        self.served = served
        self.asked: list[int] = []

    def batch_get_item(self, RequestItems: Any, **_: Any) -> Any:  # noqa: N803
        """Serves the first of the keys."""
        assert RequestItems["scores"]["ConsistentRead"] is True
        keys = RequestItems["scores"]["Keys"]
        self.asked.append(len(keys))
        left = keys[self.served :]
        return {
            "Responses": {"scores": keys[: self.served]},
            "UnprocessedKeys": {"scores": {"Keys": left}} if left else {},
        }


@pytest.mark.parametrize("served", [1, 40, 99, 100])
def test_keys_left_unread_are_asked_for_again(served: int) -> None:
    """Until each was read once; and never more of them in a request than one takes."""
    client = Reluctant(served)
    items = Holdings(Dynamo(client, Meter()), "scores").of_player("b", WINDOWS, "p")  # type: ignore[arg-type]
    assert [item["pk"]["S"] for item in items] == [score_pk("b", one, "p") for one in WINDOWS]
    assert max(client.asked) == MOST_AT_ONCE


def test_a_table_that_reads_nothing_is_busy() -> None:
    """Nothing read is no answer: the caller hears that it may try again."""
    holdings = Holdings(Dynamo(Reluctant(0), Meter()), "scores")  # type: ignore[arg-type]
    with pytest.raises(ThrottledError):
        holdings.of_player("b", WINDOWS, "p")
    assert holdings.of_player("b", [], "p") == []
