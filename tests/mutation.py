"""Mutation run over what exact counting stands on: cells, folding, marks, counter items.

    .venv-mutants/bin/python -m tests.mutation

Each mutant changes one expression of the code; one that no test notices survives. The run fails if
fewer than 95 % are killed, or if a survivor is not explained in docs/mutation.md. It works on a
copy under build/mutation, of the code and of those tests that need no engine.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
COPY: Final = ROOT / "build" / "mutation"
EXPLAINED: Final = ROOT / "docs" / "mutation.md"
LEAST_KILLED: Final = 0.95
MUTATED: Final = (
    "lambdas/domain/cells.py",
    "lambdas/domain/counting.py",
    "lambdas/domain/marks.py",
    "lambdas/store/counters.py",
)
TESTS: Final = (
    "tests/unit/domain/test_cells.py",
    "tests/unit/domain/test_counting.py",
    "tests/unit/domain/test_marks.py",
    "tests/unit/store/test_counters.py",
    "tests/properties/test_cells.py",
    "tests/properties/test_counting.py",
    "tests/properties/test_marks.py",
)
HELPERS: Final = (
    "tests/__init__.py",
    "tests/fakes.py",
    "tests/unit/__init__.py",
    "tests/unit/domain/__init__.py",
    "tests/unit/store/__init__.py",
    "tests/properties/__init__.py",
    "tests/properties/conftest.py",
    "tests/properties/strategies.py",
)
# Cells are kept a process: those made before a mutant comes to life must not outlive it.
CONFTEST: Final = """\
from lambdas.domain.cells import cells_of


def pytest_runtest_setup() -> None:
    cells_of.cache_clear()
"""


def main() -> int:
    """Runs every mutant and prints what became of them."""
    _prepare()
    subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(os.cpu_count() or 2)],
        cwd=COPY,
        check=True,
        env={**os.environ, "HYPOTHESIS_PROFILE": "ci"},
    )
    return _judge(_results())


def _prepare() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(
        ROOT / "lambdas", COPY / "lambdas", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in (*TESTS, *HELPERS):
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, COPY / name)
    (COPY / "tests" / "conftest.py").write_text(CONFTEST)
    (COPY / "pyproject.toml").write_text(_config())


def _config() -> str:
    return f"""\
[tool.pytest.ini_options]
addopts = "-q --strict-markers --import-mode=importlib -p no:cacheprovider"
pythonpath = ["."]

[tool.mutmut]
source_paths = ["lambdas"]
only_mutate = {list(MUTATED)}
pytest_add_cli_args_test_selection = {list(TESTS)}
"""


def _results() -> dict[str, str]:
    """What became of each mutant, by name."""
    listed = _mutmut("results", "--all", "true")
    return dict(re.findall(r"^\s+(\S+): (.+)$", listed, flags=re.MULTILINE))


def _judge(results: dict[str, str]) -> int:
    counted = Counter(results.values())
    killed = counted["killed"] + counted["timeout"]
    share = killed / max(1, len(results))
    alive = [name for name, fate in results.items() if fate not in ("killed", "timeout")]
    unexplained = [name for name in alive if not _is_explained(name)]
    print(f"{killed} of {len(results)} mutants killed: {share:.1%}; {dict(counted)}")  # noqa: T201
    for name in unexplained:
        print(f"not explained: {name} ({results[name]})")  # noqa: T201
    return 0 if share >= LEAST_KILLED and not unexplained else 1


def _is_explained(mutant: str) -> bool:
    """Whether the page quotes the line as the mutant has it; names change with the code."""
    shown = _mutmut("show", mutant)
    lines = re.findall(r"^\+(?!\+\+)\s*(.+)$", shown, flags=re.MULTILINE)
    page = EXPLAINED.read_text()
    return bool(lines) and all(f"`{line}`" in page for line in lines)


def _mutmut(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=COPY,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
