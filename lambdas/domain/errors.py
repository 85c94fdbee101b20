"""Every error that crosses a layer, said once; `api/problems.py` maps each to an HTTP answer.

Two families: the caller's mistakes (`RequestError`), which no retry mends, and the store's
failures (`StoreError`), of which `ThrottledError` and `UnavailableError` pass by themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class TallyboardError(Exception):
    """Base of every error that Tallyboard raises on purpose."""


# --- The caller's mistakes -------------------------------------------------------------------


class RequestError(TallyboardError):
    """A request that is wrong as it stands; sending it again changes nothing."""


class PlayerIdError(RequestError):
    """A player id that breaks the rule of `domain/players.py`."""


@dataclass(frozen=True)
class FieldProblem:
    """One field that is wrong, in words for the person who sent it."""

    field: str
    message: str


class InvalidFieldsError(RequestError):
    """One or more fields hold values the API cannot take; nothing was stored."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__("; ".join(f"{p.field}: {p.message}" for p in problems))
        self.problems = tuple(problems)

    @classmethod
    def of(cls, field: str, message: str) -> "InvalidFieldsError":
        """Makes the error for a single field."""
        return cls([FieldProblem(field, message)])


class BoardNotFoundError(RequestError):
    """No board of that id; it was never made, or it was deleted."""


class WindowNotFoundError(RequestError):
    """The board has no window of that name."""


class WindowsClosedError(RequestError):
    """None of the board's windows takes results any more, or yet."""


class SubmissionIdReusedError(RequestError):
    """The player's submission of that id held another score; that one stands."""


class InvalidCursorError(RequestError):
    """A cursor that no page of this list ended with."""


class BoardConflictError(RequestError):
    """A board of that id stands already, and differs in what a live board keeps."""


class VersionConflictError(RequestError):
    """A change was made from another version of a board than the one that stands."""


class BoardDeletedLatelyError(RequestError):
    """A board was deleted so lately that a function may still know it.

    Attributes:
        seconds: how long until it can be made again, at least 1.
    """

    def __init__(self, board: str, seconds: int) -> None:
        super().__init__(f"Board {board} was deleted lately; make it again in {seconds} s.")
        self.seconds = seconds


# --- The store's failures --------------------------------------------------------------------


class StoreError(TallyboardError):
    """DynamoDB did not do what was asked.

    Attributes:
        code: DynamoDB's own error code, or the class name of a connection error.
        reasons: DynamoDB's `ThrottlingReasons`, where it gave any.
    """

    def __init__(self, code: str, reasons: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(code)
        self.code = code
        self.reasons = tuple(reasons)


class ConditionFailedError(StoreError):
    """The condition of a write did not hold.

    Attributes:
        item: the item as it stood, in DynamoDB's typed form; empty when there was none.
    """

    def __init__(self, code: str, item: Mapping[str, Any]) -> None:
        super().__init__(code)
        self.item = item


class ThrottledError(StoreError):
    """DynamoDB refused for want of capacity; the same call may go through later."""


class ConflictError(ThrottledError):
    """Another write of the same items came between; nothing was written.

    Attributes:
        reasons: DynamoDB's `CancellationReasons`, one an item of the transaction.
    """


class UnavailableError(StoreError):
    """DynamoDB did not answer, or failed inside; a write may or may not have happened."""


class PartlyStoredError(TallyboardError):
    """DynamoDB took a submission for some windows and not for the others.

    Attributes:
        cause: why it did not take the others; a repeat completes them and doubles nothing.
        stored, missing: the names of the windows, in the board's order.
    """

    def __init__(
        self,
        cause: "ThrottledError | UnavailableError",
        stored: Sequence[str],
        missing: Sequence[str],
    ) -> None:
        super().__init__(f"stored in {', '.join(stored)}, not in {', '.join(missing)}")
        self.cause = cause
        self.stored = tuple(stored)
        self.missing = tuple(missing)


class UnexpectedStoreError(StoreError):
    """Any other answer; a bug or a missing permission, which no retry mends."""


class RefusedError(UnexpectedStoreError):
    """DynamoDB calls the request itself invalid (`ValidationException`)."""
