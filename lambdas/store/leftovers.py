"""What a deleted board left in the tables: found a page at a time, removed item by item.

Score items are found through the rank index and removed on condition that they are of a former
life. A counter item's layout is in its key, so one of a former life can be nothing else.
"""

from typing import NamedTuple

from lambdas.domain.errors import ConditionFailedError
from lambdas.names import PK, RANK_INDEX, RANK_KEY, RANK_PARTITION, SK
from lambdas.store.dynamo import Dynamo, Item, number, string, text_of
from lambdas.store.score_items import LAYOUT


class Found(NamedTuple):
    """A score item as the rank index shows it: its own key and its place there."""

    pk: str
    rank_key: str


class Leftovers:
    """The tables `Scores` and `Counters`, for a sweep."""

    def __init__(self, dynamo: Dynamo, scores_table: str, counters_table: str) -> None:
        self._dynamo = dynamo
        self._scores = scores_table
        self._counters = counters_table

    def scores(self, partition: str, after: str, limit: int) -> list[Found]:
        """The next score items of an index partition, those behind a rank key, `limit` at most.

        Cost: one eventually consistent query, half a read unit each 4 KB.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        condition, values = f"{RANK_PARTITION} = :partition", {":partition": string(partition)}
        if after:
            condition += f" AND {RANK_KEY} > :after"
            values[":after"] = string(after)
        page = self._dynamo.call(
            "query",
            TableName=self._scores,
            IndexName=RANK_INDEX,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            Limit=limit,
        )
        return [Found(text_of(item, PK), text_of(item, RANK_KEY)) for item in page["Items"]]

    def remove_score(self, pk: str, first_layout: int) -> bool:
        """Removes a score item if it is under an older layout; whether it was there to remove.

        Cost: one conditional `DeleteItem`, 1 write unit in the table and 1 in the index.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been removed already.
        """
        try:
            self._dynamo.call(
                "delete_item",
                TableName=self._scores,
                Key={PK: string(pk)},
                ConditionExpression="#layout < :first_layout",
                ExpressionAttributeNames={"#layout": LAYOUT},
                ExpressionAttributeValues={":first_layout": number(first_layout)},
            )
        except ConditionFailedError:
            return False
        return True

    def remove_counter(self, item: Item) -> None:
        """Removes a counter item, which must be of a former life; twice is as once.

        Cost: one `DeleteItem`, 1 write unit each KB of the item.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been removed already.
        """
        self._dynamo.call(
            "delete_item",
            TableName=self._counters,
            Key={PK: item[PK], SK: item[SK]},
        )
