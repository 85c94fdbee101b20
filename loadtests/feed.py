"""Hands a process's operations to its users: at a rate whatever happens, or so many in flight."""

import time
from collections.abc import Callable
from typing import Any, Final

import gevent
from gevent.lock import BoundedSemaphore
from gevent.queue import Queue

from loadtests.phases import Part, Phase, share_of

TICK_SECONDS: Final = 0.1
FEWEST_TICKS: Final = 10  # that a mean says something of
_STRAGGLING_SECONDS: Final = 15.0

Act = Callable[[Any, Phase, int], None]


class Feed:
    """The operations of one process; its users take them, one at a time each."""

    def __init__(self, act: Act) -> None:
        """Feed what `act` does: it is given the user's caller, the phase and a number."""
        self._act = act
        self._due: Queue[tuple[Phase, int]] = Queue()
        self._phase: _Going | None = None

    def work(self, caller: Any) -> None:
        """Wait for an operation and do it; called by each user, again and again."""
        phase, number = self._due.get()
        going = self._phase
        if going is None or going.phase is not phase or going.over:
            return
        going.begin()
        try:
            caller.label = phase.label
            self._act(caller, phase, number)
        finally:
            going.end()

    def run(self, phase: Phase, start: float, index: int, of: int) -> Part:
        """Do this process's part of a phase; returns when it is over.

        Args:
            phase: The phase.
            start: When it begins, seconds since 1970.
            index: Which of the processes this is, from 0.
            of: How many there are.
        """
        _sleep_until(start)
        self._phase = going = _Going(phase, share_of(phase.in_flight, index, of))
        ticker = gevent.spawn(going.tick)
        offer = self._offer_at_a_rate if phase.rate is not None else self._keep_in_flight
        offered = offer(going, start, index, of)
        self._wait_for_stragglers(going)
        ticker.kill()
        while not self._due.empty():
            self._due.get_nowait()
        return going.part(offered)

    def _offer_at_a_rate(self, going: "_Going", start: float, index: int, of: int) -> int:
        """Operations fall due one after the other, each process taking every so manieth."""
        phase, offered = going.phase, 0
        for number in range(index, phase.operations, of):
            _sleep_until(start + number / (phase.rate or 1))
            self._due.put((phase, number))
            offered += 1
        _sleep_until(start + phase.seconds)
        going.deadline = time.time() + phase.grace_seconds
        return offered

    def _keep_in_flight(self, going: "_Going", start: float, index: int, of: int) -> int:
        phase, offered = going.phase, 0
        going.deadline = start + phase.seconds
        for number in range(index, phase.count, of):
            left = going.deadline - time.time()
            if left <= 0 or not going.free.acquire(timeout=left):
                break
            self._due.put((phase, number))
            offered += 1
        going.sent_all()
        return offered

    def _wait_for_stragglers(self, going: "_Going") -> None:
        """What is in flight may end, in time or, of a closed phase, a little later."""
        patience = going.deadline
        if going.phase.rate is None:
            patience = max(patience, time.time() + _STRAGGLING_SECONDS)
        while (going.busy or not self._due.empty()) and time.time() < patience:
            gevent.sleep(0.02)
        going.over = True


class _Going:
    """A phase that goes on in this process."""

    def __init__(self, phase: Phase, in_flight: int) -> None:
        self.phase = phase
        self.free = BoundedSemaphore(max(1, in_flight))
        self.deadline = float("inf")
        self.over = False
        self._begun = self._in_time = self.busy = 0
        self._area = 0.0
        self._started = self._changed = self._last = time.time()
        self._mean: float | None = None
        self._cpu = time.process_time()
        self._ticks: list[float] = []

    def begin(self) -> None:
        self._change(1)
        self._begun += 1

    def end(self) -> None:
        self._change(-1)
        if self._changed <= self.deadline:
            self._in_time += 1
            self._last = self._changed
        if self.phase.rate is None:
            self.free.release()

    def sent_all(self) -> None:
        """Note how many were in flight on average while there were more to send."""
        self._change(0)
        self._mean = self._area / max(self._changed - self._started, 1e-9)

    def tick(self) -> None:
        """Notice how late this process's own timer comes."""
        while True:
            due = time.time() + TICK_SECONDS
            gevent.sleep(TICK_SECONDS)
            self._ticks.append(max(0.0, time.time() - due))

    def part(self, offered: int) -> Part:
        wall = time.time() - self._started
        cpu = time.process_time() - self._cpu
        if self._mean is None:
            self.sent_all()
        return Part(
            offered=offered,
            begun=self._begun,
            done=self._in_time,
            seconds=self.phase.seconds
            if self.phase.rate is not None
            else self._last - self._started,
            in_flight=self._mean or 0.0,
            cpu=cpu / max(wall, 1e-9),
            cpu_seconds=cpu,
            late_seconds=self._late_seconds(),
        )

    def _late_seconds(self) -> float:
        return sum(self._ticks) / len(self._ticks) if len(self._ticks) >= FEWEST_TICKS else 0.0

    def _change(self, by: int) -> None:
        now = time.time()
        self._area += self.busy * (now - self._changed)
        self.busy, self._changed = self.busy + by, now


def _sleep_until(when: float) -> None:
    gevent.sleep(max(0.0, when - time.time()))
