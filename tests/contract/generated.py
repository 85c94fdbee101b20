"""Generates a client from the committed document, as docs/api.md says, and calls with it."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ops.client import Client
from tests.contract.signing import HttpxAuth
from tests.functional import contract

PACKAGE = "generated_tallyboard"


def generate(folder: Path) -> str:
    """Generates the package into a folder; what the generator had to say."""
    binaries = Path(sys.executable).parent
    command = [
        *(str(binaries / "openapi-python-client"), "generate", "--meta", "none"),
        *("--path", str(contract.DOCUMENT), "--output-path", str(folder / PACKAGE)),
        "--fail-on-warning",
    ]
    # Of the environment it needs ruff alone, which formats what it wrote.
    environment = {"PATH": str(binaries)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


class Generated:
    """The generated client, its operations by the names of its modules."""

    def __init__(self, client: Client) -> None:
        self.models = importlib.import_module(f"{PACKAGE}.models")
        self._operations = {
            path.stem: importlib.import_module(f"{PACKAGE}.api.{path.parent.name}.{path.stem}")
            for path in Path(str(self.models.__file__)).parents[1].glob("api/*/[a-z]*.py")
        }
        module = importlib.import_module(f"{PACKAGE}.client")
        self.client = module.Client(
            base_url=client.outputs.api_url,
            raise_on_unexpected_status=True,
            httpx_args={"auth": HttpxAuth(client), "trust_env": False},
        )

    @property
    def operations(self) -> set[str]:
        """The names of all operations."""
        return set(self._operations)

    def call(self, operation: str, *path: str, **arguments: Any) -> Any:
        """Calls an operation; its typed answer, a problem included."""
        module: ModuleType = self._operations[operation]
        return module.sync(*path, client=self.client, **arguments)
