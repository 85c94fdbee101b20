"""What can go wrong between an operator and a deployment."""

from typing import Any


class ClientError(Exception):
    """Something the operator can put right; the message says how.

    `exit_code` is how a command ends on it: 1 failed, 2 wrong usage, 3 nothing deployed or running.
    """

    exit_code = 1
    code = "client_error"
    title = "The request was not sent"


class NotDeployedError(ClientError):
    """The stage has no usable outputs file."""

    exit_code = 3
    code = "not_deployed"
    title = "Nothing is deployed"


class NotRunningError(ClientError):
    """The stage was deployed, and nothing answers at its address."""

    exit_code = 3
    code = "not_running"
    title = "The deployment does not answer"


class UnsendableError(ClientError):
    """What was asked cannot be put into an address."""

    exit_code = 2
    code = "unsendable"


class ApiError(Exception):
    """The API answered with an error.

    Attributes:
        status: The HTTP status.
        problem: The problem document (RFC 9457); for bodies that are none, one made from them.
    """

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        """Keep the status and the problem, and say both in one line."""
        super().__init__(f"{status} {problem.get('title')}: {problem.get('detail') or ''}".strip())
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str:
        """The stable, machine-readable code."""
        return str(self.problem.get("code", "unknown"))

    @property
    def detail(self) -> str:
        """What went wrong this time, for people."""
        return str(self.problem.get("detail") or self.problem.get("title") or self.status)

    @property
    def field_errors(self) -> list[dict[str, str]]:
        """The fields that were refused, each `{field, message}`; empty for other errors."""
        errors = self.problem.get("errors")
        return errors if isinstance(errors, list) else []
