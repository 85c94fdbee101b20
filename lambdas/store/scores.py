"""Score items: the source of truth, one a player and window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from lambdas.domain.boards import Board, Policy
from lambdas.domain.entries import Entry, Record, place
from lambdas.domain.errors import ConditionFailedError
from lambdas.domain.policies import Held, beats
from lambdas.domain.submissions import Accepted, Outcome
from lambdas.domain.windows import Window
from lambdas.names import ACHIEVED_AT, PK, RANK_KEY, RANK_PARTITION
from lambdas.store import keys
from lambdas.store.dynamo import Dynamo, Item, integer_of, number, string, text_of
from lambdas.store.score_items import (
    CELL,
    LAYOUT,
    ORDER_KEY,
    REPLACED_LAYOUT,
    SUBMISSION_ID,
    check_config_of,
    entry_of,
    has_expired,
    is_of_former_life,
    replaced_expired,
    update_of,
)


class _Kept(NamedTuple):
    """When a record gives way to another, for the policies that keep one record a window.

    Attributes:
        condition: on the standing record, which does not count as absent.
        outcome: of a record that took another's place.
    """

    condition: str
    outcome: Outcome


_BETTER: Final = f"#{ORDER_KEY} > :{ORDER_KEY}"
_LATER: Final = f"#{ACHIEVED_AT} < :{ACHIEVED_AT}"
_AT_ONCE: Final = f"#{ACHIEVED_AT} = :{ACHIEVED_AT}"
_KEPT: Final[Mapping[Policy, _Kept]] = {
    "best": _Kept(_BETTER, Outcome.IMPROVED),
    # Of two at one time the better stands, so that it does not matter which arrives first.
    "latest": _Kept(f"({_LATER} OR ({_AT_ONCE} AND {_BETTER}))", Outcome.REPLACED),
}
# The repeat of a call that gave no time is later than its own record, which must stand.
_NOT_OWN: Final = (
    f"(attribute_not_exists(#{SUBMISSION_ID}) OR #{SUBMISSION_ID} <> :{SUBMISSION_ID}"
    f" OR #{ORDER_KEY} <> :{ORDER_KEY})"
)


@dataclass(frozen=True)
class Written:
    """What a submission did to one window.

    Attributes:
        entry: the standing entry: the submitted one, or the better one that was kept.
        counted_at: the cell path the counters may know the player under; None where there was
            no record, not even an expired one.
        former_key: the index key of the record that was replaced, which the index may hold yet.
        hidden: whether the player is in no list and no count.
    """

    outcome: Outcome
    entry: Entry
    counted_at: str | None
    former_key: str | None = None
    hidden: bool = False


def written_over(outcome: Outcome, entry: Entry, former: Item | None, *, hidden: bool) -> Written:
    """An entry written over an item of this life of the board; None where there was none."""
    if former is None:
        return Written(outcome, entry, None, hidden=hidden)
    return Written(outcome, entry, text_of(former, CELL), text_of(former, RANK_KEY), hidden)


class Scores:
    """The `Scores` table."""

    def __init__(self, dynamo: Dynamo, table: str) -> None:
        self._dynamo = dynamo
        self._table = table

    def submit(
        self, board: Board, window: Window, accepted: Accepted, now_ms: int, *, hidden: bool
    ) -> Written:
        """Stores an entry if the player has none, or one that it beats: one conditional write.

        `best` is beaten by a better record, `latest` by one achieved later, or at the same time
        and better; a record that has expired by `now_ms` by any. Calling twice changes nothing
        more, and answers alike if the second call can be told for a repeat: by its
        `submission_id`, else by its score and `achieved_at`. The entry of a player who is `hidden`
        (`store/visibility.py`) is stored out of every list.

        Cost: one `UpdateItem`; a new player 1 write unit in the table and 1 in the index, another
        record 2 in the index, a kept one 1 in the table (items up to 1 KB). Where entries expire,
        as much again in the expiry index as in the rank index.

        Raises:
            ThrottledError, UnavailableError: try again; the entry may have been stored already.
            The latter, too, where the item is under a layout that this config knows nothing of.
        """
        kept = _KEPT[board.config.policy]
        record = place(board, board.written_layout, accepted.entry)
        cutoff = board.cutoff(now_ms)
        update = update_of(self._table, board, window, record, accepted, cutoff, hidden=hidden)
        try:
            answer = self._dynamo.call("update_item", **_if_beaten(kept, board, accepted, update))
        except ConditionFailedError as failed:
            return replace(_not_set(kept, board, record, accepted, failed.item), hidden=hidden)
        old = answer.get("Attributes", {})
        if not old or is_of_former_life(old, board):
            return written_over(Outcome.NEW, accepted.entry, None, hidden=hidden)
        outcome = Outcome.NEW if has_expired(old, cutoff) else kept.outcome
        return written_over(outcome, accepted.entry, old, hidden=hidden)

    def get(
        self, board: Board, window: str, player: str, now_ms: int, *, consistent: bool
    ) -> Item | None:
        """A player's score item, unless it is absent, hidden, expired or of a former life.

        Cost: half a read unit, one when consistent.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        item: Item | None = self._dynamo.call(
            "get_item",
            TableName=self._table,
            Key={PK: string(keys.score_pk(board.id, window, player))},
            ConsistentRead=consistent,
        ).get("Item")
        return item if item is not None and _stands(item, board, window, now_ms) else None

    def get_many(
        self, board: Board, window: str, players: Sequence[str], now_ms: int
    ) -> tuple[list[Entry], list[str]]:
        """The entries of at most `MOST_AT_ONCE` players, and the players left unread.

        Who is in neither has no item, or one that is hidden, expired or of a former life.

        Cost: one eventually consistent request, half a read unit an id that was read.

        Raises:
            ThrottledError, UnavailableError: try again.
        """
        wanted = [{PK: string(keys.score_pk(board.id, window, player))} for player in players]
        answer = self._dynamo.call("batch_get_item", RequestItems={self._table: {"Keys": wanted}})
        items = answer["Responses"].get(self._table, [])
        unread = answer.get("UnprocessedKeys", {}).get(self._table, {}).get("Keys", [])
        return (
            [entry_of(item) for item in items if _stands(item, board, window, now_ms)],
            [keys.parse_score_pk(text_of(key, PK)).player for key in unread],
        )


def decide(
    board: Board, accepted: Accepted, counted: Item | None, cutoff: int | None, *, hidden: bool
) -> tuple[Written, bool]:
    """What `Scores.submit` would do to an item, and whether that changes it.

    Args:
        counted: the player's item of this life in the window, as it was read, expired or not.
    """
    if counted is None or has_expired(counted, cutoff):
        return written_over(Outcome.NEW, accepted.entry, counted, hidden=hidden), True
    kept = _KEPT[board.config.policy]
    record = place(board, board.written_layout, accepted.entry)
    beaten = Held(text_of(counted, ORDER_KEY), integer_of(counted, ACHIEVED_AT))
    is_beaten = beats(board.config.policy, Held(record.order_key, record.entry.achieved_at), beaten)
    is_named = accepted.submission_id is not None
    if not is_beaten or (is_named and _is_own_record(record, accepted, counted)):
        standing = _not_set(kept, board, record, accepted, counted)
        return replace(standing, hidden=hidden), False
    return written_over(kept.outcome, accepted.entry, counted, hidden=hidden), True


def _stands(item: Item, board: Board, window: str, now_ms: int) -> bool:
    """Whether an item is of this life of the board, and neither expired nor hidden."""
    if is_of_former_life(item, board) or has_expired(item, board.cutoff(now_ms)):
        return False
    return text_of(item, RANK_PARTITION) != keys.hidden_partition(board.id, window)


def _if_beaten(
    kept: _Kept, board: Board, accepted: Accepted, update: dict[str, Any]
) -> dict[str, Any]:
    """An update on condition that the standing record is absent, or counts so, or is beaten."""
    update["ExpressionAttributeValues"] |= {
        ":first_layout": number(board.first_layout),
        ":last_layout": number(board.layouts[-1].number),
    }
    absent = f"attribute_not_exists({PK})"
    of_former_life = f"#{LAYOUT} < :first_layout"
    # A config that served past its time must not write over what a later life or layout holds.
    known_layout = f"#{LAYOUT} <= :last_layout"
    beaten = [known_layout, kept.condition]
    if accepted.submission_id is not None:
        beaten.append(_NOT_OWN)
    ways = [absent, of_former_life, " AND ".join(beaten)]
    if board.config.entry_ttl_seconds is not None:
        ways.append(f"{known_layout} AND #{ACHIEVED_AT} <= :cutoff")
    return update | {
        # DynamoDB refuses parentheses that change nothing; AND binds before OR.
        "ConditionExpression": " OR ".join(ways),
        "ReturnValues": "UPDATED_OLD",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def _not_set(kept: _Kept, board: Board, record: Record, accepted: Accepted, item: Item) -> Written:
    check_config_of(item, board)
    if not _is_own_record(record, accepted, item):
        return Written(Outcome.KEPT, entry_of(item), text_of(item, CELL))
    of_this_life = integer_of(item, REPLACED_LAYOUT) >= board.first_layout
    over_expired = of_this_life and replaced_expired(item)
    outcome = kept.outcome if of_this_life and not over_expired else Outcome.NEW
    # The first try's replaced cell is gone: the counters may know the player there, or nowhere, or
    # under this record already. Nowhere is the widest of the three, unless that cell was a better
    # one: then they are taken at their word, as by a read.
    over_better = outcome == Outcome.REPLACED or over_expired
    return Written(outcome, entry_of(item), text_of(item, CELL) if over_better else None)


def _is_own_record(record: Record, accepted: Accepted, item: Item) -> bool:
    if text_of(item, ORDER_KEY) != record.order_key:
        return False
    if accepted.submission_id is not None:
        return item.get(SUBMISSION_ID) == string(accepted.submission_id)
    return SUBMISSION_ID not in item and integer_of(item, ACHIEVED_AT) == record.entry.achieved_at
