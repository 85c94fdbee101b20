"""A schedule: calls a function again and again, as EventBridge would, until it is stopped."""

import logging
from collections.abc import Callable
from threading import Event, Thread

logger = logging.getLogger(__name__)


class Schedule:
    """Calls after each pause, in a thread of its own; a call that fails is logged and forgotten."""

    def __init__(self, pause_seconds: float, call: Callable[[], object]) -> None:
        self._pause_seconds = pause_seconds
        self._call = call
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="schedule", daemon=True)

    def __enter__(self) -> "Schedule":
        """Starts; the first call comes after a pause."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Stops, and waits for a call that is under way."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._pause_seconds):
            try:
                self._call()
            except Exception:  # a schedule goes on
                logger.exception("a scheduled call failed")
