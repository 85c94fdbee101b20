"""Boards that another version of the functions wrote are read: an update can be rolled back."""

import json
from typing import Any

from lambdas.store.boards import Boards
from lambdas.store.dynamo import Dynamo
from lambdas.store.meter import Meter
from ops.rig.tables import TableNames
from tests.functional.lives import LAPSED_MS, AdminClock
from tests.functional.test_board_changes import path_of

SEASON = {"season": "x", "start": 1, "end": 10**13 - 1}
TIE_BREAKER = {"name": "time", "order": "asc", "range": [0, 9]}


def more_in_all(held: Any) -> Any:
    """The same, and in every object a field that this version knows nothing of."""
    if isinstance(held, dict):
        return {name: more_in_all(one) for name, one in held.items()} | {"of_later": [1]}
    return [more_in_all(one) for one in held] if isinstance(held, list) else held


def test_what_a_later_version_added_is_passed_over(
    api: Any, board: str, admin_clock: AdminClock, client: Any, table_names: TableNames
) -> None:
    """In config, layouts, schedules, seasons, tie-breakers, eras and past; the rest is kept."""
    api.make_board(board, windows=["all", SEASON])
    assert api.call("DELETE", path_of(board))[0] == 204
    admin_clock.wait(LAPSED_MS)
    config = {"windows": ["daily", SEASON], "tie_breakers": [TIE_BREAKER]}
    api.make_board(board, **config)
    admin_clock.wait(3 * 86_400_000)
    change = config | {"time_zone": "Asia/Tokyo"}
    assert api.call("PUT", path_of(board), change)[0] == 200

    boards = Boards(Dynamo(client, Meter()), table_names.boards)
    before = boards.get(board)
    assert all((before.eras, before.past.tenures, before.past.layouts))
    key = {"pk": {"S": board}, "sk": {"S": "config"}}
    item = client.get_item(TableName=table_names.boards, Key=key)["Item"]
    for name in ("config", "layouts", "eras", "past"):
        item[name] = {"S": json.dumps(more_in_all(json.loads(item[name]["S"])))}
    client.put_item(TableName=table_names.boards, Item=item)
    assert boards.get(board) == before
