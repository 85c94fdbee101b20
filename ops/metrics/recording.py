"""Sets a recorder between a rig and its functions."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import boto3

from ops.metrics.lines import Lines, take
from ops.metrics.recorder import Recorder
from ops.metrics.watching import QUEUE, Handler, Watching


@contextlib.contextmanager
def recording(
    recorder: Recorder, printed_to: TextIO | None = None
) -> Iterator[Callable[[str, Handler], Handler]]:
    """Notes what the functions of a rig print, consume and are called, until the block ends.

    The rig must be started within the block, with what this gives for its `watch`.

    Args:
        recorder: takes the notes.
        printed_to: gets what the functions print, too, by whole lines.
    """

    def on_line(line: str) -> None:
        if printed_to is not None:
            printed_to.write(line + "\n")
            printed_to.flush()
        take(recorder, line)

    watching = Watching(recorder)
    boto3.DEFAULT_SESSION = boto3.Session()  # that of the functions' clients
    watching.dynamodb(boto3.DEFAULT_SESSION.events)
    with contextlib.redirect_stdout(Lines(on_line)):
        yield watching.function


def note_failures(recorder: Recorder, failures: Path) -> None:
    """Notes how many messages a rig's file of failures holds."""
    lines = failures.read_text(encoding="utf-8").splitlines() if failures.exists() else []
    recorder.queued(QUEUE, len(lines), time.time())
