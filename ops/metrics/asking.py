"""A running rig's metrics, handed to another process that asks for them.

Whoever asks lays a file into the rig's folder, and the rig answers with another. Unasked it writes
nothing down: that holds up its functions, which run in the same process.
"""

import time
import uuid
from pathlib import Path
from typing import Final

from ops.metrics.recorder import PERIOD_SECONDS, Recorder
from ops.metrics.recording import note_failures
from ops.processes import wait_until

# More than any alarm looks back over: eight periods of five minutes.
KEPT_MINUTES: Final = 45
_ANSWER_SECONDS: Final = 15.0  # the rig looks twice a second, and a busy one writes for a while
_ASKED: Final = ".asked"
_ANSWER: Final = ".metrics"


class Answering:
    """The rig's side."""

    def __init__(self, recorder: Recorder, folder: Path, failures: Path) -> None:
        self._recorder = recorder
        self._folder = folder
        self._failures = failures
        self._noted_minute = -1

    def turn(self) -> None:
        """Forgets what is old and answers whoever has asked; to be called again and again."""
        minute = int(time.time() // PERIOD_SECONDS)
        if minute != self._noted_minute:
            note_failures(self._recorder, self._failures)
            self._recorder.keep(range(minute - KEPT_MINUTES, minute + 1))
            self._noted_minute = minute
        for asked in self._folder.glob(f"*{_ASKED}"):
            unfinished = asked.with_suffix(".writing")
            self._recorder.save(unfinished)
            unfinished.rename(asked.with_suffix(_ANSWER))
            asked.unlink(missing_ok=True)


def ask(folder: Path, seconds: float = _ANSWER_SECONDS) -> Recorder | None:
    """What the rig of a folder has recorded; None if it does not answer in time."""
    if not folder.is_dir():
        return None
    asked = folder / f"{uuid.uuid4().hex}{_ASKED}"
    answer = asked.with_suffix(_ANSWER)
    asked.touch()
    try:
        return Recorder.load(answer) if wait_until(answer.exists, seconds=seconds) else None
    finally:
        asked.unlink(missing_ok=True)
        answer.unlink(missing_ok=True)
