"""The ledger: one item a submission to a board of sums, which tells its repeats.

It is written in one transaction with all that the submission adds to (`store/player_items.py`).
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from lambdas.domain.boards import Board
from lambdas.domain.submissions import Accepted, Outcome
from lambdas.domain.sums import LedgerEntry, WindowSum, ledger_expires_at
from lambdas.names import EXPIRES_AT, PK, SK
from lambdas.store import keys
from lambdas.store.dynamo import Item, integer_of, number, string, text_of
from lambdas.store.score_items import SCORE

_LIFE: Final = "first_layout"  # of the board's life that the submission was made in
_RESULTS: Final = "results"
_WINDOW: Final = "window"
_OUTCOME: Final = "outcome"
_FREE: Final = f"attribute_not_exists({PK}) OR {_LIFE} < :{_LIFE} OR {EXPIRES_AT} <= :now"


def key_of(board: Board, accepted: Accepted) -> dict[str, dict[str, str]]:
    """The key of a submission's item in the `Submissions` table."""
    # A board of sums accepts none without an id, and DynamoDB no empty key.
    return {
        PK: string(keys.ledger_pk(board.id, accepted.entry.player)),
        SK: string(accepted.submission_id or ""),
    }


def noted_in(items: Sequence[Item], board: Board, now_ms: int) -> LedgerEntry | None:
    """What became of a submission, by the items found under its key: one, or none.

    One that is past its time or of a former life counts as absent.
    """
    noted = next((one for one in items if _stands(one, board, now_ms)), None)
    return _entry_of(noted) if noted else None


def put_of(
    table: str, board: Board, accepted: Accepted, results: Sequence[WindowSum], now_ms: int
) -> dict[str, Any]:
    """The put that notes what becomes of a submission, on condition that nothing is noted yet."""
    item = {
        **key_of(board, accepted),
        SCORE: number(accepted.entry.score),
        _LIFE: number(board.first_layout),
        _RESULTS: {"L": [_item_of(one) for one in results]},
        EXPIRES_AT: number(ledger_expires_at(board.config.schedule, now_ms)),
    }
    return {
        "TableName": table,
        "Item": item,
        "ConditionExpression": _FREE,
        "ExpressionAttributeValues": {
            f":{_LIFE}": item[_LIFE],
            ":now": number(now_ms // 1_000),
        },
    }


def _stands(item: Item, board: Board, now_ms: int) -> bool:
    """Whether a ledger item counts: TTL may be days late, and a deleted board's items stay."""
    if integer_of(item, _LIFE) < board.first_layout:
        return False
    return integer_of(item, EXPIRES_AT) > now_ms // 1_000


def _item_of(result: WindowSum) -> dict[str, Any]:
    score = {} if result.score is None else {SCORE: number(result.score)}
    return {"M": {_WINDOW: string(result.window), _OUTCOME: string(result.outcome), **score}}


def _entry_of(item: Item) -> LedgerEntry:
    return LedgerEntry(
        integer_of(item, SCORE), tuple(_results_of(one["M"] for one in item[_RESULTS]["L"]))
    )


def _results_of(items: Iterator[Item]) -> Iterator[WindowSum]:
    for item in items:
        score = integer_of(item, SCORE) if SCORE in item else None
        yield WindowSum(text_of(item, _WINDOW), Outcome(text_of(item, _OUTCOME)), score)
