"""Settings: read once from a mapping, each missing one named."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from lambdas import names
from lambdas.settings import SettingsError, admin_settings, count_settings, http_settings

TABLES = (names.ENV_SCORES_TABLE, names.ENV_COUNTERS_TABLE, names.ENV_BOARDS_TABLE)
READERS: list[tuple[Callable[[Mapping[str, str]], Any], tuple[str, ...]]] = [
    (http_settings, (names.ENV_STAGE, *TABLES)),
    (admin_settings, (names.ENV_STAGE, names.ENV_BOARDS_TABLE)),
    (
        count_settings,
        (
            names.ENV_STAGE,
            names.ENV_COUNTERS_TABLE,
            names.ENV_BOARDS_TABLE,
            names.ENV_FAILURE_QUEUE_URL,
        ),
    ),
]
CASES = [(read, name) for read, variables in READERS for name in variables]


def _environment(variables: tuple[str, ...]) -> dict[str, str]:
    return {name: f"value of {name}" for name in variables}


@pytest.mark.parametrize(("read", "variables"), READERS)
def test_settings_are_the_values_of_their_variables(
    read: Callable[[Mapping[str, str]], Any], variables: tuple[str, ...]
) -> None:
    """Each variable is read into the field of its name, and no other is needed."""
    settings = read(_environment(variables))
    fields = {name.removeprefix("TALLY_").lower(): f"value of {name}" for name in variables}
    assert vars(settings) == fields


@pytest.mark.parametrize(("read", "missing"), CASES)
@pytest.mark.parametrize("empty", [False, True])
def test_a_missing_variable_is_named(
    read: Callable[[Mapping[str, str]], Any], missing: str, empty: bool
) -> None:
    """A function that lacks a setting fails at once, naming the variable, also if it is empty."""
    variables = next(variables for reader, variables in READERS if reader is read)
    environment = _environment(variables)
    del environment[missing]
    if empty:
        environment[missing] = ""
    with pytest.raises(SettingsError, match=missing):
        read(environment)
