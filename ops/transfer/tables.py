"""The tables of a stage, as an import writes them and an export reads them."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from lambdas.domain.boards import Board
from lambdas.domain.errors import (
    BoardNotFoundError,
    StoreError,
    ThrottledError,
    UnavailableError,
    WindowNotFoundError,
)
from lambdas.domain.lives import CONFIG_LIFETIME_SECONDS
from lambdas.store.boards import Boards
from lambdas.store.cached_boards import CACHED_BOARDS, CachedBoards
from lambdas.store.caches import Cache
from lambdas.store.dynamo import CLIENT_CONFIG, Dynamo
from lambdas.store.meter import Meter
from lambdas.store.scores import Scores
from lambdas.store.visibility import Visibility
from ops.audit import REFUSED_CONNECTION
from ops.client import NotRunningError
from ops.dynamodb import client_of
from ops.outputs import Outputs, remedy
from ops.transfer.errors import TransferError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Tables:
    """The tables, open.

    Attributes:
        boards: Kept as long as a function keeps them: a longer memory could write to a layout
            that a move has left.
    """

    client: "DynamoDBClient"
    dynamo: Dynamo
    scores_table: str
    scores: Scores
    boards: CachedBoards
    visibility: Visibility
    now_ms: Callable[[], int] = _now_ms

    def identity(self) -> str:
        """What tells the Scores table from any other, one made again under its name included."""
        table: Any = self.client.describe_table(TableName=self.scores_table)["Table"]
        return f"{table.get('TableArn')} {table['CreationDateTime'].timestamp()}"


def tables_over(
    client: "DynamoDBClient",
    scores_table: str,
    boards_table: str,
    now_ms: Callable[[], int] = _now_ms,
) -> Tables:
    """The tables by their names."""
    dynamo = Dynamo(client, Meter())
    cache: Cache[str, Board] = Cache(
        size=CACHED_BOARDS, lifetime_seconds=CONFIG_LIFETIME_SECONDS, clock=time.monotonic
    )
    return Tables(
        client=client,
        dynamo=dynamo,
        scores_table=scores_table,
        scores=Scores(dynamo, scores_table),
        boards=CachedBoards(Boards(dynamo, boards_table), cache),
        visibility=Visibility(dynamo, boards_table),
        now_ms=now_ms,
    )


def tables_of(outputs: Outputs) -> Tables:
    """The tables of a stage; a call gives up as early as a function's, before a window settles."""
    client = client_of(outputs, CLIENT_CONFIG)
    return tables_over(client, outputs.scores_table, outputs.boards_table)


@contextmanager
def explained(outputs: Outputs) -> Iterator[None]:
    """Says failures of the store in an operator's words.

    Raises:
        TransferError: What was asked for is not there, DynamoDB did not do it, or a file cannot
            be written.
        NotRunningError: The local stage is not running.
    """
    try:
        yield
    except BoardNotFoundError as error:
        raise TransferError(f"There is no board '{error}'.") from error
    except WindowNotFoundError as error:
        raise TransferError(f"The board has no window '{error}'.") from error
    except BrokenPipeError:
        raise  # whoever read stdout has seen enough
    except OSError as error:
        raise TransferError(f"{error.filename}: {error.strerror}.") from error
    except (BotoCoreError, ClientError) as error:
        raise TransferError(f"DynamoDB did not describe the table: {error}.") from error
    except StoreError as error:
        where = f"The tables of stage '{outputs.stage}'"
        if outputs.is_local and error.code == REFUSED_CONNECTION:
            raise NotRunningError(f"{where} do not answer. {remedy(outputs.stage)}") from error
        if isinstance(error, ThrottledError | UnavailableError):
            raise TransferError(f"{where} did not serve it ({error.code}): try again.") from error
        raise TransferError(f"{where} refused it ({error.code}).") from error
