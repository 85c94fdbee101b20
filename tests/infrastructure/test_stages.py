"""A stage is one frozen value, and asking for another names those there are."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest

from lambdas.domain import lives
from stacks.service_stack import COUNT_TIMEOUT
from stacks.stages import STAGES, UnknownStageError, stage_config
from tests.infrastructure.templates import Stage


@pytest.mark.parametrize("name", ["", None, "production", "PROD"])
def test_an_unknown_stage_names_the_known_ones(name: str | None) -> None:
    """Whoever mistypes a stage reads which there are and how to name one."""
    with pytest.raises(UnknownStageError, match="local, dev, prod with -c stage=<name>"):
        stage_config(name)


def test_a_stage_cannot_be_changed() -> None:
    """What a stack was given is what every stack was given."""
    with pytest.raises(FrozenInstanceError):
        stage_config("prod").name = "dev"  # type: ignore[misc]


def test_no_stage_opens_reads_by_default() -> None:
    """Opening the read group is a decision somebody has to write down."""
    assert not any(config.open_reads for config in STAGES.values())
    assert not stage_config("prod").open_docs


def test_only_aws_is_monitored(stage: Callable[[str], Stage]) -> None:
    """The emulator refuses metric math; every other stage has its alarms."""
    monitored = {name for name in STAGES if len(stage(name).paths) == 3}
    assert monitored == set(STAGES) - {"local"}


def test_no_call_outlasts_what_a_deleted_board_waits_for() -> None:
    """The waits of a deletion are as long as the longest HTTP call, and the count function's."""
    longest = max(config.http_timeout_seconds for config in STAGES.values())
    assert longest == lives.LONGEST_CALL_SECONDS
    assert COUNT_TIMEOUT.to_seconds() == lives.LONGEST_BATCH_SECONDS
