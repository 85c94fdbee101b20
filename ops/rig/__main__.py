"""The rig's process, `python -m ops.rig STATE_DIR`: runs until it is told to stop."""

import json
import signal
import sys
from pathlib import Path
from threading import Event
from types import FrameType

from lambdas import names
from ops.metrics import Answering, Recorder, recording
from ops.rig.service import running


def main(state_dir: Path) -> None:
    """Runs the rig; its outputs file appears when it is ready and goes when it stops."""
    stop = Event()

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signal's form
        stop.set()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    outputs = state_dir / f"{names.STAGE_RIG}.outputs.json"
    home = state_dir / "rig"
    failures, recorder = home / "failures.jsonl", Recorder()
    answering = Answering(recorder, home, failures)
    try:
        with (
            recording(recorder, printed_to=sys.stdout) as watch,
            running(failures, watch=watch) as rig,
        ):
            unfinished = outputs.with_suffix(".writing")
            unfinished.write_text(json.dumps(rig.outputs(), indent=2) + "\n", encoding="utf-8")
            unfinished.rename(outputs)
            while not stop.wait(0.5):
                answering.turn()
                if rig.mapping.error is not None:
                    raise rig.mapping.error
    finally:
        outputs.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
