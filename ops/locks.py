"""A lock in a folder of state: of two that want it the second waits, in whatever process it is."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(state_dir: Path, stage: str) -> Iterator[None]:
    """Holds the lock of a stage until the block ends; the system drops it with the process."""
    state_dir.mkdir(parents=True, exist_ok=True)
    with (state_dir / f"{stage}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
