"""`python -m ops.pictures`: a load on the rig, and both dashboards drawn with what it came to.

`--minutes` says for how long (6); `--save FILE` keeps what was recorded, and `--from FILE` draws
that again without a load.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from ops.metrics import Recorder
from ops.pictures import page
from ops.pictures.body import DASHBOARDS, ROOT, synthesized
from ops.pictures.draw import draw
from ops.pictures.load import record

FOLDER: Final = ROOT / "docs" / "dashboards"
_MINUTES: Final = 6


def main(arguments: list[str]) -> None:
    """Draws both dashboards, and writes the page that shows them."""
    parser = argparse.ArgumentParser(prog="python -m ops.pictures")
    parser.add_argument("--minutes", type=int, default=_MINUTES)
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="kept")
    asked = parser.parse_args(arguments)
    bodies = synthesized()
    recorder = Recorder.load(asked.kept) if asked.kept else record(asked.minutes)
    if asked.save:
        recorder.save(asked.save)
    FOLDER.mkdir(exist_ok=True)
    for name in DASHBOARDS:
        title = f"Tallyboard-rig-{name}, by minutes of the run"
        draw(bodies[name], recorder, title, FOLDER / f"{name}.png")
    page.write(FOLDER / "README.md", recorder)


if __name__ == "__main__":
    main(sys.argv[1:])
