"""A player's ledger items on a board, whatever the life they are of: found and removed."""

from typing import Final, NamedTuple

from lambdas.names import PK, SK
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, string, text_of

PAGE_SIZE: Final = 500


class LedgerPage(NamedTuple):
    """Some submissions of a player, by their ids, and whether more come after them."""

    ids: list[str]
    has_more: bool


class LedgerItems:
    """The `Submissions` table, player by player."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def page(self, board: str, player: str, after: str = "") -> LedgerPage:
        """The next ledger items of a player, those behind a submission's id, `PAGE_SIZE` at most.

        Cost: one consistent query, a read unit each 4 KB of items, at least one.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        condition, values = f"{PK} = :pk", {":pk": string(keys.ledger_pk(board, player))}
        if after:
            condition += f" AND {SK} > :after"
            values[":after"] = string(after)
        found = self._dynamo.call(
            "query",
            TableName=self._table,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ProjectionExpression=SK,
            ConsistentRead=True,
            Limit=PAGE_SIZE,
        )
        return LedgerPage(
            [text_of(item, SK) for item in found["Items"]], "LastEvaluatedKey" in found
        )

    def remove(self, board: str, player: str, submission_id: str) -> None:
        """Removes a ledger item; twice is as once.

        Cost: one `DeleteItem`, 1 write unit each KB of the item.

        Raises:
            ThrottledError, UnavailableError: try again; it may have been removed already.
        """
        key = {PK: string(keys.ledger_pk(board, player)), SK: string(submission_id)}
        self._dynamo.call("delete_item", TableName=self._table, Key=key)
