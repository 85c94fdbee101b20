"""The part of a run that leads it: one, on the master, or in the only process."""

import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import gevent
from gevent.event import Event
from gevent.queue import Empty, Queue
from locust.env import Environment
from locust.runners import MasterRunner, Runner, WorkerRunner

from loadtests.evidence import Judged, judged, written
from loadtests.phases import Outcome, Part, Phase, outcome_of
from loadtests.stats import Stats, history_of, measured_by_request, stats_of
from loadtests.suite import Found, Suite
from loadtests.units import Consumed, consumed
from loadtests.worker import FAULT, PART, PHASE
from ops.client import ApiError, Client, ClientError, Outputs

_AHEAD_SECONDS: Final = 0.3  # between calling a phase out and its start
_PATIENCE_SECONDS: Final = 90.0  # beyond a phase's own length, for parts that do not come


@dataclass
class _State:
    found: Found = field(default_factory=Found)
    begun: float | None = None
    ended: float | None = None
    finished: bool = False
    fault: str = ""
    error: str = ""


class Conductor:
    """Calls out phases, gathers what came of them, judges, and writes the evidence."""

    def __init__(
        self, environment: Environment, suite: Suite, outputs: Outputs, *, stays: bool
    ) -> None:
        """Wait for the users, then lead.

        Args:
            environment: Locust's.
            suite: What is run.
            outputs: Of the stage.
            stays: Whether Locust goes on when the run is over, for its page.
        """
        self._environment, self._suite, self._outputs = environment, suite, outputs
        self._stays = stays
        self._state = _State()
        self._state.found.stats = self._stats
        self._parts: Queue[dict[str, Any]] = Queue()
        self._faulty = Event()
        runner = self._runner
        runner.register_message(PART, self._on_part)
        runner.register_message(FAULT, self._on_fault)
        environment.events.spawning_complete.add_listener(self._on_spawned)
        environment.events.quitting.add_listener(self._on_quitting)
        gevent.spawn(self._watch, os.getppid())

    @property
    def _runner(self) -> Runner:
        runner = self._environment.runner
        assert runner is not None and not isinstance(runner, WorkerRunner)  # noqa: S101, PT018
        return runner

    def _stats(self) -> list[Stats]:
        labels = {one.label for one in self._suite.phases() if one.measured}
        return stats_of(self._environment.stats, labels)

    def _watch(self, parent: int) -> None:
        """End when the command that started the run was killed: nobody would wait for it."""
        while os.getppid() == parent:
            gevent.sleep(1)
        self._state.error = self._state.error or "The command was killed."
        self._runner.quit()

    def _on_part(self, environment: Environment, msg: Any, **_: Any) -> None:
        del environment
        self._parts.put(msg.data)

    def _on_fault(self, environment: Environment, msg: Any, **_: Any) -> None:
        del environment
        self._state.fault = self._state.fault or msg.data["words"]
        self._faulty.set()

    def _on_spawned(self, user_count: int, **_: Any) -> None:
        del user_count
        if self._state.begun is None:
            self._state.begun = time.time()
            gevent.spawn(self._lead_and_end)

    def _lead_and_end(self) -> None:
        leading = gevent.spawn(self._lead)
        self._faulty.rawlink(lambda _: leading.kill(block=False))
        leading.join()
        self._state.ended = time.time()
        if self._stays and not self._state.fault:
            self._runner.stop()
        else:
            self._runner.quit()

    def _lead(self) -> None:
        client, state = Client(self._outputs), self._state
        try:
            self._suite.ready(client)
            for number, phase in enumerate(self._suite.phases()):
                outcome = self._do(number, phase)
                state.found.outcomes.append(outcome)
                if not self._suite.after(client, outcome, state.found):
                    break
            self._suite.settle(client, state.found)
            state.finished = True
        except (ApiError, ClientError, ValueError) as error:
            state.error = str(error)
            if isinstance(error, ApiError) and error.status == 403:
                state.fault = str(error)

    def _do(self, number: int, phase: Phase) -> Outcome:
        runner = self._runner
        of = runner.worker_count if isinstance(runner, MasterRunner) else 1
        start = time.time() + _AHEAD_SECONDS
        runner.send_message(PHASE, {"number": number, "start": start, "of": of})
        parts: list[Part] = []
        deadline = start + phase.seconds + phase.grace_seconds + _PATIENCE_SECONDS
        while len(parts) < of and time.time() < deadline:
            try:
                data = self._parts.get(timeout=max(0.1, deadline - time.time()))
            except Empty:
                break
            if data["number"] == number:
                parts.append(Part(**data["part"]))
                self._state.found.notes.absorb(data["notes"])
        return outcome_of(phase, start, time.time(), parts)

    def _on_quitting(self, environment: Environment, **_: Any) -> None:
        state = self._state
        begun = state.begun or time.time()
        ended = state.ended or time.time()
        stats = self._stats()
        state.found.measured |= measured_by_request(stats)
        spent = self._consumed(begun, ended)
        state.found.history = history_of(environment.stats)
        verdict = self._judge()
        written(self._suite.run, state.found, stats, spent, verdict, _utc(begun), _utc(ended))
        environment.process_exit_code = verdict.exit_code

    def _consumed(self, begun: float, ended: float) -> Consumed:
        measured = [one for one in self._state.found.outcomes if one.phase.measured]
        start = min([one.started for one in measured], default=begun)
        if not measured or self._state.fault:
            return Consumed(words=["Consumed capacity: nothing was measured."])
        spent = consumed(self._outputs, start, ended)
        self._state.found.measured["counter share"] = spent.share
        return spent

    def _judge(self) -> Judged:
        state = self._state
        return judged(
            self._suite.run,
            state.found,
            finished=state.finished,
            fault=state.fault,
            error=state.error,
        )


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
