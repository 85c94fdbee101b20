"""The patrol of the live audit, kept in the `Boards` table: one item a stage.

Its key is no board's, since a board id holds no `#`. It may be lost: the next run begins a pass.
"""

import json
from typing import Any, Final

from lambdas.domain.patrols import Patrol, Sighting, Spot
from lambdas.names import PK, SK
from lambdas.store.dynamo import Dynamo, Item, string, text_of
from lambdas.store.keys import PATROL_PK

_PATROL: Final = "patrol"
_KEY: Final = {PK: string(PATROL_PK), SK: string(_PATROL)}


class Patrols:
    """The patrol's item."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def read(self) -> Patrol:
        """What the last run left; a new patrol if there was none, or nobody can read it.

        Cost: one consistent read, a read unit each 4 KB.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        item: Item | None = self._dynamo.call(
            "get_item", TableName=self._table, Key=_KEY, ConsistentRead=True
        ).get("Item")
        try:
            return Patrol() if item is None else _patrol_of(json.loads(text_of(item, _PATROL)))
        except (ValueError, TypeError, KeyError):
            return Patrol()

    def write(self, patrol: Patrol) -> None:
        """Leaves a patrol to the next run; the last one to write stands.

        Cost: 1 write unit a KB, some eight sightings.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        text = json.dumps({"after": patrol.after, "sightings": patrol.sightings})
        self._dynamo.call("put_item", TableName=self._table, Item={**_KEY, _PATROL: string(text)})


def _patrol_of(held: Any) -> Patrol:
    after = held["after"]
    sightings = (
        Sighting(_spot(spot), kind, int(counted), int(found))
        for spot, kind, counted, found in held["sightings"]
    )
    return Patrol(None if after is None else _spot(after), tuple(sightings))


def _spot(held: Any) -> Spot:
    board, window, layout, path = held
    return Spot(board, window, int(layout), path)
