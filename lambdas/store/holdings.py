"""Holdings: every score item that one player has on a board, whichever windows they lie in.

No index leads from a player to their items. But a board's windows follow from its schedules, so
the keys of all items that there can be are known, and are simply asked for.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from lambdas.domain.errors import ConditionFailedError, ConflictError, ThrottledError
from lambdas.names import PK, RANK_PARTITION
from lambdas.store import keys
from lambdas.store.dynamo import MOST_AT_ONCE, Dynamo, Item, string, text_of
from lambdas.store.score_items import (
    LAYOUT,
    SEGMENTS,
    segment_windows_of,
    segments_attribute,
    segments_of,
)

_THREADS: Final = 4  # a board of days for ten years is some forty requests


class Holdings:
    """The `Scores` table as one player's items."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def of_player(self, board: str, windows: Sequence[str], player: str) -> list[Item]:
        """The player's items in some windows of a board, and in the segments these lead to.

        Hidden ones and former lives' are among them.

        Cost: one consistent `BatchGetItem` for each `MOST_AT_ONCE` windows, a read unit a window
        whether or not it holds an item; what DynamoDB leaves unread is asked for again. As much
        again for the segments, if there are any.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        own = self._in_windows(board, windows, player)
        segments = {name for item in own for name in segment_windows_of(item)}
        return own + self._in_windows(board, sorted(segments.difference(windows)), player)

    def _in_windows(self, board: str, windows: Sequence[str], player: str) -> list[Item]:
        wanted = [{PK: string(keys.score_pk(board, window, player))} for window in windows]
        batches = [
            wanted[start : start + MOST_AT_ONCE] for start in range(0, len(wanted), MOST_AT_ONCE)
        ]
        with ThreadPoolExecutor(_THREADS) as pool:
            return [item for found in pool.map(self._read, batches) for item in found]

    def move(self, item: Item, partition: str) -> Item | None:
        """Moves an item to another index partition, list and counters with it, if it is as read.

        Returns:
            None when it was moved, or is gone; else the item as it stands by now.

        Cost: one conditional `UpdateItem`, 1 write unit in the table and 2 in the index.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been moved already.
        """
        unchanged = {"#layout": LAYOUT, "#partition": RANK_PARTITION}
        try:
            self._dynamo.call(
                "update_item",
                TableName=self._table,
                Key={PK: item[PK]},
                UpdateExpression="SET #partition = :moved",
                ConditionExpression=" AND ".join(f"{name} = :{name[1:]}" for name in unchanged),
                ExpressionAttributeNames=unchanged,
                ExpressionAttributeValues={
                    ":moved": string(partition),
                    **{f":{name[1:]}": item[attribute] for name, attribute in unchanged.items()},
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ConditionFailedError as failed:
            return failed.item or None
        return None

    def remove(self, item: Item) -> None:
        """Removes an item, whatever it has become, and those of the segments that it leads to.

        They go together: a segment's item without the one that leads to it would not be found any
        more. Twice is as once.

        Cost: one conditional `DeleteItem`, 1 write unit in the table and 1 in each index; where it
        leads to segments one transaction, twice that an item.

        Raises:
            ConflictError, ThrottledError, UnavailableError: try again; it may have been removed
                already.
        """
        standing: Item | None = item
        while standing is not None:
            try:
                self._remove_as_read(standing)
            except ConflictError:
                read = self._read([{PK: item[PK]}])
                if read and segments_of(read[0]) == segments_of(standing):
                    raise
                standing = read[0] if read else None
            except ConditionFailedError as failed:
                standing = failed.item or None
            else:
                return

    def _remove_as_read(self, item: Item) -> None:
        """Removes an item on condition that it leads to the segments that it was read with."""
        named = {"ExpressionAttributeNames": {"#segments": SEGMENTS}}
        whole = {"TableName": self._table, "Key": {PK: item[PK]}, **named}
        if not segments_of(item):
            nothing = {":none": segments_attribute({})}
            self._dynamo.call(
                "delete_item",
                **whole,
                ConditionExpression="attribute_not_exists(#segments) OR #segments = :none",
                ExpressionAttributeValues=nothing,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
            return
        whole["ConditionExpression"] = "#segments = :segments"
        whole["ExpressionAttributeValues"] = {":segments": item[SEGMENTS]}
        board, _, player = keys.parse_score_pk(text_of(item, PK))
        parts = [
            {"TableName": self._table, "Key": {PK: string(keys.score_pk(board, window, player))}}
            for window in segment_windows_of(item)
        ]
        items = [{"Delete": one} for one in (whole, *parts)]
        self._dynamo.call("transact_write_items", TransactItems=items)

    def _read(self, wanted: Sequence[Any]) -> list[Item]:
        found: list[Item] = []
        while wanted:
            asked = {self._table: {"Keys": wanted, "ConsistentRead": True}}
            answer = self._dynamo.call("batch_get_item", RequestItems=asked)
            found += answer["Responses"].get(self._table, [])
            left = answer.get("UnprocessedKeys", {}).get(self._table, {}).get("Keys", [])
            if len(left) == len(wanted):
                raise ThrottledError("UnprocessedKeys")
            wanted = left
        return found
