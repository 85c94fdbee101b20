"""A rig that runs as a process of its own, called over signed HTTP by clients that are not ours."""

import uuid
from collections.abc import Iterator

import pytest

from ops.client import Client, read_outputs
from ops.rig import lifecycle
from tests.contract.generated import Generated, generate


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a rig of this folder's own, stopped at the end."""
    state_dir = tmp_path_factory.mktemp("rig")
    lifecycle.up(state_dir)
    yield Client(read_outputs("rig", state_dir))
    assert lifecycle.down(state_dir), "the rig ended by itself"


@pytest.fixture
def board(client: Client) -> str:
    """A new board."""
    name = f"b-{uuid.uuid4().hex[:12]}"
    client.put_board(name, {"layout": {"levels": 3}})
    return name


@pytest.fixture(scope="session")
def generated(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    """The generated client, which signs with the rig's key."""
    folder = tmp_path_factory.mktemp("generated")
    generate(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        made = Generated(client)
        with made.client:
            yield made
