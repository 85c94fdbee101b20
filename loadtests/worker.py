"""The part of a run that sends load: one in each process that has users."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import gevent
from locust.env import Environment
from locust.runners import Runner, WorkerRunner

from loadtests.caller import Caller, WrongAnswerError
from loadtests.feed import Feed
from loadtests.notes import Notes
from loadtests.phases import Phase
from loadtests.suite import Suite
from ops.client import ApiError, NotRunningError, Outputs

PHASE: Final = "tally_phase"  # from the master: begin one
PART: Final = "tally_part"  # from a worker: what it did
FAULT: Final = "tally_fault"  # from a worker: the client is at fault


class Worker:
    """Does the phases that the conductor calls out, and tells it what it noted."""

    def __init__(self, environment: Environment, suite: Suite, outputs: Outputs) -> None:
        """Listen for phases, and for requests that end."""
        self._environment = environment
        self._runner: Runner = _runner(environment)
        self._suite = suite
        self._measured = {one.label for one in suite.phases() if one.measured}
        self.notes = Notes()
        self.caller = Caller(outputs, self.notes, self._fault)
        self.feed = Feed(self._act)
        self._runner.register_message(PHASE, self._on_phase)
        environment.events.request.add_listener(self._on_request)

    def _act(self, caller: Caller, phase: Phase, number: int) -> None:
        try:
            self._suite.act(caller, phase, number)
        except (ApiError, NotRunningError, WrongAnswerError):
            self.notes.counts["failed operations"] += 1

    def _fault(self, words: str) -> None:
        self._runner.send_message(FAULT, {"words": words})

    def _on_phase(self, environment: Environment, msg: Any, **_: Any) -> None:
        del environment
        gevent.spawn(self._phase, msg.data)

    def _phase(self, data: Mapping[str, Any]) -> None:
        phase = self._suite.phases()[data["number"]]
        index = max(0, self._runner.worker_index)  # type: ignore[attr-defined]
        part = self.feed.run(phase, data["start"], index, data["of"])
        self._tell_stats()
        report = {"number": data["number"], "part": asdict(part), "notes": self.notes.taken()}
        self._runner.send_message(PART, report)

    def _tell_stats(self) -> None:
        """Give the master what Locust has measured so far, which otherwise comes every 3 s.

        Locust waits half a second at the end for the rest, which a busy machine may outlast.
        """
        if isinstance(self._runner, WorkerRunner):
            data: dict[str, Any] = {}
            self._environment.events.report_to_master.fire(
                client_id=self._runner.client_id, data=data
            )
            self._runner.send_message("stats", data)

    def _on_request(self, name: str, exception: Any, start_time: float, **found: Any) -> None:
        if name.partition(":")[0] in self._measured:
            at = start_time + (found.get("response_time") or 0.0) / 1000
            self.notes.request(at, exception is not None)


def _runner(environment: Environment) -> Runner:
    assert environment.runner is not None  # noqa: S101 - Locust makes it before `init`
    return environment.runner
