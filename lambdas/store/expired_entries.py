"""Entries that have expired: found through the expiry index, removed on condition that they have.

The index is sparse: it holds the items of boards whose entries expire, hidden ones too, each
under its board and index shard by the time it was achieved.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lambdas.domain.errors import ConditionFailedError
from lambdas.names import (
    ACHIEVED_AT,
    EXPIRES_AT,
    EXPIRY_INDEX,
    EXPIRY_PARTITION,
    PK,
    RANK_KEY,
    RANK_PARTITION,
)
from lambdas.store.dynamo import Dynamo, integer_of, number, string, text_of
from lambdas.store.score_items import LAYOUT, NO_LAYOUT, SEGMENTS


class Waiting(NamedTuple):
    """A score item as the expiry index shows it."""

    pk: str
    achieved_at: int


class Page(NamedTuple):
    """Some of an index partition's expired entries, the oldest first."""

    entries: list[Waiting]
    is_last: bool


class ExpiredEntries:
    """The expiry index, and the table `Scores` behind it."""

    def __init__(self, dynamo: Dynamo, scores_table: str) -> None:
        self._dynamo = dynamo
        self._table = scores_table

    def page(self, partition: str, cutoff: int, after: Waiting | None, limit: int) -> Page:
        """What an index partition holds up to a time, behind an entry, `limit` at most.

        Cost: one eventually consistent query, half a read unit each 4 KB, at least half a unit.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        start: dict[str, Any] = {}
        if after is not None:
            start["ExclusiveStartKey"] = {
                PK: string(after.pk),
                EXPIRY_PARTITION: string(partition),
                ACHIEVED_AT: number(after.achieved_at),
            }
        page = self._dynamo.call(
            "query",
            TableName=self._table,
            IndexName=EXPIRY_INDEX,
            KeyConditionExpression=f"{EXPIRY_PARTITION} = :partition AND {ACHIEVED_AT} <= :cutoff",
            ExpressionAttributeValues={":partition": string(partition), ":cutoff": number(cutoff)},
            Limit=limit,
            **start,
        )
        found = [Waiting(text_of(one, PK), integer_of(one, ACHIEVED_AT)) for one in page["Items"]]
        return Page(found, "LastEvaluatedKey" not in page)

    def remove(self, pk: str, partition: str, cutoff: int, keep_until: int) -> bool:
        """Removes a score item that was achieved up to a time; whether it was there to remove.

        One that was renewed meanwhile stays, and one whose board was made again without a limit
        of age: it is in no partition of the index. One that leads to segments leaves a stub: in
        no index, absent to everyone, until what stands in those segments has expired as well.

        Args:
            keep_until: how long a stub is kept, in seconds since 1970.

        Cost: one conditional `DeleteItem`, 1 write unit in the table and 1 in each index; 1 in
        the table where it stays, and for a stub an `UpdateItem` besides.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been removed already.
        """
        expired = f"{EXPIRY_PARTITION} = :partition AND {ACHIEVED_AT} <= :cutoff"
        values = {":partition": string(partition), ":cutoff": number(cutoff)}
        try:
            self._dynamo.call(
                "delete_item",
                TableName=self._table,
                Key={PK: string(pk)},
                ConditionExpression=f"{expired} AND attribute_not_exists(#segments)",
                ExpressionAttributeNames={"#segments": SEGMENTS},
                ExpressionAttributeValues=values,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ConditionFailedError as failed:
            return SEGMENTS in failed.item and self._reduce(pk, expired, values, keep_until)
        return True

    def _reduce(self, pk: str, condition: str, values: Mapping[str, Any], keep_until: int) -> bool:
        try:
            self._dynamo.call(
                "update_item",
                TableName=self._table,
                Key={PK: string(pk)},
                UpdateExpression=f"SET #layout = :no_layout, {EXPIRES_AT} ="
                f" if_not_exists({EXPIRES_AT}, :keep_until)"
                f" REMOVE {RANK_PARTITION}, {RANK_KEY}, {EXPIRY_PARTITION}",
                ConditionExpression=condition,
                ExpressionAttributeNames={"#layout": LAYOUT},
                ExpressionAttributeValues={
                    **values,
                    ":no_layout": number(NO_LAYOUT),
                    ":keep_until": number(keep_until),
                },
            )
        except ConditionFailedError:
            return False
        return True
