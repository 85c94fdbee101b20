"""The routes of a stage, called through Locust: each request named, signed and checked."""

import copy
import json as json_of
from collections.abc import Callable, Mapping
from typing import Any, Self

from locust.contrib.fasthttp import FastHttpSession, ResponseContextManager

from loadtests.faults import fault_of
from loadtests.notes import Notes
from ops.client import ApiError, Client, NotRunningError, Outputs
from ops.signed import Json

Check = Callable[[Json], str | None]
"""What is wrong with an answer, in words; None if nothing is."""


class WrongAnswerError(Exception):
    """An answer that cannot be true."""


class Caller(Client):
    """A client whose requests Locust sends and measures; one a user (`for_user`).

    Attributes:
        label: begins the name of each request.
        notes: where wrong answers and refusals are noted.
    """

    def __init__(self, outputs: Outputs, notes: Notes, on_fault: Callable[[str], None]) -> None:
        """Make the one whose credentials all users share.

        Args:
            outputs: Of the stage.
            notes: Of this process.
            on_fault: Called when the client itself is at fault and nothing more can be measured.
        """
        super().__init__(outputs)
        self.notes = notes
        self.label = ""
        self._on_fault = on_fault
        self._http: FastHttpSession
        self._check: Check | None = None

    def for_user(self, http: FastHttpSession) -> Self:
        """One that sends through a user's own connection."""
        twin = copy.copy(self)
        twin._http = http
        return twin

    def checking(self, check: Check) -> Self:
        """Hold the next answer to a check."""
        self._check = check
        return self

    def request(
        self, method: str, path: str, json: Json = None, params: Mapping[str, Json] | None = None
    ) -> tuple[int, Json]:
        """Send one request; see `SignedSession.request`.

        Raises:
            WrongAnswerError: The check found something wrong; noted already.
        """
        check, self._check = self._check, None
        assert check is not None, f"{path}: every answer is checked"  # noqa: S101
        prepared = self.signed(method, path, json, params)
        with self._http.request(
            method,
            str(prepared.url),
            name=f"{self.label}: {path.rpartition('/')[2]}",
            data=str(prepared.body.decode()) if isinstance(prepared.body, bytes) else None,
            headers=dict(prepared.headers),
            catch_response=True,
        ) as response:
            return response.status_code, self._judged(response, check)

    def _judged(self, response: ResponseContextManager, check: Check) -> Json:
        status = response.status_code
        if not status:
            self.notes.counts["unanswered"] += 1
            raise NotRunningError(f"no answer: {getattr(response, 'error', None)}")
        body = _decoded(response)
        if status >= 400:
            raise self._refused(response, status, body)
        wrong = "an answer that is no JSON object" if not isinstance(body, dict) else check(body)
        self.notes.counts["checked"] += 1
        if wrong:
            self.notes.counts["wrong"] += 1
            self.notes.complain(wrong)
            response.failure(f"wrong answer: {wrong.partition(':')[0]}")
            raise WrongAnswerError(wrong)
        return body

    def _refused(self, response: ResponseContextManager, status: int, body: Json) -> ApiError:
        problem = body if isinstance(body, dict) else {}
        code = str(problem.get("code") or status)
        self.notes.counts[f"refused {code}"] += 1
        response.failure(f"{status} {code}")
        if status == 403:
            date: str | None = response.headers.get("date") if response.headers else None  # type: ignore[assignment]
            self._on_fault(fault_of(problem.get("message") or problem.get("Message"), date))
        return ApiError(status, {"title": code, **problem})


def _decoded(response: ResponseContextManager) -> Any:
    try:
        return json_of.loads(response.content or b"null")
    except ValueError:
        return None
